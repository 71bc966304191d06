// Defined in the library, whose client speaks it; one definition for both sides.
export {
  type Approval,
  type ApprovalCreate,
  type ApprovalDecide,
  approvalStatuses,
  type ApprovalStatus,
} from 'edictum/server/protocol'
