// Approvals over HTTP.
//
//   POST /api/edictum/v1/approvals              ApprovalCreate → Approval (201; takes an Idempotency-Key)
//   GET  /api/edictum/v1/approvals/{id}?wait=S  → Approval, as soon as it is not pending or after S seconds (at most 25)
//   GET  /api/edictum/v1/approvals?status=…     → ApprovalList: those that wait, or a page of those that are settled
//   POST /api/edictum/v1/approvals/{id}/cancel  → Approval: the caller no longer waits
//   POST /api/edictum/v1/approvals/{id}/decide  ApprovalDecide → Approval; 409 when it is no longer pending

export interface ApprovalCreate {
  readonly tool_name: string
  readonly tool_args: Readonly<Record<string, unknown>>
  readonly message: string
  /** Seconds, fractions allowed. */
  readonly timeout: number
  readonly timeout_effect: 'deny' | 'allow'
  /** SHA-256 over the canonical form of tool name and arguments: what a decision is bound to. */
  readonly args_hash: string
  readonly principal?: Readonly<Record<string, unknown>> | null
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly session_id?: string | null
  readonly contract_name?: string | null
}

export interface ApprovalDecide {
  readonly decision: 'approved' | 'denied'
  /** Must be the hash the approval was created with, so that nobody decides on something else than they saw. */
  readonly args_hash?: string
  readonly reason?: string
}

export const approvalStatuses = ['pending', 'approved', 'denied', 'timeout', 'cancelled'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

export interface Approval {
  readonly id: string
  readonly status: ApprovalStatus
  readonly agent_id: string
  readonly env: string
  readonly tool_name: string
  readonly tool_args: Readonly<Record<string, unknown>>
  readonly args_hash: string
  readonly message: string
  readonly timeout_seconds: number
  readonly timeout_effect: 'deny' | 'allow'
  readonly principal: Readonly<Record<string, unknown>> | null
  readonly metadata: Readonly<Record<string, unknown>>
  readonly session_id: string | null
  readonly decision_source: string | null
  readonly contract_name: string | null
  readonly created_at: string
  readonly expires_at: string
  readonly decided_by: string | null
  readonly decided_at: string | null
  readonly decision_reason: string | null
  readonly decided_via: string | null
}

/** What waits comes in the order of its deadlines; what is settled newest first. */
export interface ApprovalList {
  readonly approvals: readonly Approval[]
  /** How many wait, whatever is listed. */
  readonly pending: number
  /** Leads to the next page; null on the last. */
  readonly next_cursor: string | null
}
