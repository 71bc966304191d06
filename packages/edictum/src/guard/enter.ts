// Between steps 2 and 3, for a face of the guard that waits for somebody before the contracts are asked: the attempt is
// counted and judged in a trip of its own, and the call goes on with the arguments the gate hands over.
import { attempt } from './attempt.js'
import type { CallRequest } from './call-request.js'
import type { Denial } from './denial.js'
import { denialOf, type GateEntry } from './gates.js'
import { type CallSnapshot, GuardedCall } from './guarded-call.js'
import { snapshot } from './snapshot.js'
import { isPromise } from './waiting.js'

export async function enter(
  call: GuardedCall,
  request: CallRequest,
  gate: () => Promise<GateEntry>,
): Promise<GuardedCall> {
  const { parts, state } = call
  const attempted = attempt(call, 'leave')
  const denial = isPromise(attempted) ? await call.waitIn('attempt', attempted) : attempted
  if (denial !== undefined && parts.mode === 'enforce') return stopped(call, denial)
  const entry = await call.waitIn('hooks', gate())
  if (entry.kind === 'refused') return stopped(call, denialOf(entry.denial))
  return counted(call, snapshot(parts, state, { ...request, args: entry.args }))
}

function stopped(call: GuardedCall, obstacle: Denial): GuardedCall {
  const { envelope, sessionId, signal, gates, pausing } = call
  return counted(call, { envelope, sessionId, signal, gates, pausing, obstacle })
}

/** The same call once more, known to have been counted. */
function counted(call: GuardedCall, snapshotted: CallSnapshot): GuardedCall {
  const entered = new GuardedCall(call.parts, call.state, snapshotted)
  entered.before = call.before
  entered.isCounted = true
  entered.waits = call.waits
  return entered
}
