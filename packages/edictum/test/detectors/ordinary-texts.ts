// Texts that tools return every day and that hold no secret. Whatever is found in them is a mistake.
import { characters, hexadecimal } from './samples.js'

const manyOf = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

export const ordinaryTexts: Readonly<Record<string, string>> = {
  prose: `Lorem ipsum dolor sit amet, consectetur adipiscing elit. Please reset your password: it must be at least twelve
characters. Tokens: 1,204 in, 88 out. The secret: practise. Authorization: required. Basic authentication is enough, the
bearer presents it. Ask your key account manager. A risk-based approach to disk-encryption-key-rotation-procedures.`,

  'TypeScript source': `export interface LoginForm { password: string; token?: string; apiKey: Promise<string> }
const password = getPasswordFromKeychain(user)
const token = tokens[index] ?? parseToken(scanner.getTokenText())
const secret = process.env.CLIENT_SECRET_PRODUCTION_2
this.accessToken = response.data.access_token_value1
const apiKey: string = options.credentials.apiKeyProvider2
headers.set('Authorization', header)
if (credentials.password !== confirmation.password2) throw new PasswordMismatchError('passwords-do-not-match')
export const SECRET_KEY_LENGTH = 32
type PasswordPolicy = { passwordMinLength: 12; passwordPattern: RegExp }`,

  'Python source': `def authenticate(username: str, password: str = None, token: Optional[Token] = None) -> bool:
    secret = os.environ["APP_SECRET_V2"]
    password = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, 100_000)
    api_key = settings.integrations.weather_api_key
    return verify(secret=secret, password=self.password_hash2)`,

  'shell script': `set -euo pipefail
mkdir -p build/out && cp -p a b
export PATH="$HOME/bin:$PATH"
export NODE_ENV=production
mysql --user=root --password="$DB_PASSWORD" < schema.sql
curl -u "$USER:$PASS" https://example.org/api
ssh -p 2222 host && grep -p x file && ps -u root
docker run -p 8080:80 -e TOKEN="\${TOKEN}" image`,

  'package manifest': `{"name":"@scope/package","version":"1.0.0","repository":"git+ssh://git@github.com:org/repo.git",
"dependencies":{"jsonwebtoken":"9.0.2"},"resolved":"https://packages.example.org/@babel/core/-/core-7.24.0.tgz",
"integrity":"sha512-${characters(86)}==","funding":"https://github.com/sponsors/x"}`,

  'lock file': manyOf(
    50,
    (index) => `  integrity sha512-${characters(86)}==\n  checksum: 10c0/${hexadecimal(96)}${index}`,
  ),

  'configuration template': `password: <your password>
token: \${{ secrets.GITHUB_TOKEN }}
api_key: YOUR_API_KEY_HERE_1
secret: changeme-please-123
client_secret: xxxxxxxxxxxxxxxxxxxxxxxx
database_url: postgres://localhost:5432/app_test
Authorization: Bearer <token>`,

  logs: manyOf(
    50,
    (index) =>
      `2024-05-01T12:00:${String(index % 60).padStart(2, '0')}.123Z INFO [req-${hexadecimal(8)}-${index}] GET http://localhost:3000/users/${index}?page=2 200 12ms tokens=${index} pid=${4000 + index} 10.0.0.${index}`,
  ),

  'git history': manyOf(
    50,
    (index) => `${hexadecimal(40)} ${hexadecimal(7)} fix(auth): rotate tokens (#${index})`,
  ),

  identifiers: `550e8400-e29b-41d4-a716-446655440000 01HZX3Y8K2Q9W7E5R4T6Y8U0I2 sha256:${hexadecimal(64)}
md5 ${hexadecimal(32)} etag "W/${hexadecimal(16)}" request-id: ${hexadecimal(32)} arn:aws:iam::123456789012:role/deploy
AKIA is a prefix, ASIAPACIFIC a region, SKU-000123 a product, eyJ the start of a token, sk-learn a package`,

  'base64 image': `data:image/png;base64,${characters(4_000, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')}==`,

  'public key': `-----BEGIN PUBLIC KEY-----\n${characters(64)}\n-----END PUBLIC KEY-----
-----BEGIN CERTIFICATE-----\n${characters(64)}\n-----END CERTIFICATE-----
-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----
ssh-ed25519 ${characters(68)} ann@host`,

  numbers: `+1 (212) 555-0123 212-555-0123 4111 1111 1111 1111 123-45-6789 3.14159265358979 1700000000000 0xDEADBEEF`,

  'style sheet': `.sk-folding-cube-wrapper-element { --token-color-primary-100: #aabbcc } .xox-table { key-frames: fade }
@keyframes sk-three-bounce-delay-animation { from { opacity: 0 } }`,

  'web addresses': `https://example.org:8080/path?x=1&mail=ann@example.org http://[::1]:3000/@scope/name
https://github.com/org/repo/blob/main/docs/password-reset.md?plain=1#L10 ssh://git@host:22/x mailto:ann@example.org`,
}
