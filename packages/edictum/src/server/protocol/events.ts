// Audit events over HTTP.
//
//   POST /api/edictum/v1/events  EventBatch → EventReceipt
//
// The body may be gzipped. Everything in the receipt is durable; what is sent again is counted as a duplicate.

/** Snake_case fields of an audit event, as the library writes them. */
export type WireEvent = Readonly<Record<string, unknown>>

export interface EventBatch {
  readonly events: readonly WireEvent[]
}

export interface EventReceipt {
  readonly accepted: number
  readonly duplicates: number
  /** Absent when every event was taken. Sending a rejected event again will not help. */
  readonly rejected?: readonly RejectedEvent[]
}

export interface RejectedEvent {
  /** Position in the batch, from 0. */
  readonly index: number
  readonly reason: string
}
