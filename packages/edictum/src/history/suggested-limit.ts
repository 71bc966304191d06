// From what sessions do to a limit that leaves them alone and stops what runs away.

/**
 * Half as much again as the busiest sessions but one in a hundred, or another factor of at least 1: an outlier must not set
 * the limit by itself.
 */
export function suggestLimit(counts: readonly number[], headroom = 1.5): number {
  return Math.max(1, Math.ceil(percentile(counts, 0.99) * headroom))
}

/** The smallest count that so large a part of them does not exceed; 0 of none. */
export function percentile(counts: readonly number[], part: number): number {
  const sorted = counts.toSorted((left, right) => left - right)
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0
}
