// Step 5: ask a person. Only about calls nothing else denies, about exactly the arguments that will run, once each.
import { messageOf } from '../internal/message-of.js'
import { EdictumConfigError } from '../contracts/config-error.js'
import type { ToolEnvelope } from '../policy/envelope.js'
import type { ApprovalBackend, ApprovalDecision } from './ports/approval-backend.js'
import { hashOfCall } from './call-hash.js'
import { isPromise, PortTimeout, waitFor } from './waiting.js'

export interface ApprovalNeed {
  readonly source: string
  readonly name: string
  readonly message: string
  readonly timeoutSeconds: number
  readonly timeoutEffect: 'deny' | 'allow'
}

export type ApprovalAnswer =
  | { readonly kind: 'granted' }
  | { readonly kind: 'denied'; readonly reason: string | null }
  | { readonly kind: 'timeout'; readonly effect: 'deny' | 'allow'; readonly reason: string | null }
  /** The backend crashed, answered nonsense, or the caller gave up. */
  | { readonly kind: 'broken'; readonly detail: string }

export interface ApprovalContext {
  readonly backend: ApprovalBackend
  readonly envelope: ToolEnvelope
  readonly sessionId: string
  readonly principal: Readonly<Record<string, unknown>> | null
  readonly signal: AbortSignal | undefined
  readonly portMs: number
  /** Called when the request has been placed and the wait begins. */
  readonly onRequested: (approvalId: string) => Promise<void> | void
}

/** Grace on top of a contract's own timeout before a silent backend counts as one that timed out. */
const graceMs = 1_000

export async function askApproval(need: ApprovalNeed, context: ApprovalContext): Promise<ApprovalAnswer> {
  const { backend, envelope, sessionId, principal, signal, portMs } = context
  let approvalId: string
  try {
    const asked = backend.requestApproval(envelope.toolName, envelope.args, need.message, {
      timeout: need.timeoutSeconds,
      timeoutEffect: need.timeoutEffect,
      principal,
      metadata: envelope.metadata,
      sessionId,
      argsHash: hashOfCall(envelope),
      ...(signal === undefined ? {} : { signal }),
    })
    const request = isPromise(asked)
      ? await waitFor(asked, { milliseconds: portMs, signal, what: 'the approval backend' })
      : asked
    if (typeof request?.approvalId !== 'string')
      throw new TypeError('the approval backend returned no approvalId')
    approvalId = request.approvalId
  } catch (error) {
    return broken(error)
  }
  await context.onRequested(approvalId)
  try {
    const milliseconds = Math.min(need.timeoutSeconds * 1_000 + graceMs, 2_147_483_647)
    const answer = backend.waitForDecision(approvalId, need.timeoutSeconds, signal)
    return readDecision(
      isPromise(answer) ? await waitFor(answer, { milliseconds, signal, what: 'the approval' }) : answer,
      need,
    )
  } catch (error) {
    if (error instanceof PortTimeout) return { kind: 'timeout', effect: need.timeoutEffect, reason: null }
    return broken(error)
  }
}

/** The contract's own timeout effect decides, whatever the backend claims. Nonsense is not consent. */
export function readDecision(decision: ApprovalDecision, need: ApprovalNeed): ApprovalAnswer {
  const reason = typeof decision?.reason === 'string' ? decision.reason : null
  if (decision?.status === 'timeout') return { kind: 'timeout', effect: need.timeoutEffect, reason }
  if (decision?.status === 'pending')
    return { kind: 'broken', detail: 'the approval backend answered before a decision' }
  if (decision?.approved === true && decision.status === 'approved') return { kind: 'granted' }
  if (typeof decision?.approved !== 'boolean')
    return { kind: 'broken', detail: 'the approval backend answered nonsense' }
  return { kind: 'denied', reason }
}

function broken(error: unknown): ApprovalAnswer {
  return { kind: 'broken', detail: messageOf(error) }
}

export function checkApprovalBackend(backend: unknown): void {
  const given = backend as Partial<ApprovalBackend> | null
  if (typeof given?.requestApproval !== 'function' || typeof given.waitForDecision !== 'function') {
    throw EdictumConfigError.of('invalid-option', 'approvalBackend needs requestApproval and waitForDecision')
  }
}
