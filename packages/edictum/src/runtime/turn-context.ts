// What the calls of one turn share.
import type { ReplayControl } from './replay-control.js'
import type { CallerOptions } from './runtime-guard.js'
import type { TurnBudget } from './turn-budget.js'
import type { TurnState } from './turn-state.js'

export interface TurnContext {
  readonly sessionId: string
  readonly budget: TurnBudget
  readonly state: TurnState
  readonly replay: ReplayControl
  /** Aborted when the turn is cancelled. */
  readonly signal: AbortSignal
  readonly caller: CallerOptions
  /** The place of the next call among the calls of the turn. */
  nextCallIndex(): number
  /** The call's own id, told apart from an earlier call with the same one. */
  traceIdFor(callId: string, callIndex: number): string
  /** Has the call ended when the turn is cancelled; answers how to take that back. */
  onCancel(cancel: (reason: Error) => void): () => void
}
