// @ts-check
// The line every test program of this workspace ends with: `N passed, N failed`.

/**
 * @typedef {object} TestCount
 * @property {number} passed
 * @property {number} failed
 */

/**
 * @param {TestCount} count
 * @returns {string}
 */
export function formatCount({ passed, failed }) {
  return `${passed} passed, ${failed} failed`
}

/**
 * Reads the last such line. A program that ended badly has failed at least once, and one that counted
 * nothing has proven nothing.
 * @param {{ ok: boolean, stdout: string }} result
 * @returns {TestCount}
 */
export function readCount({ ok, stdout }) {
  const last = [...stdout.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1)
  const passed = Number(last?.[1] ?? 0)
  const failed = Number(last?.[2] ?? 0)
  const isProof = ok && passed > 0
  return { passed, failed: failed === 0 && !isProof ? 1 : failed }
}
