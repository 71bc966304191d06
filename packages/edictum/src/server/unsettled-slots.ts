// Slots whose end the server has not heard of. Each belongs to a call that ran: if its slot were simply to expire, one
// more call would run than the limit allows. So they are told again, under the same key, until the server has heard.
import type { Settlement } from '../guard/ports/storage-backend.js'
import { Backoff } from './backoff.js'
import { isPassing } from './server-error.js'

export interface UnsettledSlot {
  readonly settlement: Settlement
  readonly idempotencyKey: string
}

interface Parts {
  readonly tell: (slot: UnsettledSlot) => Promise<unknown>
  /** Called for a slot that will never be settled. */
  readonly giveUp: (slot: UnsettledSlot, error: unknown) => void
}

const mostSlots = 10_000

export class UnsettledSlots {
  readonly #parts: Parts
  readonly #slots: UnsettledSlot[] = []
  readonly #backoff = new Backoff({ firstMs: 500, longestMs: 30_000 })
  #timer: NodeJS.Timeout | undefined
  #telling: Promise<void> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get size(): number {
    return this.#slots.length
  }

  add(slot: UnsettledSlot): void {
    if (this.#slots.length >= mostSlots) {
      this.#parts.giveUp(slot, new Error(`${mostSlots} slots are waiting already`))
      return
    }
    this.#slots.push(slot)
    this.#plan()
  }

  /** Tells the server now. @throws the first failure; what is left stays. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await (this.#telling ??= this.#tellAll().finally(() => {
      this.#telling = undefined
    }))
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #plan(): void {
    if (this.#timer !== undefined || this.#telling !== undefined) return
    this.#timer = setTimeout(() => {
      this.flush().catch(() => this.#plan())
    }, this.#backoff.nextMs())
    // The lease frees the slot if the process has nothing else to do.
    this.#timer.unref()
  }

  async #tellAll(): Promise<void> {
    for (let slot = this.#slots[0]; slot !== undefined; slot = this.#slots[0]) {
      try {
        await this.#parts.tell(slot)
      } catch (error) {
        if (isPassing(error)) throw error
        this.#parts.giveUp(slot, error)
      }
      this.#slots.shift()
    }
    this.#backoff.reset()
  }
}
