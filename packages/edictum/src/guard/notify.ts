import { messageOf } from '../internal/message-of.js'
import { warn } from '../internal/platform.js'
import { isPromise } from './waiting.js'

/** For those who are told, not asked: what they throw changes nothing, whether at once or later. */
export function tell(who: string, callback: () => unknown): void {
  const threw = (error: unknown) => warn(`${who} threw: ${messageOf(error)}`)
  try {
    const answer = callback()
    if (isPromise(answer)) answer.then(undefined, threw)
  } catch (error) {
    threw(error)
  }
}
