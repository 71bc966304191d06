// Tokens whose form gives them away, wherever they stand. What providers publish about a length is read as "at least",
// so that a longer token of tomorrow is masked to its end.
import { type AnchoredForm, type Detector, follows, type Verify } from './detector.js'
import { looksRandom } from './randomness.js'

const alphanumeric = '[A-Za-z0-9]'
const urlSafe = '[A-Za-z0-9_-]'

function token(begins: readonly string[], find: string, verify?: Verify): AnchoredForm {
  return {
    kind: 'anchored',
    begins,
    notAfter: 'A-Za-z0-9',
    find,
    ...(verify === undefined ? {} : { verify }),
  }
}

/** `sk-` also begins names of styles and packages; a key has a long piece without a hyphen, or is plainly random. */
const isKey: Verify = (text, match) => {
  const value = text.slice(match.start + 'sk-'.length, Math.min(match.end, match.start + 512))
  return /[A-Za-z0-9]{16}/.test(value) || looksRandom(value) ? match : undefined
}

/** In the middle of base64 any four letters turn up now and then. */
const isOutsideBlob: Verify = (text, match) => {
  const sides = [
    text.slice(Math.max(0, match.start - 16), match.start),
    text.slice(match.end, match.end + 16),
  ]
  const isBlob = sides.every(
    (side) => /^[A-Za-z0-9+/]{16}$/.test(side) && /[a-z]/.test(side) && /[A-Z]/.test(side),
  )
  return isBlob ? undefined : match
}

/** The number of the bot comes before the colon and is no secret. */
const isBotToken: Verify = (text, { start, end }) =>
  /[0-9]/.test(text[start - 1] ?? '') ? { start: start + 1, end } : undefined

