// Step 2: the attempt is counted before anything else is asked, so that an agent that only ever gets denied is stopped.
import type { Denial } from './denial.js'
import type { GuardedCall } from './guarded-call.js'
import type { ReservationRequest } from './ports/storage-backend.js'
import { reserveSlot } from './reserve.js'
import { isPromise, type MaybePromise } from './waiting.js'

/** Counts, and takes the execution slot in the same trip to the storage if the call is sure to need it. */
export function attempt(
  call: GuardedCall,
  slot: ReservationRequest['slot'],
): MaybePromise<Denial | undefined> {
  const reserved = reserveSlot(call, 'count', slot)
  return isPromise(reserved)
    ? reserved.then((unavailable) => unavailable ?? judgeAttempt(call))
    : (reserved ?? judgeAttempt(call))
}

function judgeAttempt(call: GuardedCall): Denial | undefined {
  return call.obstacle ?? call.state.limits.judgeAttempt(call.before, call.scene)
}
