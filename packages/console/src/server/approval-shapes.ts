// Stored approvals as each protocol writes them.
import type { Approval, ApprovalStatus } from '../protocol/approvals.js'
import type { StoredApproval } from '../store/approvals.js'

/** What nobody waits for any more looks to the older clients like what nobody decided. */
const nestedWords: Record<ApprovalStatus, string> = {
  pending: 'pending',
  approved: 'approved',
  denied: 'denied',
  timeout: 'timeout',
  cancelled: 'timeout',
}

const laterWords: Record<ApprovalStatus, string> = {
  pending: 'pending',
  approved: 'approved',
  denied: 'rejected',
  timeout: 'timed_out',
  cancelled: 'timed_out',
}

export function toApproval(stored: StoredApproval): Approval {
  return {
    id: stored.id,
    status: stored.status,
    agent_id: stored.agentId,
    env: stored.env,
    tool_name: stored.toolName,
    tool_args: JSON.parse(stored.toolArgs) as Record<string, unknown>,
    args_hash: stored.argsHash,
    message: stored.message,
    timeout_seconds: stored.timeoutSeconds,
    timeout_effect: stored.timeoutEffect,
    principal: stored.principal === null ? null : (JSON.parse(stored.principal) as Record<string, unknown>),
    metadata: JSON.parse(stored.metadata) as Record<string, unknown>,
    session_id: stored.sessionId,
    decision_source: stored.decisionSource,
    contract_name: stored.contractName,
    created_at: new Date(stored.createdAt).toISOString(),
    expires_at: new Date(stored.expiresAt).toISOString(),
    decided_by: stored.decidedBy,
    decided_at: stored.decidedAt === null ? null : new Date(stored.decidedAt).toISOString(),
    decision_reason: stored.decisionReason,
    decided_via: stored.decidedVia,
  }
}

export function toFirstGeneration(stored: StoredApproval): object {
  return { ...toApproval(stored), status: nestedWords[stored.status] }
}

export function toSecondGeneration(stored: StoredApproval): object {
  return {
    ...toApproval(stored),
    status: laterWords[stored.status],
    timeout_action: stored.timeoutEffect === 'allow' ? 'allow' : 'block',
    rule_name: stored.contractName,
    reason: stored.decisionReason,
  }
}

/** Status words of any protocol, for asking. */
export const statusWords: Readonly<Record<string, ApprovalStatus>> = {
  pending: 'pending',
  approved: 'approved',
  denied: 'denied',
  rejected: 'denied',
  timeout: 'timeout',
  timed_out: 'timeout',
  cancelled: 'cancelled',
}
