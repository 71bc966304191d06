// Where decisions are written down.
import type { AuditEvent } from './audit-event.js'

export interface AuditSink {
  /** Resolves when the event is as safe as this sink makes it. A rejection is a failure to record. */
  emit(event: AuditEvent): Promise<void> | void
  /** Writes what is still waiting and lets go of resources. */
  close?(): Promise<void> | void
}
