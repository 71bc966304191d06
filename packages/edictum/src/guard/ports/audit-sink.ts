// Where decisions are written down.
import type { ToolEnvelope } from '../../policy/envelope.js'
import type { AuditEvent } from './audit-event.js'

export interface AuditSink {
  /** Resolves when the event is as safe as this sink makes it. A rejection is a failure to record. */
  emit(event: AuditEvent): Promise<void> | void
  /** Writes what is still waiting and lets go of resources. */
  close?(): Promise<void> | void
  /**
   * For sinks that look at a call as a whole, as tracing does: called when it begins, and what it returns when it is
   * over, exactly once. Told, not asked: what is thrown here changes nothing.
   */
  follow?(call: FollowedCall): ((end: FollowedEnd) => void) | undefined
}

export interface FollowedCall {
  readonly envelope: ToolEnvelope
  readonly policyVersion: string | null
}

/** How a call was decided and how it ended. Texts are redacted. */
export type FollowedEnd =
  | { readonly action: 'denied'; readonly reason: string }
  | {
      readonly action: 'allowed' | 'would_deny' | 'approved' | 'timeout_allow'
      /** What would have denied it. */
      readonly reason: string | null
      readonly toolSuccess: boolean
      /** Null when there was no output to look at. */
      readonly postconditionsPassed: boolean | null
    }
