import { messageOf } from '../internal/message-of.js'
import { warn } from '../internal/platform.js'

/** For those who are told, not asked: what they throw changes nothing. */
export function tell(who: string, callback: () => void): void {
  try {
    callback()
  } catch (error) {
    warn(`${who} threw: ${messageOf(error)}`)
  }
}
