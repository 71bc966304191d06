// The detectors a contract may name under `detects`, and what each finds.
// The checker, the JSON Schema, the detector library and the reference page all read this one table.

const secretDetectors = {
  'aws-key': 'access key id of Amazon Web Services',
  'aws-secret': 'secret access key of Amazon Web Services, by the name it is assigned to',
  'gcp-service-key': 'private key and key id of a Google Cloud service account file',
  'google-api-key': 'API key of Google',
  'google-oauth-token': 'OAuth access token or client secret of Google',
  'azure-connection-string': 'account or shared access key in an Azure connection string',
  'azure-sas': 'signature of an Azure shared access link',
  'github-token': 'token of GitHub, classic, fine-grained or of an app',
  'gitlab-token': 'token of GitLab',
  'slack-token': 'token or webhook of Slack',
  'stripe-key': 'secret, restricted or webhook key of Stripe',
  'openai-key': 'API key of OpenAI and others that begin with `sk-`',
  'anthropic-key': 'API key of Anthropic',
  'groq-key': 'API key of Groq',
  'huggingface-token': 'token of Hugging Face',
  'npm-token': 'access token of npm',
  'pypi-token': 'upload token of PyPI',
  'dockerhub-token': 'personal access token of Docker Hub',
  'twilio-key': 'API key of Twilio',
  'sendgrid-key': 'API key of SendGrid',
  'mailgun-key': 'API key of Mailgun',
  'digitalocean-token': 'token of DigitalOcean',
  'databricks-token': 'personal access token of Databricks',
  'shopify-token': 'access token of Shopify',
  'atlassian-token': 'API token of Atlassian',
  'grafana-token': 'service account token of Grafana',
  'linear-key': 'API key of Linear',
  'telegram-bot-token': 'token of a Telegram bot',
  'vault-token': 'token of HashiCorp Vault',
  'age-key': 'secret key of age',
  jwt: 'JSON web token',
  pem: 'private key in PEM or PGP armour',
  'connection-string': 'password in the address or connection string of a database or queue',
  'url-credentials': 'password in a web address',
  'authorization-header': 'value of an Authorization header',
  'bearer-token': 'token after the word Bearer',
  'basic-auth': 'user and password after the word Basic',
  'command-secret': 'password or token on a command line',
  'secret-assignment': 'random-looking value assigned to a password, token, secret or key',
} as const

const personalDetectors = {
  ssn: 'social security number of the United States',
  'credit-card': 'number of a payment card, by issuer and check digit',
  email: 'e-mail address',
  phone: 'telephone number, international or North American',
  iban: 'bank account number, by country and check digits',
} as const

/** What each detector finds, in a few words. */
export const detectorMeanings = { ...secretDetectors, ...personalDetectors }

export type DetectorName = keyof typeof detectorMeanings

/** Names that stand for several detectors. */
export const detectorGroups = {
  secrets: Object.keys(secretDetectors) as readonly DetectorName[],
  pii: Object.keys(personalDetectors) as readonly DetectorName[],
} as const satisfies Readonly<Record<string, readonly DetectorName[]>>

export type DetectorGroup = keyof typeof detectorGroups

/** Everything that may stand in the list of `detects`. */
export const detectableNames: readonly string[] = [
  ...Object.keys(detectorGroups),
  ...Object.keys(detectorMeanings),
]

/** The detectors a list of names and groups stands for, each once, in the order of the table. */
export function detectorsNamed(names: readonly string[]): readonly DetectorName[] {
  const wanted = new Set<string>()
  for (const name of names) for (const one of isGroup(name) ? detectorGroups[name] : [name]) wanted.add(one)
  return (Object.keys(detectorMeanings) as readonly DetectorName[]).filter((name) => wanted.has(name))
}

function isGroup(name: string): name is DetectorGroup {
  return Object.hasOwn(detectorGroups, name)
}
