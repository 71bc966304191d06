// Session counters on the console: every process of an agent counts in the same place. An execution slot is taken in one
// request and settled in another. When the server is away nothing is counted elsewhere: a limit that each process counts
// for itself is no limit.
import { randomUUID } from 'node:crypto'
import type {
  Reservation,
  ReservationRequest,
  SessionCounters,
  Settlement,
  StorageBackend,
} from '../guard/ports/storage-backend.js'
import { checkAmount } from '../guard/ports/storage-place.js'
import { EdictumConfigError } from '../contracts/config-error.js'
import { problemReporter, type ReportProblem } from './problem.js'
import type {
  SessionBatchGet,
  SessionGet,
  SessionIncrement,
  SessionNumber,
  SessionSet,
  SessionValue,
  SessionValues,
} from './protocol/sessions.js'
import { newRequestKey } from './request-key.js'
import { type EdictumServerClient, recognised, type Repetition } from './server-client.js'
import { EdictumServerError, isAway } from './server-error.js'
import { type UnsettledSlot, UnsettledSlots } from './unsettled-slots.js'

export interface ServerBackendOptions {
  /**
   * What a call gets while the server cannot be asked. `deny`: the backend fails, so the guard denies. `observe`: the call
   * runs without a limit, and what ran is counted when the server is back; every outage is reported.
   * @default 'deny'
   */
  readonly whenAway?: 'deny' | 'observe'
  /** How long one try may take. @default 5000 */
  readonly timeoutMs?: number
  /** @default a warning of the process */
  readonly onProblem?: ReportProblem
}

export const serverBackendDefaults = { whenAway: 'deny', timeoutMs: 5_000 } as const

const harmless: Repetition = { kind: 'harmless' }
const never: Repetition = { kind: 'never' }
/** Slots that were handed out while nobody counted. */
const uncounted = 'uncounted-'

export class ServerBackend implements StorageBackend, AsyncDisposable {
  readonly #client: EdictumServerClient
  readonly #whenAway: 'deny' | 'observe'
  readonly #timeoutMs: number
  readonly #report: ReportProblem
  readonly #unsettled: UnsettledSlots
  readonly #settling = new Set<Promise<SessionCounters>>()
  #isAway = false

