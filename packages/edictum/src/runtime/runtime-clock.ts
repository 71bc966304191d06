// Time as the runtime sees it: a clock that only goes forward, and timers. Passed in, so that tests do not wait.
import { elapsedMs } from '../internal/platform.js'

export interface RuntimeClock {
  /** Milliseconds that only ever go forward. */
  now(): number
  setTimeout(callback: () => void, milliseconds: number): unknown
  clearTimeout(timer: unknown): void
}

export const systemClock: RuntimeClock = {
  now: elapsedMs,
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clearTimeout: (timer) => {
    clearTimeout(timer as ReturnType<typeof setTimeout>)
  },
}

/** A longer delay would fire at once. */
export const longestTimerMs = 2_147_483_647
