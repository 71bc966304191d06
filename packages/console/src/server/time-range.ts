import { Problem } from './routing/problem.js'

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A time in ISO 8601, or how long ago: `15m`, `6h`, `7d`. */
export function readTime(text: string | undefined, parameter: string, now: number): number | undefined {
  if (text === undefined) return undefined
  const [, amount, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  if (amount !== undefined && unit !== undefined) return now - Number(amount) * (unitMs[unit] ?? 0)
  // A plus sign that was not escaped arrives as a space.
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text.replace(/ (?=\d\d:\d\d$)/, '+')) : Number.NaN
  if (!Number.isFinite(time))
    throw new Problem(422, 'invalid-request', { detail: `${parameter} is neither a time nor how long ago` })
  return time
}
