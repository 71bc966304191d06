// What is known about one call while it is under way. The steps read it and write into it; nothing else does.
import type { Scene } from '../policy/conditions/scene.js'
import type { ToolEnvelope } from '../policy/envelope.js'
import type { ToolPlan } from '../policy/policy.js'
import type { ContractRecord } from '../policy/record.js'
import { CallFacts } from '../policy/sandbox/call-facts.js'
import type { ApprovalNeed } from './ask-approval.js'
import type { Denial } from './denial.js'
import type { CallGates } from './gates.js'
import type { GuardParts, GuardState } from './guard-parts.js'
import type { PausingApprovals } from './pausing-approvals.js'
import type { AuditEvent, HookRecord, StepWaits, WaitingStep } from './ports/audit-event.js'
import type { FollowedEnd } from './ports/audit-sink.js'
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
  /** What else has to agree. */
  readonly gates: CallGates | undefined
  /** Who asks for approvals in place of the backend. */
  readonly pausing: PausingApprovals | undefined
}

export class GuardedCall {
  readonly parts: GuardParts
  readonly state: GuardState
  readonly envelope: ToolEnvelope
  readonly sessionId: string
  readonly signal: AbortSignal | undefined
  readonly obstacle: Denial | undefined
  readonly gates: CallGates | undefined
  readonly pausing: PausingApprovals | undefined
  readonly plan: ToolPlan
  readonly scene: Scene
  /** Attempts before this call, and executions that are done or under way. */
  before = notCounted
  /** Whether the attempt was counted in a trip of its own. */
  isCounted = false
  /** The execution slot this call holds. */
  slotId: string | undefined
  hookRecords: readonly HookRecord[] = nothing
  records: readonly ContractRecord[] = nothing
  observed: readonly ObservedRecord[] = nothing
  approvals: readonly ApprovalNeed[] = nothing
  policyError = false
  /** What lets the call run, and what would have kept it from running. */
  admittedAs: Exclude<FollowedEnd['action'], 'denied'> = 'allowed'
  objection: string | null = null
  /** To be told when the call is over. */
  followers: ((end: FollowedEnd) => void) | undefined
  /** Arguments and principal as they go on record: masked once, for all events of the call. */
  recordedArgs: unknown
  recordedPrincipal: AuditEvent['principal'] = null
  /** Replaced, never changed: events keep what was known when they were made. */
  waits: StepWaits | undefined

  constructor(parts: GuardParts, state: GuardState, snapshot: CallSnapshot) {
    const { envelope } = snapshot
    this.parts = parts
    this.state = state
    this.envelope = envelope
    this.sessionId = snapshot.sessionId
    this.signal = snapshot.signal
    this.obstacle = snapshot.obstacle
    this.gates = snapshot.gates
    this.pausing = snapshot.pausing
    this.plan = state.policy.planFor(envelope.toolName)
    const { readVariable, analyseCommand } = parts
    const facts = new CallFacts(envelope.args, readVariable, analyseCommand)
    this.scene = { envelope, readVariable, facts, output: undefined }
  }

  addRecords(records: readonly ContractRecord[]): void {
    if (records.length > 0) this.records = this.records.length === 0 ? records : [...this.records, ...records]
  }

  observe(records: readonly ContractRecord[], from: ObservedRecord['from']): void {
    if (records.length > 0) this.observed = [...this.observed, ...records.map((record) => ({ record, from }))]
  }

  /** Only what has to be waited for is timed, so that a call that waits for nobody does not pay for the clock. */
  async waitIn<Answer>(step: WaitingStep, answer: PromiseLike<Answer>): Promise<Answer> {
    const { clock } = this.parts
    const from = clock.elapsed()
    try {
      return await answer
    } finally {
      const waited = Math.max(0, clock.elapsed() - from) || 0
      this.waits = { ...this.waits, [step]: (this.waits?.[step] ?? 0) + waited }
    }
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
