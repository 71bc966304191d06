// Sessions of agents, counted from their events.
//
//   GET /api/edictum/v1/agent-sessions       → SessionList, the one last heard of first
//   GET /api/edictum/v1/agent-sessions/{id}  → SessionCounts of one

export interface SessionRow {
  readonly session_id: string
  readonly agent_id: string
  readonly env: string
  readonly first_at: string
  readonly last_at: string
  /** Calls that were asked for, whatever became of them. */
  readonly attempts: number
  /** Calls that ran. */
  readonly executions: number
  readonly denied: number
  readonly failed: number
}

export interface SessionList {
  readonly sessions: readonly SessionRow[]
  /** The counts are of events since then; null when they are of all there are. */
  readonly counted_since: string | null
}

export interface SessionCounts {
  readonly sessions: readonly SessionRow[]
  readonly tools: readonly {
    readonly tool_name: string
    readonly attempts: number
    readonly executions: number
    readonly denied: number
  }[]
  readonly counted_since: string | null
}
