import type { Approval } from 'edictum/server/protocol'

// Defined in the library, whose client speaks it; one definition for both sides.
export {
  type Approval,
  type ApprovalCreate,
  type ApprovalDecide,
  approvalStatuses,
  type ApprovalStatus,
} from 'edictum/server/protocol'

//   GET  /api/edictum/v1/approvals?status=…  → ApprovalList: those that wait, or a page of those that are settled

/** What waits comes in the order of its deadlines; what is settled newest first. */
export interface ApprovalList {
  readonly approvals: readonly Approval[]
  /** How many wait, whatever is listed. */
  readonly pending: number
  /** Leads to the next page; null on the last. */
  readonly next_cursor: string | null
}
