// Defined in the library, whose client speaks it; one definition for both sides.
export type { EventBatch, EventReceipt, RejectedEvent, WireEvent } from 'edictum/server/protocol'
