// Counters of one process. Every step is one synchronous block, so nothing can come between a check and its count.
import {
  provideAtomicSteps,
  type Reservation,
  type ReservationRequest,
  type SessionCounters,
  sessionKeys,
  type Settlement,
  type StorageBackend,
} from '../../guard/ports/storage-backend.js'

interface HeldSlot {
  readonly executions: string
  readonly toolExecutions: string
  readonly expiresAt: number
}

/** The default backend: exact limits for any number of calls in one process; gone when the process ends. */
export class MemoryBackend implements StorageBackend {
  readonly #texts = new Map<string, string>()
  readonly #counters = new Map<string, number>()
  /** Slots taken and not settled yet, per counter key. */
  readonly #held = new Map<string, number>()
  readonly #slots = new Map<number, HeldSlot>()
  readonly #now: () => number
  #lastSlot = 0

  constructor(options: { readonly now?: () => number } = {}) {
    this.#now = options.now ?? Date.now
    // A subclass may have changed what the four methods do; only the class itself offers the short way.
    if (new.target === MemoryBackend) {
      provideAtomicSteps(this, {
        reserve: (request) => this.#reserve(request),
        settle: (settlement) => this.#settle(settlement),
      })
    }
  }

  async get(key: string): Promise<string | null> {
    const text = this.#texts.get(key)
    if (text !== undefined) return text
    const count = this.#counters.get(key)
    return count === undefined ? null : String(count)
  }

  async set(key: string, value: string): Promise<void> {
    this.#counters.delete(key)
    this.#texts.set(key, value)
  }

  async delete(key: string): Promise<void> {
    this.#remove(key)
  }

  async increment(key: string, amount = 1): Promise<number> {
    return this.#add(key, amount)
  }

  async batchGet(keys: readonly string[]): Promise<Readonly<Record<string, string | null>>> {
    return Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await this.get(key)] as const)))
  }

  #reserve(request: ReservationRequest): Reservation {
    this.#freeExpired()
    const keys = sessionKeys(request.sessionId, request.toolName)
    const attempts = request.attempt === 'count' ? this.#add(keys.attempts, 1) : this.#count(keys.attempts)
    const executions = this.#count(keys.executions) + this.#heldAt(keys.executions)
    const toolExecutions = this.#count(keys.toolExecutions) + this.#heldAt(keys.toolExecutions)
    const counters = { attempts, executions, toolExecutions }
    if (request.slot === 'leave') return { counters, slot: { kind: 'left' } }
    const { limits } = request
    const isFull =
      (limits.attempts !== undefined && attempts > limits.attempts) ||
      (limits.executions !== undefined && executions >= limits.executions) ||
      (limits.toolExecutions !== undefined && toolExecutions >= limits.toolExecutions)
    if (isFull) return { counters, slot: { kind: 'exhausted' } }
    const id = ++this.#lastSlot
    this.#hold(keys.executions, 1)
    this.#hold(keys.toolExecutions, 1)
    this.#slots.set(id, {
      executions: keys.executions,
      toolExecutions: keys.toolExecutions,
      expiresAt: this.#now() + request.leaseSeconds * 1_000,
    })
    return { counters, slot: { kind: 'taken', id: String(id) } }
  }

  #settle(settlement: Settlement): SessionCounters {
    const keys = sessionKeys(settlement.sessionId, settlement.toolName)
    const slotId = Number(settlement.slotId)
    const slot = this.#slots.get(slotId)
    // An expired lease was given back already; what has been executed counts all the same.
    if (slot !== undefined) this.#free(slotId, slot)
    const { outcome } = settlement
    if (outcome === 'executed' || outcome === 'uncertain') {
      this.#add(keys.executions, 1)
      this.#add(keys.toolExecutions, 1)
    }
    if (outcome === 'executed') this.#remove(keys.consecutiveFailures)
    else if (outcome !== 'released') this.#add(keys.consecutiveFailures, 1)
    return {
      attempts: this.#count(keys.attempts),
      executions: this.#count(keys.executions),
      toolExecutions: this.#count(keys.toolExecutions),
    }
  }

  #count(key: string): number {
    const count = this.#counters.get(key)
    if (count !== undefined) return count
    const text = this.#texts.get(key)
    if (text === undefined) return 0
    const value = Number(text)
    if (text.trim() === '' || !Number.isFinite(value))
      throw new TypeError(`stored value of ${key} is not a number`)
    return value
  }

  #add(key: string, amount: number): number {
    const count = this.#count(key) + amount
    if (!(Math.abs(count) <= Number.MAX_SAFE_INTEGER))
      throw new RangeError(`stored value of ${key} would be too large to be counted exactly`)
    this.#texts.delete(key)
    this.#counters.set(key, count)
    return count
  }

  #remove(key: string): void {
    this.#texts.delete(key)
    this.#counters.delete(key)
  }

  #heldAt(key: string): number {
    return this.#held.get(key) ?? 0
  }

  #hold(key: string, amount: number): void {
    // A zero stays: the next call of the same session needs the place again.
    this.#held.set(key, this.#heldAt(key) + amount)
  }

  #free(id: number, slot: HeldSlot): void {
    this.#slots.delete(id)
    this.#hold(slot.executions, -1)
    this.#hold(slot.toolExecutions, -1)
  }

  /** Slots are kept in the order they were taken; with one lease length the first that is still valid ends the sweep. */
  #freeExpired(): void {
    const now = this.#now()
    for (const [id, slot] of this.#slots) {
      if (slot.expiresAt > now) return
      this.#free(id, slot)
    }
  }
}
