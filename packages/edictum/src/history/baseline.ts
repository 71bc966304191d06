// What is usual in a log: how much sessions do, and limits with room above that.
import type { SessionLimits } from '../contracts/bundle.js'
import type { RecordedEvent } from './audit-log.js'

/** How a number is spread over sessions. */
export interface Spread {
  readonly median: number
  /** Ninety-five of a hundred sessions stay at or below it. */
  readonly p95: number
  readonly most: number
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
  readonly #sessions = new Map<string, SessionTally>()

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
      attempts: spreadOf(sessions.map(({ attempts }) => attempts)),
      toolCalls: spreadOf(sessions.map(({ toolCalls }) => toolCalls)),
      tools: [...byTool]
        .map(([tool, counts]) => ({ tool, sessions: counts.length, ...spreadOf(counts) }))
        .toSorted((left, right) => right.most - left.most || (left.tool < right.tool ? -1 : 1)),
    }
  }
}

function spreadOf(numbers: readonly number[]): Spread {
  const sorted = numbers.toSorted((left, right) => left - right)
  const at = (part: number) => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0
  return { median: at(0.5), p95: at(0.95), most: at(1) }
}

/**
 * Limits above everything that was seen, by a factor of at least 1. A session that did nothing unusual stays below them;
 * one that runs in circles does not.
 */
export function suggestLimits(report: BaselineReport, headroom: number): SessionLimits {
  const above = (most: number) => Math.max(most + 1, Math.ceil(most * headroom))
  return {
    maxToolCalls: above(report.toolCalls.most),
    maxAttempts: above(report.attempts.most),
    ...(report.tools.length === 0
      ? {}
      : { maxCallsPerTool: new Map(report.tools.map(({ tool, most }) => [tool, above(most)])) }),
  }
}