  constructor(client: EdictumServerClient, options: ServerBackendOptions = {}) {
    const { whenAway = serverBackendDefaults.whenAway, timeoutMs = serverBackendDefaults.timeoutMs } = options
    if (whenAway !== 'deny' && whenAway !== 'observe') {
      throw EdictumConfigError.of('invalid-option', "whenAway must be 'deny' or 'observe'")
    }
    this.#client = client
    this.#whenAway = whenAway
    this.#timeoutMs = timeoutMs
    this.#report = problemReporter(options.onProblem)
    this.#unsettled = new UnsettledSlots({
      tell: (slot) => this.#tell(slot),
      giveUp: (slot, error) => {
        // A slot nobody uses costs nothing but room, until its lease is over.
        if (slot.kind === 'unanswered') return
        const { toolName } = slot.settlement
        this.#report({ part: 'counters', message: `an execution of ${toolName} is not counted`, error })
      },
    })
  }

  async get(key: string): Promise<string | null> {
    const body = { key }
    const { value } = await this.#post<SessionGet, SessionValue>('get', body, harmless)
    return textOrNull(value)
  }

  async set(key: string, value: string): Promise<void> {
    const body = { key, value }
    await this.#post<SessionSet, object>('set', body, never)
  }

  async delete(key: string): Promise<void> {
    await this.#post<SessionGet, object>('delete', { key }, never)
  }

  async increment(key: string, amount = 1): Promise<number> {
    checkAmount(amount)
    const body = { key, amount }
    const { value } = await this.#post<SessionIncrement, SessionNumber>('increment', body, recognised())
    return finite(value)
  }

  async batchGet(keys: readonly string[]): Promise<Readonly<Record<string, string | null>>> {
    if (keys.length === 0) return {}
    const { values } = await this.#post<SessionBatchGet, SessionValues>('batch-get', { keys }, harmless)
    if (typeof values !== 'object' || values === null) throw nonsense()
    const found = new Map(Object.entries(values))
    // An answer that leaves a key out is not the answer that there is none.
    return Object.fromEntries(keys.map((key) => [key, textOrNull(found.get(key))] as const))
  }

  async reserve(request: ReservationRequest): Promise<Reservation> {
    const idempotencyKey = newRequestKey()
    try {
      const reservation = await this.#reserve(request, idempotencyKey)
      this.#isAway = false
      return reservation
    } catch (error) {
      if (!isAway(error)) throw error
      this.#unsettled.add({ kind: 'unanswered', request, idempotencyKey })
      if (this.#whenAway === 'observe') return this.#admitUncounted(request, error)
      throw error
    }
  }

  /** Rejects when the server cannot be asked now; it is told later all the same, as long as the process lives. */
  async settle(settlement: Settlement): Promise<SessionCounters> {
    const settling = this.#settleNowOrLater(settlement)
    this.#settling.add(settling)
    try {
      return await settling
    } finally {
      this.#settling.delete(settling)
    }
  }

  /** Tells the server what it has not heard yet. @throws when it cannot be told. */
  async close(): Promise<void> {
    try {
      // The guard may have stopped waiting for them; the limit has not.
      await Promise.allSettled(this.#settling)
      await this.#unsettled.flush()
    } finally {
      this.#unsettled.stop()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #settleNowOrLater(settlement: Settlement): Promise<SessionCounters> {
    const idempotencyKey = newRequestKey()
    try {
      return await this.#settle(settlement, idempotencyKey)
    } catch (error) {
      if (isAway(error)) this.#unsettled.add({ kind: 'used', settlement, idempotencyKey })
      throw error
    }
  }

  #admitUncounted(request: ReservationRequest, error: unknown): Reservation {
    if (!this.#isAway) {
      this.#isAway = true
      this.#report({ part: 'counters', message: 'calls run without limits while the server is away', error })
    }
    return {
      counters: { attempts: 1, executions: 0, toolExecutions: 0 },
      slot: request.slot === 'take' ? { kind: 'taken', id: uncounted + randomUUID() } : { kind: 'left' },
    }
  }

  async #tell(slot: UnsettledSlot): Promise<void> {
    if (slot.kind === 'used') {
      await this.#settle(slot.settlement, slot.idempotencyKey)
      return
    }
    // The same request again: its answer says which slot it was.
    const { sessionId, toolName } = slot.request
    const reservation = await this.#reserve(slot.request, slot.idempotencyKey)
    if (reservation.slot.kind !== 'taken') return
    const slotId = reservation.slot.id
    await this.#settle(
      { sessionId, toolName, slotId, outcome: 'released' },
      `${slot.idempotencyKey}-released`,
    )
  }

  async #reserve(request: ReservationRequest, idempotencyKey: string): Promise<Reservation> {
    const repetition = { kind: 'recognised', idempotencyKey } as const
    return readReservation(
      await this.#post<ReservationRequest, Reservation>('reserve', request, repetition),
      request,
    )
  }

  async #settle(settlement: Settlement, idempotencyKey: string): Promise<SessionCounters> {
    const repetition = { kind: 'recognised', idempotencyKey } as const
    return readCounters(await this.#post<Settlement, SessionCounters>('settle', settlement, repetition))
  }

  #post<Body, Answer extends object>(step: string, body: Body, repetition: Repetition): Promise<Answer> {
    return this.#client.send<Answer>({
      method: 'POST',
      path: `/sessions/${step}`,
      body,
      repetition,
      timeoutMs: this.#timeoutMs,
    })
  }
}

function readReservation({ counters, slot }: Reservation, request: ReservationRequest): Reservation {
  const isPlausible =
    request.slot === 'leave'
      ? slot?.kind === 'left'
      : slot?.kind === 'exhausted' || (slot?.kind === 'taken' && typeof slot.id === 'string')
  if (!isPlausible) throw nonsense()
  return { counters: readCounters(counters), slot }
}

function readCounters(counters: SessionCounters): SessionCounters {
  if (typeof counters !== 'object' || counters === null) throw nonsense()
  const { attempts, executions, toolExecutions } = counters
  return {
    attempts: finite(attempts),
    executions: finite(executions),
    toolExecutions: finite(toolExecutions),
  }
}

function finite(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw nonsense()
  return value
}

function textOrNull(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value
  throw nonsense()
}

function nonsense(): EdictumServerError {
  return new EdictumServerError('the server answered something that is no answer to the question', {
    code: 'invalid-answer',
  })
}
