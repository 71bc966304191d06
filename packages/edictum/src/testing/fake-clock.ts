// Time that passes when a test says so.
import type { RuntimeClock } from '../runtime/runtime-clock.js'

export class FakeClock implements RuntimeClock {
  #now = 1_000
  #lastTimer = 0
  readonly #timers = new Map<number, { readonly at: number; readonly callback: () => void }>()

  now(): number {
    return this.#now
  }

  setTimeout(callback: () => void, milliseconds: number): unknown {
    this.#timers.set(++this.#lastTimer, { at: this.#now + milliseconds, callback })
    return this.#lastTimer
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as number)
  }

  get pendingTimers(): number {
    return this.#timers.size
  }

  /** Time passes while the process does something else: no timer fires. */
  block(milliseconds: number): void {
    this.#now += milliseconds
  }

  /** Time passes, and what was set for it happens in its order. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds
    for (;;) {
      await settle()
      const due = [...this.#timers].filter(([, { at }]) => at <= end).toSorted(([, a], [, b]) => a.at - b.at)
      const [next] = due
      if (next === undefined) break
      const [id, { at, callback }] = next
      this.#timers.delete(id)
      this.#now = Math.max(this.#now, at)
      callback()
    }
    this.#now = end
    await settle()
  }
}

/** Until nothing that can go on without time has anything left to do. */
export async function settle(): Promise<void> {
  for (let times = 0; times < 3; times++) await new Promise((resolve) => setImmediate(resolve))
}
