// Step 6: the execution slot. It is taken before the tool runs, so that a limit of N lets N calls run, however many ask.
import { messageOf } from '../internal/message-of.js'
import type { Denial } from './denial.js'
import type { GuardedCall } from './guarded-call.js'
import type { Reservation, ReservationRequest, SessionLimitValues } from './ports/storage-backend.js'
import { giveBack } from './settle.js'
import { isPromise, type MaybePromise, waitFor } from './waiting.js'

/** For calls that had to wait before: limits are looked at again, because counters have moved. */
export function reserve(call: GuardedCall): MaybePromise<Denial | undefined> {
  const reserved = reserveSlot(call, 'counted', 'take')
  return isPromise(reserved)
    ? reserved.then((unavailable) => unavailable ?? judgeSlot(call))
    : (reserved ?? judgeSlot(call))
}

function judgeSlot(call: GuardedCall): Denial | undefined {
  if (call.slotId !== undefined) return undefined
  const { denial } = call.state.limits.judge(call.before, call.scene)
  return denial ?? exhausted
}

const exhausted: Denial = Object.freeze({
  source: 'operation_limit',
  name: null,
  reason: 'Execution limit reached. Summarize progress and stop.',
})

const noLimits: SessionLimitValues = Object.freeze({})

/** One trip to the storage: counters as this call finds them, and the slot if there is one. */
export function reserveSlot(
  call: GuardedCall,
  attempt: ReservationRequest['attempt'],
  slot: ReservationRequest['slot'],
): MaybePromise<Denial | undefined> {
  const { parts, state, sessionId } = call
  const { toolName } = call.envelope
  const limits = parts.mode === 'enforce' ? state.limits.valuesFor(toolName) : noLimits
  const { leaseSeconds } = parts
  try {
    const answer = parts.store.reserve({ sessionId, toolName, attempt, slot, limits, leaseSeconds })
    if (isPromise(answer)) return waitForSlot(call, attempt, answer)
    take(call, attempt, answer)
    return undefined
  } catch (error) {
    return unavailable(error)
  }
}

async function waitForSlot(
  call: GuardedCall,
  attempt: ReservationRequest['attempt'],
  answer: PromiseLike<Reservation>,
): Promise<Denial | undefined> {
  let reservation: Reservation
  try {
    reservation = await waitFor(answer, call.patienceWithPort('the session storage'))
  } catch (error) {
    // A slot granted after nobody waits for it any more is given back at once.
    answer.then(
      ({ slot }) => (slot.kind === 'taken' ? giveBack(call, slot.id) : undefined),
      () => undefined,
    )
    return unavailable(error)
  }
  try {
    take(call, attempt, reservation)
    return undefined
  } catch (error) {
    return unavailable(error)
  }
}

function take(
  call: GuardedCall,
  attempt: ReservationRequest['attempt'],
  { counters, slot }: Reservation,
): void {
  const attempts = finite(counters.attempts)
  call.before = {
    // As this call found them; for a call counted before, others may have come in between.
    attempts: attempt === 'count' ? attempts - 1 : call.before.attempts,
    executions: finite(counters.executions),
    toolExecutions: finite(counters.toolExecutions),
  }
  if (slot.kind === 'taken') call.slotId = slot.id
}

function finite(count: number): number {
  if (!Number.isFinite(count))
    throw new TypeError('the session storage returned a counter that is not a number')
  return count
}

function unavailable(error: unknown): Denial {
  return {
    source: 'storage_error',
    name: null,
    reason: `Session storage failed, the call was not run: ${messageOf(error)}`,
    policyError: true,
  }
}
