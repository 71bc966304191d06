// @ts-check
// Measures contenders side by side: warm-up, then rounds of a fixed number of calls that visit every contender
// in turn, so that a slow minute of the machine hits all of them. Compare ratios, not times.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
/** @type {(options?: { type: 'minor' | 'major', execution: 'sync' }) => void} */
const collectGarbage = runInNewContext('gc')

const shortestSample = 10_000
const leastSamplesForP99 = 100
const leastSamplesForP999 = 1_000
const mostCallsToWeigh = 1_000
const roundSizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000]

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {'synchronous' | 'asynchronous'} calling
 * @property {(index: number) => unknown} call
 * @property {unknown} expected what every call must return; checked, so that no result goes unused
 *
 * @typedef {object} Measurement all times in nanoseconds per call
 * @property {string} name
 * @property {number} rounds
 * @property {number} callsPerRound
 * @property {number} callsPerSample p50 and p99 are taken over the mean of this many consecutive calls
 * @property {number} median of the round means
 * @property {number} best round mean
 * @property {number} p50
 * @property {number | null} p99 null with fewer than 100 samples
 * @property {number | null} p999 null with fewer than 1,000 samples
 * @property {number | null} allocated bytes of heap per call, garbage included; null when a call is too large to tell
 * @property {number} callsPerSecond 1e9 / median
 */

/** How often and how long: everything for the record, a glance while something is being changed. */
export const sampling = {
  full: { rounds: 12, roundMilliseconds: 150 },
  quick: { rounds: 4, roundMilliseconds: 30 },
}

export const method =
  'Every contender makes a fixed number of calls per round: up to 20,000, fewer where a call is slow, set after ' +
  'warm-up and kept for all rounds. Rounds visit the contenders in turn. Calls below 10 µs are timed in samples ' +
  'of 10 or 100, and p50, p99 and p99.9 are over those sample means. Ratios compare best rounds of the same run. ' +
  'Allocated: heap per call, garbage included, what the caller makes for the call included.'

/**
 * @param {readonly Contender[]} contenders
 * @param {{ rounds: number, roundMilliseconds: number }} options
 * @returns {Promise<Measurement[]>} in the order of the contenders
 */
export async function measureSideBySide(contenders, { rounds, roundMilliseconds }) {
  const series = []
  for (const contender of contenders) {
    const cost = await warmUp(contender, roundMilliseconds)
    const affordable = roundSizes.filter((calls) => calls * cost <= roundMilliseconds * 1e6)
    const callsPerRound = affordable.at(-1) ?? 1
    const callsPerSample =
      [1, 10].find((calls) => calls * cost >= shortestSample) ?? Math.min(100, callsPerRound)
    /** @type {number[]} */
    const samples = []
    /** @type {number[]} */
    const means = []
    series.push({ contender, callsPerRound, callsPerSample, samples, means })
  }
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < series.length; turn++) {
      const current = series[(turn + round) % series.length]
      if (!current) continue
      const { contender, callsPerRound, callsPerSample, samples, means } = current
      // Otherwise this contender would pay for what the one before it left behind.
      collectGarbage({ type: 'minor', execution: 'sync' })
      let total = 0
      for (let first = 0; first < callsPerRound; first += callsPerSample) {
        const nanoseconds = await timeCalls(contender, { first, calls: callsPerSample })
        samples.push(nanoseconds / callsPerSample)
        total += nanoseconds
      }
      means.push(total / callsPerRound)
    }
  }
  /** @type {Measurement[]} */
  const measurements = []
  for (const { contender, callsPerRound, callsPerSample, samples, means } of series) {
    samples.sort((left, right) => left - right)
    means.sort((left, right) => left - right)
    const median = quantile(means, 0.5)
    measurements.push({
      name: contender.name,
      rounds,
      callsPerRound,
      callsPerSample,
      median,
      best: quantile(means, 0),
      p50: quantile(samples, 0.5),
      p99: samples.length < leastSamplesForP99 ? null : quantile(samples, 0.99),
      p999: samples.length < leastSamplesForP999 ? null : quantile(samples, 0.999),
      allocated: await weighCalls(contender, Math.min(callsPerRound, mostCallsToWeigh)),
      callsPerSecond: 1e9 / median,
    })
  }
  return measurements
}

