// Step 9: the slot becomes an execution, or is given back. The call is over by then: a storage that fails can only be
// warned about, there is nothing left to refuse.
import { messageOf } from '../internal/message-of.js'
import { warn } from '../internal/platform.js'
import type { GuardedCall } from './guarded-call.js'
import type { SessionCounters, Settlement } from './ports/storage-backend.js'
import { isPromise, type MaybePromise, waitFor } from './waiting.js'

/** The counters after the call; as they were before it when the storage does not say. */
export function settle(call: GuardedCall, outcome: 'executed' | 'failed'): MaybePromise<SessionCounters> {
  if (call.slotId === undefined) return uncounted(call)
  const settled = settleSlot(call, call.slotId, outcome)
  return isPromise(settled)
    ? settled.then((counters) => counters ?? uncounted(call))
    : (settled ?? uncounted(call))
}

/** For a call that does not run after all. */
export function release(call: GuardedCall): MaybePromise<unknown> {
  return call.slotId === undefined ? undefined : giveBack(call, call.slotId)
}

export function giveBack(call: GuardedCall, slotId: string): MaybePromise<unknown> {
  return settleSlot(call, slotId, 'released')
}

function settleSlot(
  call: GuardedCall,
  slotId: string,
  outcome: Settlement['outcome'],
): MaybePromise<SessionCounters | undefined> {
  const { sessionId, parts } = call
  const { toolName } = call.envelope
  try {
    const answer = parts.store.settle({ sessionId, toolName, slotId, outcome })
    return isPromise(answer)
      ? waitFor(answer, call.patienceToTheEnd('the session storage')).catch((error: unknown) =>
          notCounted(toolName, error),
        )
      : answer
  } catch (error) {
    return notCounted(toolName, error)
  }
}

function notCounted(toolName: string, error: unknown): undefined {
  warn(`a call of ${toolName} could not be counted: ${messageOf(error)}`)
  return undefined
}

function uncounted({ before }: GuardedCall): SessionCounters {
  const { attempts, executions, toolExecutions } = before
  return { attempts: attempts + 1, executions, toolExecutions }
}
