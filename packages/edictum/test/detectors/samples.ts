// One or more made-up finds for every detector. They are put together from pieces, so that scanners of repositories do
// not take them for real ones.
import type { DetectorName } from '../../src/contracts/detectors.js'

export interface Sample {
  readonly text: string
  /** The part that is found: all of it unless said otherwise. */
  readonly found: string
}

const whole = (...pieces: readonly string[]): Sample => ({ text: pieces.join(''), found: pieces.join('') })
const within = (before: string, found: string, after = ''): Sample => ({
  text: before + found + after,
  found,
})

/** Looks random, and is the same in every run. */
export function characters(count: number, alphabet = 'aZ3kQ9mX2bV7tR5wL8nC4pD6fG1hJ0sY'): string {
  let state = 17
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return alphabet.charAt(Math.floor(state / 65_536) % alphabet.length)
  }).join('')
}

export const hexadecimal = (count: number) => characters(count, '0123456789abcdef')

const keyLines = `${characters(64)}\n${characters(64)}`
const armour = (label: string) => ({ open: `-----BEGIN ${label}-----`, close: `-----END ${label}-----` })
const rsa = armour(`RSA PRIVATE ${'KEY'}`)
const plain = armour(`PRIVATE ${'KEY'}`)

export const samples: Readonly<Record<DetectorName, readonly Sample[]>> = {
  'aws-key': [whole('AK', 'IA', 'ABCDEFGH12345678'), whole('AS', 'IA', 'QWERTYUI12345678')],
  'aws-secret': [
    within('aws_secret_access_key = ', characters(40)),
    within('"SecretAccessKey": "', characters(40), '"'),
  ],
  'gcp-service-key': [
    within('"private_key_id": "', hexadecimal(40), '"'),
    within('"private_key": "', `${plain.open}\\n${characters(64)}\\n${plain.close}`, '\\n"'),
  ],
  'google-api-key': [whole('AI', 'za', characters(35))],
  'google-oauth-token': [whole('ya', '29.', characters(60)), whole('GOC', 'SPX-', characters(28))],
  'azure-connection-string': [
    within('AccountName=x;AccountKey=', `${characters(86)}==`, ';EndpointSuffix=y'),
    within('SharedAccessKeyName=k;SharedAccessKey=', `${characters(43)}=`),
  ],
  'azure-sas': [
    within('https://x.blob.core.windows.net/c?sv=2022-11-02&sig=', `${characters(43)}%3D`, '&se=1'),
  ],
  'github-token': [whole('gh', 'p_', characters(36)), whole('github', '_pat_', characters(82))],
  'gitlab-token': [whole('gl', 'pat-', characters(20))],
  'slack-token': [
    whole('xo', 'xb-', '123456789012-123456789012-', characters(24)),
    within('https://hooks.slack.com/services/', `T${characters(8)}/B${characters(8)}/${characters(24)}`),
  ],
  'stripe-key': [whole('sk', '_live_', characters(24)), whole('wh', 'sec_', characters(32))],
  'openai-key': [whole('s', 'k-', 'a'.repeat(20)), whole('s', 'k-proj-', characters(48))],
  'anthropic-key': [whole('s', 'k-ant-', 'api03-', characters(80))],
  'groq-key': [whole('gs', 'k_', characters(52))],
  'huggingface-token': [whole('h', 'f_', characters(34))],
  'npm-token': [whole('np', 'm_', characters(36))],
  'pypi-token': [whole('py', 'pi-', characters(160))],
  'dockerhub-token': [whole('dckr', '_pat_', characters(27))],
  'twilio-key': [whole('S', 'K', hexadecimal(32))],
  'sendgrid-key': [whole('S', 'G.', characters(22), '.', characters(43))],
  'mailgun-key': [whole('ke', 'y-', hexadecimal(32))],
  'digitalocean-token': [whole('dop', '_v1_', hexadecimal(64))],
  'databricks-token': [whole('da', 'pi', hexadecimal(32))],
  'shopify-token': [whole('shp', 'at_', hexadecimal(32))],
  'atlassian-token': [whole('ATA', 'TT3', characters(186))],
  'grafana-token': [whole('gl', 'sa_', characters(32), '_', hexadecimal(8))],
  'linear-key': [whole('lin', '_api_', characters(40))],
  'telegram-bot-token': [within('1234567890:', `AA${characters(33)}`)],
  'vault-token': [whole('hv', 's.', characters(90))],
  'age-key': [whole('AGE-SECRET', '-KEY-1', characters(58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'))],
  jwt: [whole('ey', 'J', characters(20), '.ey', 'J', characters(40), '.', characters(43))],
  pem: [
    whole(`${rsa.open}\n${keyLines}\n${rsa.close}`),
    whole(`${plain.open}\\n${characters(64)}\\n${plain.close}`),
    whole(`${rsa.open}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n${keyLines}\n${rsa.close}`),
  ],
  'connection-string': [
    within('postgres://app:', 'hunter2', '@db/x'),
    within('mongodb+srv://app:', 'p@ss', '@cluster/x'),
    within('Server=db;User Id=app;Password=', 'hunter2', ';Encrypt=true'),
  ],
  'url-credentials': [within('https://user:', 'pass', '@host/x'), within('ftp://:', 'pa:ss', '@host')],
  'authorization-header': [
    within('Authorization: Bearer ', 'hunter2'),
    within("'authorization': 'Basic ", 'dTpw', "'"),
    within('AUTHORIZATION=', 'abc123'),
  ],
  'bearer-token': [within('bearer ', characters(24))],
  'basic-auth': [within('Basic ', btoa(`ann:${'hunter2'}`))],
  'command-secret': [
    within('export API_KEY=', 'abc'),
    within('login --password ', 'abc', ' now'),
    within('mysql -u root -p', 'hunter2', ' shop'),
    within('curl -u ann:', 'hunter2', ' https://host'),
  ],
  'secret-assignment': [
    within('DB_PASSWORD=', 'Hunter2!x'),
    within('"api_key": "', characters(32), '"'),
    within('clientSecret: ', characters(24)),
    within("auth_token => '", hexadecimal(32), "'"),
  ],
  ssn: [whole('123-45-6789'), whole('123 45 6789'), within('SSN: ', '123456789')],
  'credit-card': [
    whole('4111 1111 1111 1111'),
    whole('4111-1111-1111-1111'),
    whole('5555555555554444'),
    whole('3782 822463 10005'),
  ],
  email: [whole('ann.lee+x@mail.example.org')],
  phone: [whole('+49 30 901820'), whole('(212) 555-0123'), whole('212-555-0123')],
  iban: [whole('DE89 3704 0044 0532 0130 00'), whole('GB82WEST12345698765432')],
}
