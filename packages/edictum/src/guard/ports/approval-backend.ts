// Who is asked when a contract lets a call through only with a person's consent.
import type { TimeoutEffect } from '../../contracts/bundle.js'

export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'timeout'

export interface ApprovalTerms {
  /** Seconds. */
  readonly timeout: number
  readonly timeoutEffect: TimeoutEffect
  /** Wire form: snake_case keys. */
  readonly principal: Readonly<Record<string, unknown>> | null
  readonly metadata: Readonly<Record<string, unknown>>
  readonly sessionId: string
  /** SHA-256 over the canonical form of tool name and arguments: consent is given to exactly this call. */
  readonly argsHash: string
  /** Aborted when the caller no longer waits. */
  readonly signal?: AbortSignal
}

export interface ApprovalRequest {
  readonly approvalId: string
}

export interface ApprovalDecision {
  readonly approved: boolean
  readonly status: ApprovalStatus
  readonly approver?: string | null
  readonly reason?: string | null
}

export interface ApprovalBackend {
  requestApproval(
    toolName: string,
    toolArgs: Readonly<Record<string, unknown>>,
    message: string,
    terms: ApprovalTerms,
  ): Promise<ApprovalRequest>
  waitForDecision(approvalId: string, timeoutSeconds: number, signal?: AbortSignal): Promise<ApprovalDecision>
}
