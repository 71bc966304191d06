// One line of JSON per event on standard output, for containers and pipes.
import { type AuditEvent, toWireLine } from '../../guard/ports/audit-event.js'
import type { AuditSink } from '../../guard/ports/audit-sink.js'

export interface StdoutAuditSinkOptions {
  /** Stays the caller's: it is never ended. @default process.stdout */
  readonly stream?: NodeJS.WritableStream
}

/** An emit resolves when the stream has passed its line on, so that a slow reader slows its writers down. */
export class StdoutAuditSink implements AuditSink {
  readonly #stream: NodeJS.WritableStream

  constructor(options: StdoutAuditSinkOptions = {}) {
    this.#stream = options.stream ?? process.stdout
  }

  emit(event: AuditEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stream.write(`${toWireLine(event)}\n`, (error) => {
        if (error === undefined || error === null) return resolve()
        // The stream is about to announce the same error as an event, which without a listener ends the process.
        if (this.#stream.listenerCount('error') === 0) this.#stream.once('error', () => {})
        reject(error)
      })
    })
  }
}
