// Values that are secret because of what they are assigned to: `NAME=value`, `name: "value"`, JSON, YAML, code.
import { type Detector, follows, inAnyCase, type Span, type Verify } from './detector.js'
import { entropyOf, isPlaceholder, looksRandom } from './randomness.js'

/** Between a name and its value, also inside a text that is quoted again. */
export const assigns = '["\'\\]\\\\]{0,3}[ \\t]{0,8}(?:=>|:=|[=:])[ \\t]{0,8}[bfr]?[\\\\"\'`]{0,3}'

const valueCharacters = '[A-Za-z0-9_+/.~!@#$%^&*?-]'
const longestQuoted = 512

/** What a quotation mark opens goes on to the one that closes it, whatever characters are in between. */
function wholeValue(text: string, { start, end }: Span): Span {
  const quote = text[start - 1]
  if (quote !== '"' && quote !== "'" && quote !== '`') return { start, end }
  const line = text.slice(end, end + longestQuoted)
  const close = line.indexOf(quote)
  const lineEnd = line.search(/[\r\n]/)
  if (close === -1 || (lineEnd !== -1 && lineEnd < close)) return { start, end }
  return { start, end: line[close - 1] === '\\' ? end + close - 1 : end + close }
}

/** A call, an index, a generic type: the name of something, not its value. */
function isFollowedByCode(text: string, end: number): boolean {
  return /[([{<]/.test(text[end] ?? '')
}

function isQuoted(text: string, start: number): boolean {
  return /["'`]/.test(text[start - 1] ?? '')
}

const isRandomValue: Verify = (text, match) => {
  const value = text.slice(match.start, match.end)
  if (isFollowedByCode(text, match.end) || isPlaceholder(value) || !looksRandom(value)) return undefined
  return wholeValue(text, match)
}

/** People choose passwords, so less is asked of them than of keys: some mixture, and no name of something. */
const isPasswordValue: Verify = (text, match) => {
  const value = text.slice(match.start, match.end)
  if (isFollowedByCode(text, match.end) || isPlaceholder(value)) return undefined
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[!@#$%^&*?~+]/].filter((kind) => kind.test(value)).length
  const isName = /^[A-Za-z_]+[0-9]{0,2}$/.test(value) || /^[A-Za-z_]\w*(?:[./-][A-Za-z_]\w*)+$/.test(value)
  const isMixed = kinds >= 3 || (kinds === 2 && isQuoted(text, match.start) && /[0-9!@#$%^&*?~+]/.test(value))
  return !isName && isMixed && entropyOf(value) >= 2.5 ? wholeValue(text, match) : undefined
}

const keyNames = ['api', 'access', 'secret', 'private', 'encryption', 'signing', 'auth'].map(
  (use) => `${use} key`,
)

/** `api_key`, `api-key`, `apikey`, `apiKey`, `ApiKey`, `API_KEY` and so on. */
function spellingsOf(name: string): readonly string[] {
  const [first = '', ...rest] = name.split(' ')
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
  const snake = [first, ...rest].join('_')
  const camel = [first, ...rest.map(capital)].join('')
  const spellings = [snake, snake.replaceAll('_', '-'), snake.replaceAll('_', ''), camel, capital(camel)]
  return [...new Set([...spellings, capital(snake), ...spellings.map((one) => one.toUpperCase())])]
}

/** The rest of a name after the word that gives it away, as in `token_v2`. */
const restOfName = '(?:_[A-Za-z0-9]{1,16})?'

export const assignments = {
  'aws-secret': {
    source: 'AWS IAM user guide, "Manage access keys for IAM users"',
    forms: [
      follows({
        begins: ['secret access key', ...spellingsOf('secret access key')],
        lead: assigns,
        find: '[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])',
        verify: (text, match) => (entropyOf(text.slice(match.start, match.end)) >= 3.5 ? match : undefined),
      }),
    ],
  },
  'azure-connection-string': {
    source:
      'Microsoft Learn, "Configure Azure Storage connection strings" and "Service Bus access control with SAS"',
    forms: [
      follows({
        begins: ['AccountKey', 'SharedAccessKey', 'accountKey', 'sharedAccessKey'],
        lead: '=',
        find: '[A-Za-z0-9+/]{40,}={0,2}',
      }),
      follows({
        begins: ['SharedAccessSignature', 'sharedAccessSignature'],
        lead: '=',
        find: '[^\\s;"\']{20,}',
      }),
    ],
  },
  'azure-sas': {
    source: 'Microsoft Learn, "Create a service SAS", parameter sig',
    forms: [follows({ begins: ['?sig', '&sig', ';sig'], lead: '=', find: '[A-Za-z0-9%+/_-]{32,}={0,2}' })],
  },
  'secret-assignment': {
    source: 'no format: the name says what it is, the value is judged by its mixture and entropy',
    forms: [
      follows({
        begins: inAnyCase('password', 'passwd', 'passphrase', 'passcode', 'pwd'),
        lead: restOfName + assigns,
        find: `${valueCharacters}{8,}={0,2}`,
        verify: isPasswordValue,
      }),
      follows({
        begins: [...inAnyCase('secret', 'token', 'credential'), ...keyNames.flatMap(spellingsOf)],
        lead: restOfName + assigns,
        find: `${valueCharacters}{16,}={0,2}`,
        verify: isRandomValue,
      }),
    ],
  },
} as const satisfies Readonly<Record<string, Detector>>
