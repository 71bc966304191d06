// What a guard consists of: the parts it keeps for life, and what a bundle brings.
import type { Mode } from '../contracts/bundle.js'
import type { Principal, ToolEnvelope } from '../policy/envelope.js'
import type { Policy } from '../policy/policy.js'
import type { RedactionPolicy } from '../policy/redaction/redaction-policy.js'
import type { CodeContracts } from './code-contracts.js'
import type { SuccessCheck } from './judge.js'
import type { SessionLimitRules } from './limits.js'
import type { ApprovalBackend } from './ports/approval-backend.js'
import type { AuditSink } from './ports/audit-sink.js'
import type { StorageBackend } from './ports/storage-backend.js'
import type { Hooks } from './registered-hooks.js'
import type { SessionStore } from './session-store.js'

export interface GuardParts {
  readonly mode: Mode
  readonly environment: string
  /** The session of calls that name none. */
  readonly sessionId: string
  /** Who a call is made for that names nobody. May throw. */
  readonly principalFor: (toolName: string, args: Readonly<Record<string, unknown>>) => Principal | null
  readonly backend: StorageBackend
  readonly store: SessionStore
  readonly sink: AuditSink
  readonly redaction: RedactionPolicy
  readonly hooks: Hooks
  readonly code: CodeContracts
  readonly successCheck: SuccessCheck
  readonly approvalBackend: ApprovalBackend | undefined
  readonly onDeny: ((envelope: ToolEnvelope, reason: string, name: string | null) => void) | undefined
  readonly onAllow: ((envelope: ToolEnvelope) => void) | undefined
  readonly readVariable: (name: string) => string | undefined
  readonly clock: Clock
  /** How long any one answer of a port is waited for. */
  readonly portMs: number
  /** How long a hook or a contract in code may take. */
  readonly codeMs: number
  readonly leaseSeconds: number
}

export interface Clock {
  readonly now: () => Date
  /** Milliseconds that only ever go forward. */
  readonly elapsed: () => number
}

/** What a bundle brings: replaced as a whole by a reload, so that one call never sees two. */
export interface GuardState {
  readonly policy: Policy
  readonly candidates: Policy | undefined
  readonly limits: SessionLimitRules
  readonly policyVersion: string | null
}
