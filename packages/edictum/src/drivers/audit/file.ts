// Appends events to a file, one line of JSON each: in the order they were emitted, in few large writes, and with an
// answer for every event that tells whether its line is in the file.
import { messageOf } from '../../internal/message-of.js'
import { close, fdatasync, fstatSync, closeSync, openSync, readSync, write } from 'node:fs'
import { promisify } from 'node:util'
import { EdictumConfigError } from '../../contracts/config-error.js'
import { type AuditEvent, longestWireLine, toWireLine } from '../../guard/ports/audit-event.js'
import type { AuditSink } from '../../guard/ports/audit-sink.js'

export interface FileAuditSinkOptions {
  /**
   * What an emit waits for: `written`, the operating system has the line and only a crash of the machine can lose it;
   * `synced`, the disk has it.
   * @default 'written'
   */
  readonly durability?: 'written' | 'synced'
}

interface OpenFile {
  readonly descriptor: number
  /** A line was cut off by a crash or a full disk; the next one must not become a part of it. */
  endsInsideLine: boolean
}

interface WaitingEmit {
  readonly event: AuditEvent
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

const newline = 0x0a
/** UTF-8 takes at most three bytes for each of JavaScript's characters. */
const longestLineBytes = longestWireLine * 3 + 1
/** All the text a sink holds at a time. Events that do not fit wait as they are for the next write. */
const bufferBytes = 524_288

const writeBytes = promisify(write)
const syncData = promisify(fdatasync)
const closeDescriptor = promisify(close)

/**
 * A file of JSON lines, created for its owner alone. Several sinks and processes may append to the same file. It is
 * not rotated: move it away and call `reopen`.
 */
export class FileAuditSink implements AuditSink, AsyncDisposable {
  readonly path: string
  readonly #durability: 'written' | 'synced'
  readonly #buffer = Buffer.allocUnsafe(bufferBytes)
  #file: OpenFile
  #waiting: WaitingEmit[] = []
  #draining: Promise<void> | undefined
  #batch: Promise<number> | undefined
  #closing: Promise<void> | undefined

  /** @throws EdictumConfigError when the file cannot be opened. */
  constructor(path: string, options: FileAuditSinkOptions = {}) {
    const { durability = 'written' } = options
    if (durability !== 'written' && durability !== 'synced') {
      throw EdictumConfigError.of('invalid-option', "durability must be 'written' or 'synced'")
    }
    this.path = path
    this.#durability = durability
    this.#file = openFile(path)
  }

  /** Rejects with the system's error when the line did not get into the file. Later emits try again. */
  emit(event: AuditEvent): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(this.#closedError())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ event, resolve, reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Starts a new file at the path, after the old one was moved away. What is being written still goes to the old one. */
  async reopen(): Promise<void> {
    if (this.#closing !== undefined) throw this.#closedError()
    const { descriptor } = this.#file
    this.#file = openFile(this.path)
    await this.#batch
    await closeDescriptor(descriptor)
  }

  /** Waits until everything emitted so far has been written or refused. */
  close(): Promise<void> {
    this.#closing ??= this.#finish()
    return this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #finish(): Promise<void> {
    await this.#draining
    await closeDescriptor(this.#file.descriptor)
  }

  async #drain(): Promise<void> {
    // One turn later, so that events emitted together are written together.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting
      this.#waiting = []
      for (let next = 0; next < waiting.length;) {
        this.#batch = this.#writeBatch(waiting, next)
        next = await this.#batch
      }
    }
    this.#draining = undefined
  }

  /** Writes as many lines as the buffer takes and returns the position of the first that is left. */
  async #writeBatch(waiting: readonly WaitingEmit[], from: number): Promise<number> {
    const file = this.#file
    const buffer = this.#buffer
    const ends: number[] = []
    let end = 0
    if (file.endsInsideLine) buffer[end++] = newline
    for (let emit = waiting[from]; emit !== undefined; emit = waiting[from + ends.length]) {
      if (end + longestLineBytes > bufferBytes) break
      try {
        end += buffer.write(toWireLine(emit.event), end)
        buffer[end++] = newline
      } catch (error) {
        emit.reject(error)
      }
      ends.push(end)
    }
    const { written, failure } = await this.#append(file, end)
    for (const [index, lineEnd] of ends.entries()) {
      const emit = waiting[from + index]
      if (lineEnd <= written) emit?.resolve()
      else emit?.reject(failure)
    }
    return from + ends.length
  }

  /** How many bytes of the buffer are as safe as was asked for, and what kept the others from it. */
  async #append(
    file: OpenFile,
    end: number,
  ): Promise<{ readonly written: number; readonly failure?: unknown }> {
    let written = 0
    let failure: unknown
    try {
      while (written < end) {
        const { bytesWritten } = await writeBytes(file.descriptor, this.#buffer, written, end - written, null)
        if (bytesWritten === 0) throw new Error(`the audit file ${this.path} takes no more`)
        written += bytesWritten
      }
    } catch (error) {
      failure = error
    }
    if (written === 0) return { written, failure }
    file.endsInsideLine = this.#buffer[written - 1] !== newline
    try {
      if (this.#durability === 'synced') await syncData(file.descriptor)
    } catch (error) {
      return { written: 0, failure: error }
    }
    return { written, failure }
  }

  #closedError(): Error {
    return new Error(`the audit file ${this.path} is closed`)
  }
}

function openFile(path: string): OpenFile {
  let descriptor: number
  try {
    descriptor = openSync(path, 'a', 0o600)
  } catch (error) {
    const reason = messageOf(error)
    throw EdictumConfigError.of(
      'invalid-option',
      `the audit file ${path} cannot be opened: ${reason}`,
      'its folder must exist and be writable; only the file itself is created',
    )
  }
  return { descriptor, endsInsideLine: endsInsideLine(path, descriptor) }
}

function endsInsideLine(path: string, descriptor: number): boolean {
  const status = fstatSync(descriptor)
  if (!status.isFile() || status.size === 0) return false
  const last = Buffer.alloc(1, newline)
  try {
    const reader = openSync(path, 'r')
    try {
      readSync(reader, last, 0, 1, status.size - 1)
    } finally {
      closeSync(reader)
    }
  } catch {
    // A file that may be written but not read is taken to be whole.
  }
  return last[0] !== newline
}
