// Step 5: a person is asked, once for each contract that wants it, and only about a call that nothing else denies.
import { type ApprovalAnswer, type ApprovalNeed, askApproval } from './ask-approval.js'
import type { Denial } from './denial.js'
import type { GuardedCall } from './guarded-call.js'
import { askByPause, type Paused } from './pausing-approvals.js'
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
  const { source, name, message } = need
  const record = (action: AuditAction, reason: string | null) =>
    emit(call, action, { decisionSource: source, decisionName: name, reason: reason ?? message })
  const refused = (reason: string | null): Denial => ({
    source,
    name,
    reason: reason ?? message,
    isRecorded: true,
    lacksConsent: true,
  })
  try {
    const answer = await ask(call, need, () => record(AuditAction.CALL_APPROVAL_REQUESTED, null))
    switch (answer.kind) {
      case 'nobody': {
        const reason = `Approval required but no approval backend configured: ${message}`
        return { source, name, reason, lacksConsent: true }
      }
      case 'paused':
        return { ...refused(null), pause: answer }
      case 'granted':
        await record(AuditAction.CALL_APPROVAL_GRANTED, null)
        if (call.admittedAs === 'allowed') call.admittedAs = 'approved'
        return undefined
      case 'timeout':
        await record(AuditAction.CALL_APPROVAL_TIMEOUT, answer.reason)
        if (answer.effect === 'deny') return refused(answer.reason)
        call.admittedAs = 'timeout_allow'
        return undefined
      case 'denied':
        await record(AuditAction.CALL_APPROVAL_DENIED, answer.reason)
        return refused(answer.reason)
      case 'broken': {
        const unobtained = `Approval could not be obtained: ${message}`
        return { source, name, reason: unobtained, policyError: true, lacksConsent: true }
      }
      default:
        return answer satisfies never
    }
  } catch (error) {
    return unrecordable(error)
  }
}

/** A framework that can pause the run is asked to; otherwise the call waits for the backend. */
async function ask(
  call: GuardedCall,
  need: ApprovalNeed,
  onRequested: () => Promise<void> | void,
): Promise<ApprovalAnswer | Paused | { readonly kind: 'nobody' }> {
  const { parts, envelope, sessionId, signal, pausing } = call
  const { approvalBackend: backend, portMs } = parts
  if (pausing !== undefined)
    return askByPause(need, pausing, { envelope, now: parts.clock.now(), onRequested })
  if (backend === undefined) return { kind: 'nobody' }
  const principal = principalOnRecord(call)
  const context = { backend, envelope, sessionId, principal, signal, portMs, onRequested }
  return askApproval(withinPatience(call, need), context)
}

/** Nobody is waited for longer than the face of this call has time. */
function withinPatience({ gates }: GuardedCall, need: ApprovalNeed): ApprovalNeed {
  const mostMs = gates?.approvalWaitMs() ?? Number.POSITIVE_INFINITY
  return mostMs < need.timeoutSeconds * 1_000 ? { ...need, timeoutSeconds: mostMs / 1_000 } : need
}
