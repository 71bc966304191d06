// Decides by its name whether a field holds a secret, by whole words rather than substrings.

const sensitiveKeys = [
  'password',
  'secret',
  'token',
  'api_key',
  'apikey',
  'authorization',
  'auth',
  'credentials',
  'private_key',
  'privatekey',
  'access_token',
  'refresh_token',
  'client_secret',
  'connection_string',
  'database_url',
  'db_password',
  'ssh_key',
  'passphrase',
  'passwd',
  'pwd',
  'passcode',
  'bearer',
  'cookie',
  'set_cookie',
  'apitoken',
  'authtoken',
  'accesstoken',
  'refreshtoken',
  'sessiontoken',
  'clientsecret',
  'secretkey',
  'accesskey',
]

/** Counts and orderings that merely mention a sensitive word. Their values are still scanned. */
const harmlessKeys = [
  'max_tokens',
  'num_tokens',
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'completion_tokens',
  'prompt_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'audio_tokens',
  'cache_tokens',
  'sort_keys',
  'index_keys',
]

const sensitiveWord = /^(?:token|key|secret|password|credential)s?$/

export type KeyTest = (key: string) => boolean

export function compileKeyTest(
  extraSensitive: Iterable<string> = [],
  extraHarmless: Iterable<string> = [],
): KeyTest {
  const sensitive = new Set([...sensitiveKeys, ...extraSensitive].map((key) => wordsOf(key).join('_')))
  const harmless = new Set([...harmlessKeys, ...extraHarmless].map((key) => wordsOf(key).join('_')))
  const known = new Map<string, boolean>()
  const test = (key: string) => {
    const words = wordsOf(key)
    const name = words.join('_')
    if (sensitive.has(name)) return true
    return !harmless.has(name) && words.some((word) => sensitiveWord.test(word))
  }
  return (key) => {
    let answer = known.get(key)
    if (answer === undefined) {
      answer = test(key)
      // Keys come from tool calls, so the memory of answers is bounded.
      if (known.size >= 2_000) known.clear()
      known.set(key, answer)
    }
    return answer
  }
}

/** `accessToken`, `access-token` and `access_token` are the same three words. */
function wordsOf(key: string): readonly string[] {
  return key
    .slice(0, 256)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_-]+/)
    .filter((word) => word !== '')
}
