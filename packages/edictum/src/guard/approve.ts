// Step 5: a person is asked, once for each contract that wants it, and only about a call that nothing else denies.
import { type ApprovalNeed, askApproval } from './ask-approval.js'
import type { Denial } from './denial.js'
import type { GuardedCall } from './guarded-call.js'
import { AuditAction } from './ports/audit-event.js'
import { emit, principalOnRecord, unrecordable } from './record.js'

export async function approve(call: GuardedCall): Promise<Denial | undefined> {
  for (const need of call.approvals) {
    const denial = await askFor(call, need)
    if (denial !== undefined) return denial
  }
  return undefined
}

/** In observe mode nobody is asked: the first contract that would have is what would have stopped the call. */
export function objectionOf({ approvals }: GuardedCall): Denial | undefined {
  const [first] = approvals
  return first === undefined ? undefined : { source: first.source, name: first.name, reason: first.message }
}

async function askFor(call: GuardedCall, need: ApprovalNeed): Promise<Denial | undefined> {
  const { approvalBackend: backend, portMs } = call.parts
  const { envelope, sessionId, signal } = call
  const { source, name, message } = need
  if (backend === undefined) {
    return { source, name, reason: `Approval required but no approval backend configured: ${message}` }
  }
  const record = (action: AuditAction, reason: string | null) =>
    emit(call, action, { decisionSource: source, decisionName: name, reason: reason ?? message })
  const refused = (reason: string | null): Denial => ({
    source,
    name,
    reason: reason ?? message,
    isRecorded: true,
  })
  try {
    const answer = await askApproval(need, {
      backend,
      envelope,
      sessionId,
      principal: principalOnRecord(call),
      signal,
      portMs,
      onRequested: () => record(AuditAction.CALL_APPROVAL_REQUESTED, null),
    })
    switch (answer.kind) {
      case 'granted':
        await record(AuditAction.CALL_APPROVAL_GRANTED, null)
        return undefined
      case 'timeout':
        await record(AuditAction.CALL_APPROVAL_TIMEOUT, answer.reason)
        return answer.effect === 'allow' ? undefined : refused(answer.reason)
      case 'denied':
        await record(AuditAction.CALL_APPROVAL_DENIED, answer.reason)
        return refused(answer.reason)
      case 'broken':
        return { source, name, reason: `Approval could not be obtained: ${message}`, policyError: true }
      default:
        return answer satisfies never
    }
  } catch (error) {
    return unrecordable(error)
  }
}
