// Runs a tool against the clock. However it ends, and whenever, the answer is given once: what comes after that is late
// and only reported as such.
import { isThenable } from './thenable.js'
import type { DeadlineToken } from './deadline-token.js'
import type { RuntimeClock } from './runtime-clock.js'

export type BoundedEnding =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'cancelled' }

export interface BoundedRun {
  /** Starts the tool. */
  readonly start: () => unknown
  readonly token: DeadlineToken
  /** When waiting ends, in milliseconds of the clock; not before the token's deadline. */
  readonly waitUntil: number
  readonly clock: RuntimeClock
  /** Called in the moment it is decided how the call ends. */
  readonly onEnd: (ending: BoundedEnding) => void
  /** Takes what ends the call from outside; answers how to take it back. */
  readonly onCancel: (cancel: (reason: Error) => void) => () => void
  /** A tool that was given up goes on: called when that happens, answers what to call when it ends after all. */
  readonly onAbandoned: () => () => void
}

export function runBounded(run: BoundedRun): BoundedEnding | Promise<BoundedEnding> {
  let ending: BoundedEnding
  try {
    const answer = run.start()
    if (isThenable(answer)) return race(run, Promise.resolve(answer))
    ending = { kind: 'returned', value: answer }
  } catch (error) {
    ending = { kind: 'threw', error }
  }
  const judged = inTime(run, ending)
  run.onEnd(judged)
  if (judged.kind === 'timeout') run.onAbandoned()()
  return judged
}

/** No timer fires while a tool blocks the process, so that its result may be here although its time was up. */
function inTime({ clock, waitUntil, token }: BoundedRun, ending: BoundedEnding): BoundedEnding {
  if (clock.now() > waitUntil) return { kind: 'timeout' }
  // A tool that stopped because it was told to has not failed.
  return ending.kind === 'threw' && token.isExpired() ? { kind: 'timeout' } : ending
}

async function race(run: BoundedRun, answer: Promise<unknown>): Promise<BoundedEnding> {
  const { token, waitUntil, clock } = run
  return new Promise<BoundedEnding>((resolve) => {
    let isOver = false
    let reportLate: (() => void) | undefined
    const end = (ending: BoundedEnding) => {
      isOver = true
      clock.clearTimeout(timer)
      forget()
      run.onEnd(ending)
      resolve(ending)
    }
    const giveUp = (ending: BoundedEnding, reason?: Error) => {
      if (isOver) return
      reportLate = run.onAbandoned()
      end(ending)
      token.cancel(reason)
    }
    const settle = (ending: BoundedEnding) => {
      if (isOver) {
        reportLate?.()
        return
      }
      const judged = inTime(run, ending)
      if (judged.kind === 'timeout') token.cancel()
      end(judged)
      if (judged.kind === 'timeout') run.onAbandoned()()
    }
    const expire = () => {
      const leftMs = waitUntil - clock.now()
      if (leftMs <= 0) {
        giveUp({ kind: 'timeout' })
        return
      }
      // The turn is over but the tool's least time is not: it is told to stop, and waited for a little longer.
      if (clock.now() >= token.deadline) token.cancel()
      timer = clock.setTimeout(expire, leftMs)
    }
    const forget = run.onCancel((reason) => giveUp({ kind: 'cancelled' }, reason))
    let timer = clock.setTimeout(expire, Math.max(0, Math.min(token.deadline, waitUntil) - clock.now()))
    answer.then(
      (value) => settle({ kind: 'returned', value }),
      (error: unknown) => settle({ kind: 'threw', error }),
    )
  })
}
