// @ts-check
// Judges what tools have written down about themselves: one line when a call begins, one when it has ended. Lines are appended
// by many processes, each before anything else could follow from it, so their order is an order in which it happened.

/**
 * @typedef {object} Verdict
 * @property {number} begun
 * @property {number} succeeded
 * @property {number} most executions counted or under way at one moment
 * @property {string[]} faults
 */

/** @type {(event: 'begin' | 'success' | 'failure', call: string) => string} */
export const historyLine = (event, call) => `${event} ${call}\n`

/**
 * A call under way counts as if it would succeed; one that was cut off is under way for ever.
 * @param {string} history
 * @param {number} limit
 * @returns {Verdict}
 */
export function judgeHistory(history, limit) {
  /** @type {Set<string>} */
  const known = new Set()
  /** @type {Set<string>} */
  const underWay = new Set()
  const verdict = { begun: 0, succeeded: 0, most: 0, faults: /** @type {string[]} */ ([]) }
  for (const [index, line] of history.split('\n').entries()) {
    if (line === '') continue
    const fault = (/** @type {string} */ what) => verdict.faults.push(`line ${index + 1}: ${what}: ${line}`)
    const [event, call = '', ...rest] = line.split(' ')
    if (call === '' || rest.length > 0) fault('not a line of this history')
    else if (event === 'begin') {
      if (known.has(call)) fault('begins twice')
      known.add(call)
      underWay.add(call)
      verdict.begun += 1
    } else if (event === 'success' || event === 'failure') {
      if (!underWay.delete(call)) fault('ends without being under way')
      if (event === 'success') verdict.succeeded += 1
    } else fault('not a line of this history')
    const counted = verdict.succeeded + underWay.size
    verdict.most = Math.max(verdict.most, counted)
    if (event === 'begin' && counted > limit) fault(`${counted} executions where ${limit} are allowed`)
  }
  return verdict
}
