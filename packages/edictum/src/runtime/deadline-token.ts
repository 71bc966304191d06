// What a tool is given to notice that it should stop: a signal, and how long is left.
import type { RuntimeClock } from './runtime-clock.js'
import type { TurnBudget } from './turn-budget.js'

/** The reason of the signal when time is up. */
export class DeadlineExpired extends Error {
  override readonly name = 'TimeoutError'
}

export class DeadlineToken {
  /** In milliseconds of the clock. */
  readonly deadline: number
  readonly #clock: RuntimeClock
  #controller: AbortController | undefined
  #cancelled: { readonly reason: Error } | undefined

  constructor(deadline: number, clock: RuntimeClock) {
    this.deadline = deadline
    this.#clock = clock
  }

  /** Expires with the turn or after the cap, whichever comes first. */
  static fromBudget(budget: TurnBudget, capS?: number): DeadlineToken {
    return new DeadlineToken(budget.toolDeadline(capS), budget.clock)
  }

  /** Made when somebody asks for it: most tools are over before they would. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#cancelled !== undefined) this.#controller.abort(this.#cancelled.reason)
    }
    return this.#controller.signal
  }

  get isCancelled(): boolean {
    return this.#cancelled !== undefined
  }

  isExpired(): boolean {
    return this.#cancelled !== undefined || this.#clock.now() >= this.deadline
  }

  /** 0 when the tool should have stopped. */
  remainingMs(): number {
    return this.#cancelled === undefined ? Math.max(0, this.deadline - this.#clock.now()) : 0
  }

  /** @throws DeadlineExpired, or the reason of the cancellation. */
  throwIfExpired(): void {
    if (this.isExpired()) throw this.#cancelled?.reason ?? new DeadlineExpired('the deadline has passed')
  }

  /** The token is expired from now on. */
  cancel(reason: Error = new DeadlineExpired('the deadline has passed')): void {
    if (this.#cancelled !== undefined) return
    this.#cancelled = { reason }
    this.#controller?.abort(reason)
  }
}
