// Slots about which the server must still be told something. One whose call ran: were it simply to expire, one more call
// would run than the limit allows. And one that may have been taken although no answer came: nobody uses it, so it is given
// back. Both are told under the same key again and again, until the server has heard.
import type { ReservationRequest, Settlement } from '../guard/ports/storage-backend.js'
import { Backoff } from './backoff.js'
import { isPassing } from './server-error.js'

export type UnsettledSlot =
  | { readonly kind: 'used'; readonly settlement: Settlement; readonly idempotencyKey: string }
  | { readonly kind: 'unanswered'; readonly request: ReservationRequest; readonly idempotencyKey: string }

interface Parts {
  readonly tell: (slot: UnsettledSlot) => Promise<unknown>
  /** Called for a slot that will never be settled. */
  readonly giveUp: (slot: UnsettledSlot, error: unknown) => void
}

const mostSlots = 10_000
/** A slot nobody uses is freed by its lease in any case. */
const mostUnanswered = 1_000

export class UnsettledSlots {
  readonly #parts: Parts
  readonly #slots: UnsettledSlot[] = []
  readonly #backoff = new Backoff({ firstMs: 500, longestMs: 30_000 })
  #timer: NodeJS.Timeout | undefined
  #telling: Promise<void> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  add(slot: UnsettledSlot): void {
    if (slot.kind === 'unanswered' && this.#slots.length >= mostUnanswered) return
    if (this.#slots.length >= mostSlots) {
      this.#parts.giveUp(slot, new Error(`${mostSlots} slots are waiting already`))
      return
    }
    this.#slots.push(slot)
    this.#plan()
  }

  /** Tells the server now. @throws the first failure; what is left stays. */
  async flush(): Promise<void> {
    this.stop()
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
      this.#timer = undefined
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
