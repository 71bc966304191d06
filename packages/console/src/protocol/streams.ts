// Defined in the library, whose client speaks it; one definition for both sides.
export { approvalDecidedEvent, type ApprovalNotice, bundleUpdatedEvent } from 'edictum/server/protocol'