/**
 * The heap only grows between two collections, so the least growth seen is that of calls during which there was none.
 * @param {Contender} contender
 * @param {number} calls
 * @returns {Promise<number | null>} bytes per call
 */
async function weighCalls(contender, calls) {
  for (let count = calls; count >= 1; count = Math.floor(count / 4)) {
    /** @type {number[]} */
    const growths = []
    for (let attempt = 0; attempt < 5; attempt++) {
      collectGarbage({ type: 'minor', execution: 'sync' })
      const before = process.memoryUsage().heapUsed
      await timeCalls(contender, { first: 1, calls: count })
      const growth = process.memoryUsage().heapUsed - before
      if (growth > 0) growths.push(growth / count)
    }
    growths.sort((left, right) => left - right)
    // Fewer calls when a collection came in between more often than not.
    if (growths.length >= 3) return quantile(growths, 0.5)
  }
  return null
}

/**
 * @param {Contender} contender
 * @param {number} milliseconds
 * @returns {Promise<number>} nanoseconds per call at its fastest
 */
async function warmUp(contender, milliseconds) {
  let spent = 0
  let least = Number.POSITIVE_INFINITY
  let calls = 1
  for (let first = 0; first < 40_000 && spent < 3 * milliseconds * 1e6; first += calls) {
    const nanoseconds = await timeCalls(contender, { first, calls })
    spent += nanoseconds
    least = Math.min(least, nanoseconds / calls)
    if (nanoseconds < 0.3 * milliseconds * 1e6) calls = Math.min(calls * 2, 5_000)
  }
  return least
}

/**
 * @param {Contender} contender
 * @param {{ first: number, calls: number }} range
 * @returns {Promise<number>} nanoseconds
 */
async function timeCalls(contender, { first, calls }) {
  const start = performance.now()
  const unexpected =
    contender.calling === 'synchronous'
      ? callInARow(contender, first, first + calls)
      : await awaitInARow(contender, first, first + calls)
  const nanoseconds = (performance.now() - start) * 1e6
  if (unexpected > 0)
    throw new Error(
      `${contender.name}: ${unexpected} of ${calls} calls did not return ${String(contender.expected)}`,
    )
  return nanoseconds
}

/**
 * @param {Contender} contender
 * @param {number} first
 * @param {number} end
 */
function callInARow({ call, expected }, first, end) {
  let unexpected = 0
  for (let index = first; index < end; index++) if (call(index) !== expected) unexpected++
  return unexpected
}

/**
 * @param {Contender} contender
 * @param {number} first
 * @param {number} end
 */
async function awaitInARow({ call, expected }, first, end) {
  let unexpected = 0
  for (let index = first; index < end; index++) if ((await call(index)) !== expected) unexpected++
  return unexpected
}

/**
 * @param {readonly number[]} sorted
 * @param {number} share
 */
function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/**
 * Bytes of JavaScript heap kept alive by what `build` returns, median of five tries.
 * @param {() => Promise<object>} build
 */
export async function measureRetainedBytes(build) {
  /** @type {number[]} */
  const tries = []
  for (let attempt = 0; attempt < 5; attempt++) tries.push(await weigh(build))
  tries.sort((left, right) => left - right)
  return quantile(tries, 0.5)
}

/**
 * A call of its own per try: the frame of an earlier one would keep its result alive into the next.
 * @param {() => Promise<object>} build
 */
async function weigh(build) {
  await nextTurn()
  collectAllGarbage()
  const before = process.memoryUsage().heapUsed
  const kept = [await build()]
  await nextTurn()
  collectAllGarbage()
  const after = process.memoryUsage().heapUsed
  kept.length = 0
  return after - before
}

export function collectAllGarbage() {
  collectGarbage()
  collectGarbage()
}
