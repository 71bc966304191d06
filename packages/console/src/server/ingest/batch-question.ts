// What the server asks the thread that reads batches, and what it answers.
import type { ErrorCode, FieldFault } from '../../protocol/error.js'
import type { AgentManifest, EventPiece } from './event-batch.js'
import type { EventSender } from './read-event.js'

export type Question =
  | {
      readonly kind: 'open'
      readonly number: number
      readonly batch: number
      readonly bytes: Uint8Array
      readonly sender: EventSender
    }
  | { readonly kind: 'next'; readonly number: number; readonly batch: number }
  /** Has no answer. */
  | { readonly kind: 'drop'; readonly batch: number }

export interface Opened {
  readonly size: number
  readonly manifest: AgentManifest | undefined
  /** Most batches have one. */
  readonly piece: EventPiece
}

/** A `Problem`, as it can be sent from thread to thread. */
export interface Fault {
  readonly status: number
  readonly code: ErrorCode
  readonly detail: string
  readonly errors: readonly FieldFault[] | undefined
}

export type Reply = { readonly number: number } & (
  { readonly result: Opened | EventPiece } | { readonly fault: Fault } | { readonly error: string }
)
