import { percentile, suggestLimit } from 'edictum/history'
import type { CalibratedCount } from '../../protocol/calibration.js'

const mostBars = 20

/** How counts are spread, with a limit above them. */
export function describeCounts(counts: readonly number[]): CalibratedCount {
  const most = percentile(counts, 1)
  const limit = suggestLimit(counts)
  const step = Math.max(1, Math.ceil((most + 1) / mostBars))
  const sessions = Array.from({ length: Math.floor(most / step) + 1 }, () => 0)
  for (const count of counts) {
    const bar = Math.floor(count / step)
    sessions[bar] = (sessions[bar] ?? 0) + 1
  }
  return {
    median: percentile(counts, 0.5),
    p90: percentile(counts, 0.9),
    p99: percentile(counts, 0.99),
    most,
    histogram: { step, sessions },
    suggested_limit: limit,
    beyond: counts.filter((count) => count > limit).length,
  }
}
