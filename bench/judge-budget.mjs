// @ts-check
// Measured ratios held against accepted ones.

/** How many times its budget a ratio may be. */
export const warning = 1.1
const failure = 1.25

/**
 * @param {Readonly<Record<string, number>>} measured
 * @param {Readonly<Record<string, number>>} budget
 */
export function judgeBudget(measured, budget) {
  let isOver = false
  const lines = Object.entries(measured).map(([name, ratio]) => {
    const accepted = budget[name]
    const share = accepted === undefined ? Infinity : ratio / accepted
    // Written so that what is no number is over budget too.
    const verdict = share <= warning ? 'ok' : share <= failure ? 'warning' : 'over budget'
    isOver ||= verdict === 'over budget'
    const allowed =
      accepted === undefined ? 'no budget; run node bench/budget.mjs --accept' : `budget ${accepted}`
    return `${verdict.padEnd(11)} ${name.padEnd(42)} ${ratio.toFixed(2).padStart(7)}  ${allowed}`
  })
  const missing = Object.keys(budget).filter((name) => !(name in measured))
  for (const name of missing) lines.push(`over budget ${name}: it has a budget but was not measured`)
  return { lines, isOver: isOver || missing.length > 0 }
}
