// What one turn has found out so far. Late results stop here: only the transition out of `running` may write anything,
// and it happens once.
import type { ToolOutcome } from './outcome.js'

export type TraceStatus = 'running' | 'complete' | 'timed_out' | 'cancelled'

export interface ToolTrace {
  readonly toolName: string
  readonly status: TraceStatus
}

/** A source a tool used. */
export interface Citation {
  readonly kind: 'local' | 'web'
  readonly source: string
}

export interface TokenUsage {
  readonly input?: number
  readonly output?: number
  readonly cacheRead?: number
  readonly cacheCreation?: number
}

export class TurnState {
  readonly sessionId: string
  readonly #traces = new Map<string, ToolTrace>()
  readonly #results: ToolOutcome[] = []
  readonly #blocked = new Set<string>()
  readonly #repairs = new Map<string, number>()
  readonly #citations = new Map<string, Citation>()
  #tokens: Required<TokenUsage> = { input: 0, output: 0, cacheRead: 0, cacheCreation: 0 }
  #isOpen = true
  #running = 0

  constructor(sessionId: string) {
    this.sessionId = sessionId
  }

  get toolTrace(): ReadonlyMap<string, ToolTrace> {
    return this.#traces
  }

  get toolResults(): readonly ToolOutcome[] {
    return this.#results
  }

  get blockedToolNames(): ReadonlySet<string> {
    return this.#blocked
  }

  get citations(): readonly Citation[] {
    return [...this.#citations.values()]
  }

  get tokens(): Required<TokenUsage> {
    return this.#tokens
  }

  /** Calls under way. */
  get running(): number {
    return this.#running
  }

  isAcceptingWrites(): boolean {
    return this.#isOpen
  }

  /** Seals everything: the turn is over. */
  closeWrites(): void {
    this.#isOpen = false
  }

  setTraceRunning(traceId: string, toolName: string): void {
    if (!this.#isOpen || this.#traces.has(traceId)) return
    this.#traces.set(traceId, { toolName, status: 'running' })
    this.#running++
  }

  isRunning(traceId: string): boolean {
    return this.#isOpen && this.#traces.get(traceId)?.status === 'running'
  }

  /** False when the call is over already or the turn is closed: then nothing of its result may be used. */
  completeTrace(traceId: string): boolean {
    return this.#end(traceId, 'complete')
  }

  markTraceTimedOut(traceId: string): boolean {
    return this.#end(traceId, 'timed_out')
  }

  markTraceCancelled(traceId: string): boolean {
    return this.#end(traceId, 'cancelled')
  }

  blockTool(toolName: string): void {
    if (this.#isOpen) this.#blocked.add(toolName)
  }

  /** How often the arguments of a call have been repaired, this time included. */
  incrementRepair(traceId: string): number {
    const count = this.repairCount(traceId) + 1
    if (this.#isOpen) this.#repairs.set(traceId, count)
    return count
  }

  repairCount(traceId: string): number {
    return this.#repairs.get(traceId) ?? 0
  }

  recordToolResult(outcome: ToolOutcome): void {
    if (this.#isOpen) this.#results.push(outcome)
  }

  addCitation(citation: Citation): void {
    if (this.#isOpen)
      this.#citations.set(`${citation.kind} ${citation.source}`, Object.freeze({ ...citation }))
  }

  addTokens(usage: TokenUsage): void {
    if (!this.#isOpen) return
    const { input, output, cacheRead, cacheCreation } = this.#tokens
    this.#tokens = {
      input: input + (usage.input ?? 0),
      output: output + (usage.output ?? 0),
      cacheRead: cacheRead + (usage.cacheRead ?? 0),
      cacheCreation: cacheCreation + (usage.cacheCreation ?? 0),
    }
  }

  #end(traceId: string, status: TraceStatus): boolean {
    const trace = this.#traces.get(traceId)
    if (!this.#isOpen || trace?.status !== 'running') return false
    this.#traces.set(traceId, { toolName: trace.toolName, status })
    this.#running--
    return true
  }
}
