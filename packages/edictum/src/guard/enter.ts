// Between steps 2 and 3, for a face of the guard that waits for somebody before the contracts are asked: the attempt is
// counted and judged in a trip of its own, and the call goes on with the arguments the gate hands over.
import { attempt } from './attempt.js'
import type { CallRequest } from './call-request.js'
import { denialOf, type GateEntry } from './gates.js'
import { GuardedCall } from './guarded-call.js'
import { snapshot } from './snapshot.js'

export async function enter(
  call: GuardedCall,
  request: CallRequest,
  gate: () => Promise<GateEntry>,
): Promise<GuardedCall> {
  const { parts, state } = call
  const denial = await attempt(call, 'leave')
  if (denial !== undefined && parts.mode === 'enforce') return counted(call, { ...call, obstacle: denial })
  const entry = await gate()
  if (entry.kind === 'refused') return counted(call, { ...call, obstacle: denialOf(entry.denial) })
  return counted(call, snapshot(parts, state, { ...request, args: entry.args }))
}

function counted(call: GuardedCall, next: ConstructorParameters<typeof GuardedCall>[2]): GuardedCall {
  const entered = new GuardedCall(call.parts, call.state, next)
  entered.before = call.before
  entered.isCounted = true
  return entered
}
