// Audit events on the console. An emit is answered when the event is in the spool on this machine's disk; from there it is
// sent in batches, in order, again and again until the server has it. The server knows an event by its content, so what
// is sent twice is stored once.
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { EdictumConfigError } from '../contracts/config-error.js'
import { AuditAction, type AuditEvent, toWireLine } from '../guard/ports/audit-event.js'
import type { AuditSink } from '../guard/ports/audit-sink.js'
import { AuditSpool, type SpooledLines } from './audit-spool.js'
import { Backoff } from './backoff.js'
import { problemReporter, type ReportProblem } from './problem.js'
import type { EventReceipt } from './protocol/events.js'
import type { EdictumServerClient } from './server-client.js'
import { EdictumServerError, isPassing } from './server-error.js'

export interface ServerAuditSinkOptions {
  /** Created for its owner alone. Processes may share it; what a process left behind is sent by the next one. */
  readonly spoolFolder: string
  /**
   * Bound of the spool. When it is reached, emits fail and the guard denies: nothing runs that is not on record. A tenth is
   * kept for the ends of calls that are running.
   * @default 268435456
   */
  readonly maxSpoolBytes?: number
  /** So many events are sent without waiting for more. @default 50 */
  readonly batchSize?: number
  /** How long an event waits for others. @default 1000 */
  readonly flushIntervalMs?: number
  /** How long `close` tries to deliver. @default 10000 */
  readonly closeTimeoutMs?: number
  /** `synced` waits for the disk, `written` for the operating system. @default 'written' */
  readonly durability?: 'written' | 'synced'
  /** @default a warning of the process */
  readonly onProblem?: ReportProblem
}

export const serverAuditSinkDefaults = {
  maxSpoolBytes: 268_435_456,
  batchSize: 50,
  flushIntervalMs: 1_000,
  closeTimeoutMs: 10_000,
  durability: 'written',
} as const

/** The server names every rejected event of a request of this size. */
const mostPerRequest = 1_000
/** Of the bound, for events that let a call run; the others may use all of it. */
const roomForAdmissions = 0.9
const endings: ReadonlySet<AuditAction> = new Set([
  AuditAction.CALL_EXECUTED,
  AuditAction.CALL_FAILED,
  AuditAction.LATE_RESULT_DISCARDED,
])

const compress = promisify(gzip)

export class ServerAuditSink implements AuditSink, AsyncDisposable {
  readonly #client: EdictumServerClient
  readonly #settings: Required<Omit<ServerAuditSinkOptions, 'onProblem' | 'spoolFolder'>>
  readonly #report: ReportProblem
  readonly #spool: AuditSpool
  readonly #backoff = new Backoff({ firstMs: 500, longestMs: 60_000 })
  /** Emits since the last sending began. */
  #unsent = 0
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #closing: Promise<void> | undefined
  /** What was reported, so that an outage is reported once. */
  #reported: string | undefined

