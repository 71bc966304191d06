// What is known about one call while it is under way. The steps read it and write into it; nothing else does.
import type { Scene } from '../policy/conditions/scene.js'
import type { ToolEnvelope } from '../policy/envelope.js'
import type { ToolPlan } from '../policy/policy.js'
import type { ContractRecord } from '../policy/record.js'
import type { ApprovalNeed } from './ask-approval.js'
import type { Denial } from './denial.js'
import type { GuardParts, GuardState } from './guard-parts.js'
import type { HookRecord } from './ports/audit-event.js'
import type { SessionCounters } from './ports/storage-backend.js'
import type { Patience } from './waiting.js'

const nothing: readonly never[] = Object.freeze([])
const notCounted: SessionCounters = Object.freeze({ attempts: 0, executions: 0, toolExecutions: 0 })

/** A contract that fired and only watches, with where it comes from. */
export interface ObservedRecord {
  readonly record: ContractRecord
  readonly from: 'bundle' | 'code'
}

/** What the first step makes of a request. */
export interface CallSnapshot {
  readonly envelope: ToolEnvelope
  readonly sessionId: string
  readonly signal: AbortSignal | undefined
  /** A reason to refuse that was found before the first step was over. */
  readonly obstacle: Denial | undefined
}

export class GuardedCall {
  readonly parts: GuardParts
  readonly state: GuardState
  readonly envelope: ToolEnvelope
  readonly sessionId: string
  readonly signal: AbortSignal | undefined
  readonly obstacle: Denial | undefined
  readonly plan: ToolPlan
  readonly scene: Scene
  /** Attempts before this call, and executions that are done or under way. */
  before = notCounted
  /** The execution slot this call holds. */
  slotId: string | undefined
  hookRecords: readonly HookRecord[] = nothing
  records: readonly ContractRecord[] = nothing
  observed: readonly ObservedRecord[] = nothing
  approvals: readonly ApprovalNeed[] = nothing
  policyError = false
  /** Arguments and principal as they go on record: masked once, for all events of the call. */
  recordedArgs: unknown
  recordedPrincipal: Readonly<Record<string, unknown>> | null | undefined

  constructor(parts: GuardParts, state: GuardState, snapshot: CallSnapshot) {
    const { envelope } = snapshot
    this.parts = parts
    this.state = state
    this.envelope = envelope
    this.sessionId = snapshot.sessionId
    this.signal = snapshot.signal
    this.obstacle = snapshot.obstacle
    this.plan = state.policy.planFor(envelope.toolName)
    this.scene = { envelope, readVariable: parts.readVariable, output: undefined }
  }

  addRecords(records: readonly ContractRecord[]): void {
    if (records.length > 0) this.records = this.records.length === 0 ? records : [...this.records, ...records]
  }

  observe(records: readonly ContractRecord[], from: ObservedRecord['from']): void {
    if (records.length > 0) this.observed = [...this.observed, ...records.map((record) => ({ record, from }))]
  }

  /** For hooks and contracts in code. */
  patienceWithCode(what: string): Patience {
    return { milliseconds: this.parts.codeMs, signal: this.signal, what }
  }

  /** For storage and sinks while the call can still be given up. */
  patienceWithPort(what: string): Patience {
    return { milliseconds: this.parts.portMs, signal: this.signal, what }
  }

  /** For storage and sinks once it must be told how the call ended, whether or not anybody still waits for it. */
  patienceToTheEnd(what: string): Patience {
    return { milliseconds: this.parts.portMs, signal: undefined, what }
  }
}
