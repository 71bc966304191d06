// Credentials in the places people put them: addresses, headers, command lines, key files.
import { assigns } from './assignments.js'
import { type Detector, follows, inAnyCase, type Verify } from './detector.js'
import { isReference, looksRandom } from './randomness.js'

/** Of `user:password@`, the password. */
const passwordOfUserInfo: Verify = (text, { start, end }) => {
  const userInfo = text.slice(start, end - 1)
  const colon = userInfo.indexOf(':')
  if (colon === -1 || colon === userInfo.length - 1) return undefined
  const password = userInfo.slice(colon + 1)
  // A port and a query, not a password: the `@` belongs to something further on.
  if (/^[0-9]*[?#]/.test(password) || !/^[\w.%+~!$&*=-]*$/.test(userInfo.slice(0, colon))) return undefined
  return { start: start + colon + 1, end: end - 1 }
}

// The last `@` before the path ends the password, so that one with an `@` in it is covered to its end.
const userInfo = '[^\\s/"\'<>`\\\\]+@'

const databaseSchemes = [
  ...[
    'postgres',
    'postgresql',
    'cockroachdb',
    'mysql',
    'mariadb',
    'mssql',
    'sqlserver',
    'oracle',
    'clickhouse',
  ],
  ...['mongodb', 'redis', 'rediss', 'couchbase', 'couchdb', 'neo4j', 'amqp', 'amqps', 'nats', 'kafka'],
]

const longestContext = 256

/** A `Password=` between the other fields of a connection string. */
const isInConnectionString: Verify = (text, match) => {
  const isAmongFields =
    /;\s*[A-Za-z ]{1,24}=\s*$/.test(text.slice(Math.max(0, match.start - 40), match.start)) ||
    /^;\s*[A-Za-z ]{1,24}=/.test(text.slice(match.end, match.end + 40))
  if (!isAmongFields) return undefined
  const before = text.slice(Math.max(0, match.start - longestContext), match.start)
  const after = text.slice(match.end, match.end + longestContext)
  const fields =
    /(?:server|data source|host|address|database|initial catalog|user ?id|uid|username|user)\s*=/i
  return fields.test(before + after) ? match : undefined
}

const schemes = '(?:[Bb]earer|BEARER|[Bb]asic|BASIC|[Tt]oken|Digest|Negotiate|ApiKey|AWS4-HMAC-SHA256)'
const afterScheme = new RegExp(`${schemes}\\s{1,4}$`)

/** After a scheme comes a credential; without one, a plain word is prose or code, as in `authorization: required`. */
const isHeaderValue: Verify = (text, match) => {
  const value = text.slice(match.start, match.end)
  if (isReference(value)) return undefined
  const hasScheme = afterScheme.test(text.slice(Math.max(0, match.start - 24), match.start))
  return hasScheme || !/^[A-Za-z._[\]|]+[`,;)}]*$/.test(value) ? match : undefined
}

const isRandomToken: Verify = (text, match) =>
  looksRandom(text.slice(match.start, match.end)) ? match : undefined

/** Base64 of `user:password`. */
const isUserAndPassword: Verify = (text, match) => {
  const encoded = text
    .slice(match.start, Math.min(match.end, match.start + longestContext))
    .replace(/=+$/, '')
  try {
    const decoded = atob(encoded.slice(0, encoded.length % 4 === 1 ? -1 : undefined))
    return /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(decoded) ? match : undefined
  } catch {
    return undefined
  }
}

const isSecretVariable: Verify = (text, match) => {
  const before = text.slice(Math.max(0, match.start - longestContext - 8), match.start)
  return /(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)\w*=$/.test(before) ? match : undefined
}

/** `-p` is a password for these programs only; for most others it is something harmless. */
function isOptionOf(programs: RegExp): Verify {
  return (text, match) => {
    const before = text.slice(Math.max(0, match.start - longestContext), match.start)
    // Most texts with such an option name none of the programs, so that is asked first.
    if (!programs.test(before) || isReference(text.slice(match.start, match.end))) return undefined
    const separator = Math.max(...['\n', ';', '|', '&'].map((mark) => before.lastIndexOf(mark)))
    return separator === -1 || programs.test(before.slice(separator + 1)) ? match : undefined
  }
}

const isNoReference: Verify = (text, match) =>
  isReference(text.slice(match.start, match.end)) ? undefined : match

const isCurlPassword: Verify = (text, match) => {
  if (isOptionOf(/\b(?:curl|wget|http|https|xh)\b/)(text, match) === undefined) return undefined
  const value = text.slice(match.start, match.end)
  const colon = value.indexOf(':')
  return colon === -1 || colon === value.length - 1
    ? undefined
    : { start: match.start + colon + 1, end: match.end }
}

/** A word of a command line, with its quotes. */
const word = '(?:"[^"\\n]*"?|\'[^\'\\n]*\'?|\\S+)'

const armourLabel = '(?:[A-Z0-9]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----'
const armour = `${armourLabel}[^-]*(?:-[^-]+){0,4}`
const keyMaterial = /[A-Za-z0-9+/=\s\\]*/y

/** Real key material inside; a block that is cut off goes as far as it looks like one. */
const isArmoured: Verify = (text, { start, end }) => {
  const body = text.slice(start, Math.min(end, start + 4_096))
  if (!/[A-Za-z0-9+/]{32}/.test(body)) return undefined
  if (text.startsWith('-----END ', end)) {
    const close = text.slice(end + 5, end + 64).indexOf('-----')
    return { start, end: close === -1 ? end : end + 5 + close + 5 }
  }
  // The header lines of an encrypted key are followed by nothing else.
  if (/[A-Za-z]-[A-Za-z]+: /.test(body)) return { start, end }
  keyMaterial.lastIndex = start + (/KEY(?: BLOCK)?-----/.exec(body)?.index ?? 0) + 'KEY-----'.length
  keyMaterial.test(text)
  return { start, end: Math.max(keyMaterial.lastIndex, Math.min(end, start + 64)) }
}

export const credentials = {
  'gcp-service-key': {
    source: 'Google Cloud docs, "Create and delete service account keys", file format',
    forms: [
      follows({ begins: ['private_key_id'], lead: assigns, find: '[0-9a-f]{40}' }),
      follows({ begins: ['private_key'], lead: assigns, find: `-----BEGIN ${armour}`, verify: isArmoured }),
    ],
  },
  pem: {
    source: 'RFC 7468, textual encodings; RFC 9580, ASCII armour',
    forms: [{ kind: 'anchored', begins: ['-----BEGIN '], find: armour, verify: isArmoured }],
  },
  'connection-string': {
    source: 'PostgreSQL docs, "Connection URIs"; Microsoft Learn, SqlConnection.ConnectionString',
    forms: [
      follows({
        begins: databaseSchemes,
        lead: '(?:\\+[a-z0-9]{1,16})?://',
        find: userInfo,
        verify: passwordOfUserInfo,
      }),
      follows({
        begins: inAnyCase('password', 'pwd'),
        lead: '\\s{0,2}=\\s{0,2}',
        find: '[^\\s;"\'&]+',
        verify: isInConnectionString,
      }),
    ],
  },
  'url-credentials': {
    source: 'RFC 3986, 3.2.1, user information',
    forms: [follows({ begins: ['://'], lead: '', find: userInfo, verify: passwordOfUserInfo })],
  },
  'authorization-header': {
    source: 'RFC 9110, 11.6.2, Authorization',
    forms: [
      follows({
        begins: inAnyCase('authorization'),
        lead: `["'\\\\]{0,3}\\s{0,8}[:=]\\s{0,8}["'\\\\]{0,3}(?:${schemes}\\s{1,4})?`,
        find: '[^\\s"\'\\\\]+',
        verify: isHeaderValue,
      }),
    ],
  },
  'bearer-token': {
    source: 'RFC 6750, 2.1, bearer token syntax',
    forms: [
      follows({
        begins: inAnyCase('bearer'),
        lead: '\\s{1,4}',
        find: '[A-Za-z0-9_.~+/-]{16,}={0,2}',
        verify: isRandomToken,
      }),
    ],
  },
  'basic-auth': {
    source: 'RFC 7617, Basic authentication',
    forms: [
      follows({
        begins: inAnyCase('basic'),
        lead: '\\s{1,4}',
        find: '[A-Za-z0-9+/]{6,}={0,2}',
        verify: isUserAndPassword,
      }),
    ],
  },
  'command-secret': {
    source: 'manual pages of bash, the MySQL clients, sshpass, smbclient and curl',
    forms: [
      follows({
        begins: ['export'],
        lead: '\\s{1,8}[A-Za-z0-9_]{1,200}=',
        find: word,
        verify: isSecretVariable,
      }),
      follows({ begins: ['--password'], lead: '[= ]', find: word, verify: isNoReference }),
      follows({
        begins: [' -p', '\t-p'],
        lead: '\\s{0,8}',
        find: word,
        verify: isOptionOf(/\b(?:mysql|mariadb|mongo|sshpass|smbclient)\w{0,16}\s/),
      }),
      follows({ begins: [' -u', ' --user'], lead: '[= ]{0,4}', find: word, verify: isCurlPassword }),
    ],
  },
} as const satisfies Readonly<Record<string, Detector>>
