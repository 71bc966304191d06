// Keys of session values as clients put them into paths: some escape everything, some nothing, and all mean the same key.
import { Problem } from './routing/problem.js'

const longestKey = 10_000
// oxlint-disable-next-line no-control-regex -- control characters are what this finds
const control = /[\u0000-\u001f\u007f-\u009f]/

export function checkSessionKey(key: string): string {
  const fault =
    key === ''
      ? 'is empty'
      : key.length > longestKey
        ? `has more than ${longestKey} characters`
        : control.test(key)
          ? 'has control characters'
          : undefined
  if (fault !== undefined)
    throw new Problem(422, 'invalid-session-key', { detail: `the session key ${fault}` })
  return key
}

export function sessionKeyFromPath(rawPath: string, prefix: string): string {
  return decodeLeniently(rawPath.slice(prefix.length))
}

/** A percent sign that begins no escape stands for itself. */
function decodeLeniently(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}
