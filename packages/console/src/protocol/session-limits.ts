// How far sessions are from the limits of the contracts they run under.
//
//   GET /api/edictum/v1/session-limits             → NearLimits: the sessions last heard of that are near one
//   GET /api/edictum/v1/session-limits?session_id= → NearLimits of one session, however far it is

export interface NearLimits {
  /** The nearest first. */
  readonly sessions: readonly SessionAgainstLimits[]
  /** From which part of a limit on a session is near it. */
  readonly near_from: number
}

export interface SessionAgainstLimits {
  readonly session_id: string
  readonly agent_id: string
  readonly env: string
  readonly last_at: string
  /** The version whose limits these are; null when the one the session runs under is not stored here. */
  readonly contract_version: { readonly name: string; readonly version: number } | null
  /** Empty when the limits are not known. */
  readonly counters: readonly LimitedCounter[]
}

export interface LimitedCounter {
  readonly limit_name: 'max_attempts' | 'max_tool_calls' | 'max_calls_per_tool'
  /** With `max_calls_per_tool`. */
  readonly tool_name: string | null
  readonly count: number
  readonly limit: number
  /** No contract sets it: it is what a guard does unless its program says otherwise. */
  readonly is_default: boolean
}