export const providerTokens = {
  'aws-key': {
    source: 'AWS IAM user guide, "IAM identifiers", unique id prefixes',
    forms: [
      { kind: 'anchored', begins: ['AKIA'], find: '[A-Z0-9]{16}', verify: isOutsideBlob },
      token(['ASIA', 'ABIA', 'ACCA'], '[A-Z0-9]{16}(?![A-Za-z0-9])'),
    ],
  },
  'google-api-key': {
    source: 'Google Cloud docs, "Manage API keys"',
    forms: [token(['AIza'], `${urlSafe}{30,}`)],
  },
  'google-oauth-token': {
    source: 'Google Identity docs, "Using OAuth 2.0 to access Google APIs"',
    forms: [token(['ya29.', 'GOCSPX-'], `${urlSafe}{20,}`)],
  },
  'github-token': {
    source: 'GitHub Docs, "About authentication to GitHub", token formats',
    forms: [
      { kind: 'anchored', begins: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], find: `${alphanumeric}{30,}` },
      { kind: 'anchored', begins: ['github_pat_'], find: '[A-Za-z0-9_]{20,}' },
    ],
  },
  'gitlab-token': {
    source: 'GitLab Docs, "Security tokens overview", token prefixes',
    forms: [
      token(
        ['pat', 'dt', 'rt', 'ptt', 'cbt', 'soat', 'ft', 'imt', 'agent', 'oas'].map((kind) => `gl${kind}-`),
        `${urlSafe}{20,}`,
      ),
    ],
  },
  'slack-token': {
    source: 'Slack API docs, "Token types" and "Sending messages using incoming webhooks"',
    forms: [
      token(
        ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xoxe.xoxb-', 'xoxe.xoxp-', 'xapp-'],
        '[A-Za-z0-9-]{10,}',
      ),
      follows({
        begins: ['hooks.slack.com/'],
        lead: '(?:services|workflows|triggers)/',
        find: 'T[A-Za-z0-9_/]{20,}',
      }),
    ],
  },
  'stripe-key': {
    source: 'Stripe Docs, "API keys" and "Webhook signatures"',
    forms: [
      token(['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'], `${alphanumeric}{16,}`),
      token(['whsec_'], '[A-Za-z0-9+/=]{24,}'),
    ],
  },
  'openai-key': {
    source: 'OpenAI API reference, "Authentication"',
    forms: [token(['sk-'], `(?!ant-)${urlSafe}{20,}`, isKey)],
  },
  'anthropic-key': {
    source: 'Anthropic API docs, "Authentication"',
    forms: [token(['sk-ant-'], `${urlSafe}{16,}`)],
  },
  'groq-key': {
    source: 'GroqCloud docs, "API keys"',
    forms: [token(['gsk_'], `${alphanumeric}{40,}`)],
  },
  'huggingface-token': {
    source: 'Hugging Face Hub docs, "User access tokens"',
    forms: [token(['hf_', 'api_org_'], `${alphanumeric}{30,}`)],
  },
  'npm-token': {
    source: 'npm Docs, "About access tokens"',
    forms: [token(['npm_'], `${alphanumeric}{36,}`)],
  },
  'pypi-token': {
    source: 'PyPI help, "How can I use API tokens to authenticate with PyPI?"',
    forms: [token(['pypi-'], `${urlSafe}{50,}`)],
  },
  'dockerhub-token': {
    source: 'Docker Docs, "Personal access tokens"',
    forms: [token(['dckr_pat_', 'dckr_oat_'], `${urlSafe}{20,}`)],
  },
  'twilio-key': {
    source: 'Twilio Docs, "API keys", SID format',
    forms: [token(['SK'], '[0-9a-f]{32}(?![A-Za-z0-9])')],
  },
  'sendgrid-key': {
    source: 'Twilio SendGrid Docs, "API keys"',
    forms: [token(['SG.'], `${urlSafe}{16,64}\\.${urlSafe}{16,}`)],
  },
  'mailgun-key': {
    source: 'Mailgun Docs, "Authentication"',
    forms: [token(['key-'], '[0-9a-f]{32}(?![A-Za-z0-9])')],
  },
  'digitalocean-token': {
    source: 'DigitalOcean API docs, "Token prefixes"',
    forms: [token(['dop_v1_', 'doo_v1_', 'dor_v1_'], '[0-9a-f]{64}')],
  },
  'databricks-token': {
    source: 'Databricks docs, "Personal access tokens"',
    forms: [token(['dapi'], '[0-9a-f]{32}(?![A-Za-z0-9])')],
  },
  'shopify-token': {
    source: 'Shopify developer docs, "Access tokens"',
    forms: [token(['shpat_', 'shpca_', 'shppa_', 'shpss_'], '[0-9a-fA-F]{32,}')],
  },
  'atlassian-token': {
    source: 'Atlassian support, "Manage API tokens for your Atlassian account"',
    forms: [token(['ATATT3'], '[A-Za-z0-9_=-]{50,}')],
  },
  'grafana-token': {
    source: 'Grafana docs, "Service accounts"',
    forms: [
      token(['glsa_'], `${alphanumeric}{32}_[0-9a-fA-F]{8}`),
      token(['glc_'], '[A-Za-z0-9+/]{32,}={0,2}'),
    ],
  },
  'linear-key': {
    source: 'Linear developer docs, "Personal API keys"',
    forms: [token(['lin_api_', 'lin_oauth_'], `${alphanumeric}{32,}`)],
  },
  'telegram-bot-token': {
    source: 'Telegram Bot API, "Authorizing your bot"',
    forms: [{ kind: 'anchored', begins: [':AA'], find: `${urlSafe}{32,}`, verify: isBotToken }],
  },
  'vault-token': {
    source: 'HashiCorp Vault docs, "Tokens", prefixes',
    forms: [token(['hvs.', 'hvb.', 'hvr.'], `${urlSafe}{24,}`)],
  },
  'age-key': {
    source: 'age format specification, X25519 identities',
    forms: [token(['AGE-SECRET-KEY-1'], '[0-9A-Z]{58}')],
  },
  jwt: {
    source: 'RFC 7519, JSON Web Token; RFC 7515, 7.1, compact serialisation',
    forms: [
      {
        kind: 'anchored',
        begins: ['eyJ'],
        notAfter: 'A-Za-z0-9_-',
        find: `${urlSafe}{10,}\\.[A-Za-z0-9_.-]*`,
      },
    ],
  },
} as const satisfies Readonly<Record<string, Detector>>
