// A call as a record tells it: what was asked for, for whom, and what became of it.
import type { SessionCounts } from '../guard/call-judge.js'

/** `would_deny`: it ran, because the contract or the guard only observed. */
export type RecordedVerdict = 'allow' | 'deny' | 'approve' | 'would_deny'

export interface RecordedCall {
  readonly toolName: string
  /** As recorded: secrets are masked and long texts cut. */
  readonly args: Readonly<Record<string, unknown>>
  readonly environment: string
  readonly principal: Readonly<Record<string, unknown>> | null
  readonly verdict: RecordedVerdict
  readonly decidedBy: string | null
  readonly callId: string | null
  /** Counters before the call, where the record has them. */
  readonly session?: SessionCounts
}
