import { EdictumConfigError } from '../contracts/config-error.js'

const longest = 10_000
// A colon separates the parts of a counter's key; with one in an id, two sessions could share a counter.
// oxlint-disable-next-line no-control-regex -- control characters are what this finds
const forbidden = /[\u0000-\u001f\u007f-\u009f\u2028\u2029/\\:]/

/** @throws EdictumConfigError for an id that could collide with another session's counters. */
export function checkSessionId(id: unknown): string {
  if (typeof id !== 'string' || id === '')
    throw EdictumConfigError.of('invalid-call', 'a session id must be non-empty text')
  if (id.length > longest)
    throw EdictumConfigError.of('invalid-call', `a session id has at most ${longest} characters`)
  if (forbidden.test(id)) {
    throw EdictumConfigError.of(
      'invalid-call',
      'a session id must not contain control characters, `:`, `/` or `\\`',
    )
  }
  return id
}
