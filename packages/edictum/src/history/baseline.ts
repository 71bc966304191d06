// What is usual in a log: how much sessions do, and limits with room above that.
import type { RecordedEvent } from './audit-log.js'
import { percentile, suggestLimit } from './suggested-limit.js'

/** How a number is spread over sessions, and a limit above it. */
export interface Spread {
  readonly median: number
  /** Ninety-nine of a hundred sessions stay at or below it. */
  readonly p99: number
  readonly most: number
  readonly limit: number
}

export interface BaselineReport {
  readonly sessions: number
  readonly attempts: Spread
  readonly toolCalls: Spread
  /** Executions by tool, over the sessions that used it; the most used first. */
  readonly tools: readonly (Spread & { readonly tool: string; readonly sessions: number })[]
}

interface SessionTally {
  readonly calls: Set<string>
  attempts: number
  toolCalls: number
  readonly perTool: Map<string, number>
}

/** Counts over a log of any length. */
export class Baseline {
  readonly #headroom: number
  readonly #sessions = new Map<string, SessionTally>()

  /** @param headroom the factor by which limits are above what is usual, at least 1 */
  constructor(headroom = 1.5) {
    this.#headroom = headroom
  }

  add(event: RecordedEvent): void {
    let session = this.#sessions.get(event.sessionId)
    if (session === undefined) {
      session = { calls: new Set(), attempts: 0, toolCalls: 0, perTool: new Map() }
      this.#sessions.set(event.sessionId, session)
    }
    if (event.callId !== null) session.calls.add(event.callId)
    session.attempts = Math.max(session.attempts, event.attempt, session.calls.size)
    if (!event.isExecution) return
    session.toolCalls++
    session.perTool.set(event.toolName, (session.perTool.get(event.toolName) ?? 0) + 1)
  }

  report(): BaselineReport {
    const sessions = [...this.#sessions.values()]
    const byTool = new Map<string, number[]>()
    for (const { perTool } of sessions)
      for (const [tool, count] of perTool) {
        const counts = byTool.get(tool)
        if (counts === undefined) byTool.set(tool, [count])
        else counts.push(count)
      }
    return {
      sessions: sessions.length,
      attempts: this.#spread(sessions.map(({ attempts }) => attempts)),
      toolCalls: this.#spread(sessions.map(({ toolCalls }) => toolCalls)),
      tools: [...byTool]
        .map(([tool, counts]) => ({ tool, sessions: counts.length, ...this.#spread(counts) }))
        .toSorted((left, right) => right.most - left.most || (left.tool < right.tool ? -1 : 1)),
    }
  }

  #spread(counts: readonly number[]): Spread {
    return {
      median: percentile(counts, 0.5),
      p99: percentile(counts, 0.99),
      most: percentile(counts, 1),
      limit: suggestLimit(counts, this.#headroom),
    }
  }
}
