// GET /api/edictum/v1/calibration?since=…&mode=…&env=…&agent_id=… → Calibration: what sessions do, and limits above that.

export interface Calibration {
  readonly since: string
  /** Only what happened after this was counted; null when everything since `since` was. */
  readonly counted_since: string | null
  /** Sessions that were counted from their first event on. */
  readonly sessions: number
  /** Calls that ran, per session: against `max_tool_calls`. */
  readonly executions: CalibratedCount
  /** Calls that were asked for, ran or not, per session: against `max_attempts`. */
  readonly attempts: CalibratedCount
  /** Calls of one tool that ran, per session that used it: against `max_calls_per_tool`. */
  readonly tools: readonly CalibratedTool[]
  /** A bundle with these limits; null when there is nothing to go by. */
  readonly draft: string | null
}

export interface CalibratedCount {
  readonly median: number
  readonly p90: number
  readonly p99: number
  readonly most: number
  /** How many sessions had how many, in stretches of the same length from 0 on. */
  readonly histogram: {
    readonly step: number
    readonly sessions: readonly number[]
  }
  readonly suggested_limit: number
  /** Sessions that would have reached beyond it. */
  readonly beyond: number
}

export interface CalibratedTool extends CalibratedCount {
  readonly tool_name: string
  readonly sessions: number
}
