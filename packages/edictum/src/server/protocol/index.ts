// The public surface of `edictum/server/protocol`: what the client and the console say to each other. No code of either.
export {
  type Approval,
  type ApprovalCreate,
  type ApprovalDecide,
  approvalStatuses,
  type ApprovalStatus,
} from './approvals.js'
export type {
  BundleAcknowledgement,
  BundleManifest,
  BundleNotice,
  BundleSignature,
  CurrentBundle,
} from './bundles.js'
export { type ErrorBody, type ErrorCode, errorCodes, type FieldFault } from './error.js'
export type { EventBatch, EventReceipt, RejectedEvent, WireEvent } from './events.js'
export type {
  Reservation,
  ReservationRequest,
  SessionBatchGet,
  SessionCounters,
  SessionGet,
  SessionIncrement,
  SessionLimitValues,
  SessionNumber,
  SessionSet,
  SessionValue,
  SessionValues,
  Settlement,
  Slot,
} from './sessions.js'
export { approvalDecidedEvent, type ApprovalNotice, bundleUpdatedEvent } from './streams.js'
export { agentHeader, idempotencyHeader, policyVersionHeader, protocolPrefix } from './version.js'
