// GET /api/edictum/v1/overview?since=…&env=… → Overview: what is going on, counted by the server.

export interface Overview {
  readonly since: string
  readonly until: string
  readonly bucket_seconds: number
  readonly totals: OverviewTotals
  /** One entry per bucket, also for those in which nothing happened. */
  readonly buckets: readonly OverviewBucket[]
  /** Denials per bucket, of those that denied most. */
  readonly denials_by_contract: readonly DenialSeries[]
  readonly denials_by_tool: readonly DenialSeries[]
  readonly top_denied: readonly TopDenied[]
  readonly agents: readonly OverviewAgent[]
  readonly pending_approvals: number
}

export interface OverviewTotals {
  /** Calls that were decided: allowed or denied. */
  readonly decided: number
  readonly denied: number
  readonly would_deny: number
  readonly asked: number
  readonly failed: number
}

export interface OverviewBucket {
  readonly start: string
  readonly allowed: number
  readonly denied: number
}

export interface DenialSeries {
  readonly name: string
  /** One number per bucket. */
  readonly denied: readonly number[]
}

export interface TopDenied {
  readonly tool_name: string
  readonly contract: string
  readonly events: number
  readonly last_at: string
}

export interface OverviewAgent {
  readonly agent_id: string
  readonly env: string
  readonly last_seen_at: string
  readonly policy_version: string | null
}
