// Appends events to a file, one line of JSON each: in the order they were emitted, and with an answer for every event that
// tells whether its line is in the file.
import { type AuditEvent, longestWireLine, toWireLine } from '../../guard/ports/audit-event.js'
import type { AuditSink } from '../../guard/ports/audit-sink.js'
import { type Durability, LineFile } from './line-file.js'

export interface FileAuditSinkOptions {
  /**
   * What an emit waits for: `written`, the operating system has the line and only a crash of the machine can lose it;
   * `synced`, the disk has it.
   * @default 'written'
   */
  readonly durability?: 'written' | 'synced'
}

/**
 * A file of JSON lines, created for its owner alone. Several sinks and processes may append to the same file. It is
 * not rotated: move it away and call `reopen`.
 */
export class FileAuditSink implements AuditSink, AsyncDisposable {
  readonly path: string
  readonly #file: LineFile<AuditEvent>

  /** @throws EdictumConfigError when the file cannot be opened. */
  constructor(path: string, options: FileAuditSinkOptions = {}) {
    const durability: Durability = options.durability ?? 'written'
    this.path = path
    this.#file = new LineFile(path, {
      toLine: toWireLine,
      longestLine: longestWireLine,
      durability,
      what: 'the audit file',
    })
  }

  /** Rejects with the system's error when the line did not get into the file. Later emits try again. */
  emit(event: AuditEvent): Promise<void> {
    return this.#file.append(event)
  }

  /** Starts a new file at the path, after the old one was moved away. What is being written still goes to the old one. */
  reopen(): Promise<void> {
    return this.#file.reopen()
  }

  /** Waits until everything emitted so far has been written or refused. */
  close(): Promise<void> {
    return this.#file.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
