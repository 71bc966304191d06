// @ts-check
// How many times as long one thing takes as another. The two take turns in slices of a millisecond, so that whatever
// slows the machine down meets both, and the ratio is that of their quickest slices.

/**
 * @typedef {object} Comparison
 * @property {() => unknown} work
 * @property {() => unknown} against
 */

const warmUpCalls = 3_000
const longestWarmUpMs = 1_500
const sliceMs = 1
const passes = 4
const slicesPerPass = 60

/**
 * @param {Readonly<Record<string, Comparison>>} comparisons
 * @returns {Promise<Record<string, number>>}
 */
export async function measureRatios(comparisons) {
  const races = []
  for (const [name, { work, against }] of Object.entries(comparisons)) {
    races.push({ name, sides: [await warmUp(work), await warmUp(against)] })
  }
  // In several passes, because what runs last finds a process that has learnt more.
  for (let pass = 0; pass < passes; pass++) {
    for (const { sides } of races) {
      for (let slice = 0; slice < slicesPerPass; slice++) {
        for (const side of sides) side.best = Math.min(side.best, await timeOf(side.task, side.calls))
      }
    }
  }
  return Object.fromEntries(
    races.map(({ name, sides: [work, against] }) => [
      name,
      Number(((work?.best ?? Number.NaN) / (against?.best ?? Number.NaN)).toFixed(2)),
    ]),
  )
}

/** @param {() => unknown} task */
async function warmUp(task) {
  const start = performance.now()
  for (let call = 0; call < warmUpCalls && performance.now() - start < longestWarmUpMs; call++) await task()
  let best = Infinity
  for (let times = 0; times < 20; times++) best = Math.min(best, await timeOf(task, 1))
  return { task, calls: Math.max(1, Math.round(sliceMs / best)), best: Infinity }
}

/**
 * @param {() => unknown} task
 * @param {number} calls
 */
async function timeOf(task, calls) {
  const start = performance.now()
  for (let call = 0; call < calls; call++) {
    const result = task()
    if (result instanceof Promise) await result
  }
  return (performance.now() - start) / calls
}
