// Audit events on their way to the server: written to files of this machine before anything else happens, read from there
// in order, and removed when the server has them. What is in the spool survives the process.
import { statSync } from 'node:fs'
import { appendFile, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Durability, LineFile } from '../drivers/audit/line-file.js'
import { longestWireLine } from '../guard/ports/audit-event.js'
import { messageOf } from '../internal/message-of.js'
import { nextTurn } from '../internal/platform.js'
import { EdictumServerError } from './server-error.js'
import { SpoolOwner } from './spool-owner.js'
import { ensureStateFolder } from './state-folder.js'

export interface AuditSpoolOptions {
  readonly folder: string
  /** Bound of all files of this process together. */
  readonly maxBytes: number
  readonly durability: Durability
}

interface Segment {
  readonly path: string
  /** Absent for files of a process that is gone. */
  readonly file: LineFile<string> | undefined
  /** Room it takes, lines on their way included. */
  bytes: number
  /** Lines on their way. */
  pending: number
  /** How far the server has it. */
  sentBytes: number
}

export interface SpooledLines {
  readonly lines: readonly string[]
  readonly segment: Segment
  readonly endsAt: number
}

const segmentBytes = 1_048_576
/** A file that was sent is removed rather than filled when it takes this part of the bound, or has this size. */
const worthRemoving = { part: 0.1, bytes: 65_536 }
/** Events are made longer by who sent them. */
const longestLine = longestWireLine + 512
const readBytes = 4_194_304
const newline = 0x0a

export class AuditSpool {
  readonly #options: AuditSpoolOptions
  readonly #owner: SpoolOwner
  /** Oldest first; the last one is written to. */
  readonly #segments: Segment[] = []
  #active: Segment | undefined

  /** @throws EdictumConfigError when the folder is not safe. */
  constructor(options: AuditSpoolOptions) {
    this.#options = options
    ensureStateFolder(options.folder)
    this.#owner = new SpoolOwner(options.folder)
    for (const path of this.#owner.takeOver()) {
      this.#segments.push({ path, file: undefined, bytes: statSync(path).size, pending: 0, sentBytes: 0 })
    }
  }

  /** What the server does not have yet. */
  get waitingBytes(): number {
    return this.#segments.reduce((sum, { bytes, sentBytes }) => sum + Math.max(0, bytes - sentBytes), 0)
  }

  get isBeingWritten(): boolean {
    return this.#segments.some(({ pending }) => pending > 0)
  }

  /**
   * Resolves when the line is in a file.
   * @param room how much of the bound this line may use, from 0 to 1
   * @throws EdictumServerError `spool-full` or `spool-failed`; nothing was recorded then.
   */
  async append(line: string, room: number): Promise<void> {
    const bytes = Buffer.byteLength(line) + 1
    const { maxBytes, folder } = this.#options
    const used = this.#segments.reduce((sum, segment) => sum + segment.bytes, 0)
    if (used + bytes > maxBytes * room) {
      throw new EdictumServerError(`the audit spool ${folder} is full: the server has been away too long`, {
        code: 'spool-full',
      })
    }
    let segment: Segment | undefined
    try {
      segment = this.#segmentFor(bytes)
      await segment.file?.append(line)
    } catch (error) {
      if (segment !== undefined) segment.bytes -= bytes
      throw new EdictumServerError(`the audit spool cannot be written: ${messageOf(error)}`, {
        code: 'spool-failed',
        cause: error,
      })
    } finally {
      if (segment !== undefined) segment.pending--
    }
  }

  /** The oldest lines the server does not have; undefined when there is none to be sent now. */
  async peek(mostLines: number): Promise<SpooledLines | undefined> {
    for (const segment of [...this.#segments]) {
      // What comes after must not overtake what is being written.
      while (segment !== this.#active && segment.pending > 0) await nextTurn()
      const found = await readLines(segment, mostLines)
      if (found !== undefined) return found
      if (segment === this.#active) return undefined
      await this.#removeIfSent(segment)
    }
    return undefined
  }

  /** The server has these. */
  async confirm({ segment, endsAt }: SpooledLines): Promise<void> {
    segment.sentBytes = endsAt
    await this.#removeIfSent(segment)
  }

  /** What the server will never take is kept beside the spool, for a person to look at. */
  async setAside(line: string, reason: string): Promise<void> {
    const record = JSON.stringify({ rejected: reason, event: line })
    await appendFile(join(this.#options.folder, 'rejected.jsonl'), `${record}\n`, { mode: 0o600 })
  }

  /** Lets go of the files. What was not sent waits for the next process. */
  async close(): Promise<void> {
    this.#active = undefined
    for (const segment of this.#segments) {
      await segment.file?.close()
      if ((await readLines(segment, 1)) === undefined) await rm(segment.path, { force: true })
    }
    this.#owner.leave()
  }

  #segmentFor(bytes: number): Segment {
    let segment = this.#active
    if (segment === undefined || segment.bytes + bytes > segmentBytes) {
      const path = this.#owner.nextSegment(Date.now())
      const { durability } = this.#options
      const file = new LineFile<string>(path, {
        toLine: (line) => line,
        longestLine,
        durability,
        what: 'the audit spool',
      })
      segment = { path, file, bytes: 0, pending: 0, sentBytes: 0 }
      this.#active = segment
      this.#segments.push(segment)
    }
    segment.bytes += bytes
    segment.pending++
    return segment
  }

  async #removeIfSent(segment: Segment): Promise<void> {
    if (segment.pending > 0 || segment.sentBytes < segment.bytes) {
      // The rest of a file of a process that is gone, if it is not a line, was never recorded.
      const isScrap = segment.file === undefined && (await readLines(segment, 1)) === undefined
      if (!isScrap) return
    }
    if (segment === this.#active) {
      const { part, bytes } = worthRemoving
      if (segment.bytes < Math.min(bytes, this.#options.maxBytes * part)) return
      this.#active = undefined
    }
    this.#segments.splice(this.#segments.indexOf(segment), 1)
    await segment.file?.close()
    await rm(segment.path, { force: true })
  }
}

/** Complete lines only. */
async function readLines(segment: Segment, mostLines: number): Promise<SpooledLines | undefined> {
  const file = await open(segment.path, 'r')
  try {
    const { size } = await file.stat()
    const length = Math.min(size - segment.sentBytes, readBytes)
    if (length <= 0) return undefined
    const buffer = Buffer.allocUnsafe(length)
    const { bytesRead } = await file.read(buffer, 0, length, segment.sentBytes)
    const lines: string[] = []
    let start = 0
    while (lines.length < mostLines) {
      const end = buffer.indexOf(newline, start)
      if (end === -1 || end >= bytesRead) break
      // A full disk or a crash leaves scraps of lines that were never recorded, and an empty line behind them.
      if (end > start) lines.push(buffer.toString('utf8', start, end))
      start = end + 1
    }
    return start === 0 ? undefined : { lines, segment, endsAt: segment.sentBytes + start }
  } finally {
    await file.close()
  }
}
