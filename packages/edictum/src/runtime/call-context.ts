import type { ToolEnvelope } from '../policy/envelope.js'
import type { DeadlineToken } from './deadline-token.js'
import type { ToolContext } from './runtime-tool.js'
import type { Citation } from './turn-state.js'

/** What one call of a tool is given beside its arguments. */
export class CallContext implements ToolContext {
  readonly envelope: ToolEnvelope
  readonly deadline: DeadlineToken
  readonly cite: (citation: Citation) => void

  constructor(envelope: ToolEnvelope, deadline: DeadlineToken, cite: (citation: Citation) => void) {
    this.envelope = envelope
    this.deadline = deadline
    this.cite = cite
  }

  /** The id of the run is that of the session. */
  get sessionId(): string {
    return this.envelope.runId
  }

  get signal(): AbortSignal {
    return this.deadline.signal
  }
}
