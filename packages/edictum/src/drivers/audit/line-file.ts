// Appends lines to a file: in the order they were given, in few large writes, and with an answer for every line that tells
// whether it is in the file.
import { close, fdatasync, fstatSync, closeSync, openSync, readSync, write } from 'node:fs'
import { promisify } from 'node:util'
import { EdictumConfigError } from '../../contracts/config-error.js'
import { messageOf } from '../../internal/message-of.js'

/**
 * What an append waits for: `written`, the operating system has the line and only a crash of the machine can lose it;
 * `synced`, the disk has it.
 */
export type Durability = 'written' | 'synced'

export interface LineFileOptions<Item> {
  /** Made when there is room for it, and only then: texts are larger than what they are made from. */
  readonly toLine: (item: Item) => string
  /** In characters, without the newline. */
  readonly longestLine: number
  readonly durability: Durability
  /** What the file is, for messages. */
  readonly what: string
}

interface OpenFile {
  readonly descriptor: number
  /** A line was cut off by a crash or a full disk; the next one must not become a part of it. */
  endsInsideLine: boolean
}

interface WaitingItem<Item> {
  readonly item: Item
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

const newline = 0x0a
/** All the text a file holds at a time. Items that do not fit wait as they are for the next write. */
const bufferBytes = 524_288

const writeBytes = promisify(write)
const syncData = promisify(fdatasync)
const closeDescriptor = promisify(close)

/** A file of lines, created for its owner alone. Several writers and processes may append to the same file. */
export class LineFile<Item> {
  readonly path: string
  readonly #options: LineFileOptions<Item>
  /** UTF-8 takes at most three bytes for each of JavaScript's characters. */
  readonly #longestLineBytes: number
  readonly #buffer = Buffer.allocUnsafe(bufferBytes)
  #file: OpenFile
  #waiting: WaitingItem<Item>[] = []
  #draining: Promise<void> | undefined
  #batch: Promise<number> | undefined
  #closing: Promise<void> | undefined

  /** @throws EdictumConfigError when the file cannot be opened. */
  constructor(path: string, options: LineFileOptions<Item>) {
    const { durability, what } = options
    if (durability !== 'written' && durability !== 'synced') {
      throw EdictumConfigError.of('invalid-option', "durability must be 'written' or 'synced'")
    }
    this.path = path
    this.#options = options
    this.#longestLineBytes = options.longestLine * 3 + 1
    this.#file = openFile(path, what)
  }

  /** Rejects with the system's error when the line did not get into the file. Later appends try again. */
  append(item: Item): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(this.#closedError())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Starts a new file at the path, after the old one was moved away. What is being written still goes to the old one. */
  async reopen(): Promise<void> {
    if (this.#closing !== undefined) throw this.#closedError()
    const { descriptor } = this.#file
    this.#file = openFile(this.path, this.#options.what)
    await this.#batch
    await closeDescriptor(descriptor)
  }

  /** Waits until everything appended so far has been written or refused. */
  close(): Promise<void> {
    this.#closing ??= this.#finish()
    return this.#closing
  }

  async #finish(): Promise<void> {
    await this.#draining
    await closeDescriptor(this.#file.descriptor)
  }

  async #drain(): Promise<void> {
    // One turn later, so that what comes together is written together.
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
  async #writeBatch(waiting: readonly WaitingItem<Item>[], from: number): Promise<number> {
    const file = this.#file
    const buffer = this.#buffer
    const ends: number[] = []
    let end = 0
    if (file.endsInsideLine) buffer[end++] = newline
    for (let next = waiting[from]; next !== undefined; next = waiting[from + ends.length]) {
      if (end + this.#longestLineBytes > bufferBytes) break
      try {
        end += buffer.write(this.#options.toLine(next.item), end)
        buffer[end++] = newline
      } catch (error) {
        next.reject(error)
      }
      ends.push(end)
    }
    const { written, failure } = await this.#append(file, end)
    for (const [index, lineEnd] of ends.entries()) {
      const owner = waiting[from + index]
      if (lineEnd <= written) owner?.resolve()
      else owner?.reject(failure)
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
        if (bytesWritten === 0) throw new Error(`${this.#options.what} ${this.path} takes no more`)
        written += bytesWritten
      }
    } catch (error) {
      failure = error
    }
    if (written === 0) return { written, failure }
    file.endsInsideLine = this.#buffer[written - 1] !== newline
    try {
      if (this.#options.durability === 'synced') await syncData(file.descriptor)
    } catch (error) {
      return { written: 0, failure: error }
    }
    return { written, failure }
  }

  #closedError(): Error {
    return new Error(`${this.#options.what} ${this.path} is closed`)
  }
}

function openFile(path: string, what: string): OpenFile {
  let descriptor: number
  try {
    descriptor = openSync(path, 'a', 0o600)
  } catch (error) {
    const reason = messageOf(error)
    throw EdictumConfigError.of(
      'invalid-option',
      `${what} ${path} cannot be opened: ${reason}`,
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