  /** @throws EdictumConfigError when the spool cannot be used. */
  constructor(client: EdictumServerClient, options: ServerAuditSinkOptions) {
    const { spoolFolder, onProblem, ...settings } = options
    this.#client = client
    this.#settings = { ...serverAuditSinkDefaults, ...settings }
    this.#report = problemReporter(onProblem)
    for (const name of ['maxSpoolBytes', 'batchSize', 'flushIntervalMs', 'closeTimeoutMs'] as const) {
      if (!(this.#settings[name] > 0))
        throw EdictumConfigError.of('invalid-option', `${name} must be a number above 0`)
    }
    const { maxSpoolBytes, durability } = this.#settings
    this.#spool = new AuditSpool({ folder: spoolFolder, maxBytes: maxSpoolBytes, durability })
    // What an earlier process left is older than everything to come.
    if (this.#spool.waitingBytes > 0) this.#plan(0)
  }

  /** Events on this machine that the server does not have, in bytes. */
  get waitingBytes(): number {
    return this.#spool.waitingBytes
  }

  /** Resolves when the event is in the spool. @throws EdictumServerError when it is not: the spool is full or broken. */
  async emit(event: AuditEvent): Promise<void> {
    if (this.#closing !== undefined)
      throw new EdictumServerError('the audit sink is closed', { code: 'closed' })
    const sender = `{"event_id":"${randomUUID()}","agent_id":${JSON.stringify(this.#client.agentId)},`
    const line = sender + toWireLine(event).slice(1)
    await this.#spool.append(line, endings.has(event.action) ? 1 : roomForAdmissions)
    this.#unsent++
    if (this.#reported === undefined)
      this.#plan(this.#unsent >= this.#settings.batchSize ? 0 : this.#settings.flushIntervalMs)
  }

  /** Sends everything emitted so far. @throws EdictumServerError when the server does not take it; it stays in the spool. */
  async flush(): Promise<void> {
    // A sending under way may have looked before the last events were written.
    await this.#sending?.catch(() => undefined)
    await this.#sendAll()
  }

  /**
   * Delivers what is waiting and lets go of the spool.
   * @throws EdictumServerError when the server did not take it in time; the next process that uses the spool sends it.
   */
  close(): Promise<void> {
    this.#closing ??= this.#finish()
    return this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #finish(): Promise<void> {
    const endsAt = performance.now() + this.#settings.closeTimeoutMs
    let failure: unknown
    for (;;) {
      try {
        await this.flush()
        failure = undefined
        if (!this.#spool.isBeingWritten) break
      } catch (error) {
        failure = error
        if (!isPassing(error)) break
      }
      const pauseMs = failure === undefined ? 5 : this.#pauseAfter(failure)
      if (performance.now() + pauseMs >= endsAt) break
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    clearTimeout(this.#timer)
    const left = this.#spool.waitingBytes
    await this.#spool.close()
    if (failure === undefined) return
    const { code } = failure as EdictumServerError
    throw new EdictumServerError(
      `${left} bytes of audit events stay in the spool; the next process that uses it sends them`,
      { code: code ?? 'unreachable', cause: failure },
    )
  }

  #plan(delayMs: number): void {
    if (this.#timer !== undefined) {
      if (delayMs > 0) return
      clearTimeout(this.#timer)
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#sendAll().catch(() => undefined)
    }, delayMs)
    // Events are on disk: a process that has nothing else to do may end.
    this.#timer.unref()
  }

  #pauseAfter(error: unknown): number {
    const wanted = error instanceof EdictumServerError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0
    return Math.max(this.#backoff.nextMs(), Math.min(wanted, 300_000))
  }

  #sendAll(): Promise<void> {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined
    })
    return this.#sending
  }

  async #send(): Promise<void> {
    try {
      for (;;) {
        this.#unsent = 0
        const batch = await this.#spool.peek(mostPerRequest)
        if (batch === undefined) break
        await this.#deliver(batch)
      }
      this.#backoff.reset()
      this.#reported = undefined
    } catch (error) {
      const code = error instanceof EdictumServerError ? error.code : 'unknown'
      if (this.#reported !== code) {
        this.#reported = code
        this.#report({ part: 'audit', message: 'audit events stay in the spool', error })
      }
      if (this.#closing === undefined) this.#plan(this.#pauseAfter(error))
      throw error
    }
  }

  async #deliver(batch: SpooledLines): Promise<void> {
    await this.#post(batch.lines)
    await this.#spool.confirm(batch)
  }

  /** Everything was taken, or set aside because it never will be. @throws EdictumServerError when it may be, later. */
  async #post(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return
    try {
      const gzipped = await compress(`{"events":[${lines.join()}]}`)
      const receipt = await this.#client.send<EventReceipt>({
        method: 'POST',
        path: '/events',
        gzipped,
        repetition: { kind: 'never' },
      })
      await this.#examine(receipt, lines)
    } catch (error) {
      if (!isFaultOfContent(error)) throw error
      const [only] = lines
      if (lines.length === 1 && only !== undefined) return this.#setAside(only, error.message)
      // One of them is the reason; the others must not suffer for it.
      const middle = Math.ceil(lines.length / 2)
      await this.#post(lines.slice(0, middle))
      await this.#post(lines.slice(middle))
    }
  }

  async #examine(receipt: EventReceipt, lines: readonly string[]): Promise<void> {
    const { accepted, duplicates, rejected = [] } = receipt
    if (!Array.isArray(rejected) || accepted + duplicates + rejected.length !== lines.length)
      throw new EdictumServerError('the receipt for audit events does not add up', { code: 'invalid-answer' })
    for (const { index, reason } of rejected) {
      const line = lines[index]
      if (line !== undefined) await this.#setAside(line, String(reason))
    }
  }

  async #setAside(line: string, reason: string): Promise<void> {
    this.#report({ part: 'audit', message: `the server rejected an audit event: ${reason}` })
    await this.#spool.setAside(line, reason)
  }
}

/** A refusal of what was sent, as against: of who sent it, or of when. */
function isFaultOfContent(error: unknown): error is EdictumServerError {
  if (!(error instanceof EdictumServerError)) return false
  return error.status === 400 || error.status === 413 || error.status === 422
}
