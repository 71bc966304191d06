// One call through ten steps. Read `admit` and `finish` top to bottom and you have read the life of a call.
import { messageOf } from '../internal/message-of.js'
import type { Mode } from '../contracts/bundle.js'
import { warn } from '../internal/platform.js'
import { type Scene, ToolOutput } from '../policy/conditions/scene.js'
import { decidePreconditions, decideSandboxes, type StageDecision } from '../policy/decide.js'
import type { ToolEnvelope } from '../policy/envelope.js'
import { type InspectedOutput, type Inspection, inspect } from '../policy/inspect.js'
import type { Policy, ToolPlan } from '../policy/policy.js'
import { type ContractRecord, isPolicyError } from '../policy/record.js'
import { cut, type RedactionPolicy } from '../policy/redaction/redaction-policy.js'
import { redactValue } from '../policy/redaction/redact-value.js'
import { type ApprovalNeed, askApproval } from './approve.js'
import { AuditAction, type HookRecord } from './ports/audit-event.js'
import { type CodeContracts, judgeCodeContract } from './code-contracts.js'
import { EdictumToolError } from './errors.js'
import { type Finding, findingsOf } from './findings.js'
import type { Hooks } from './hooks.js'
import { judge, type SuccessCheck, type ToolEnding } from './judge.js'
import type { SessionLimitRules } from './limits.js'
import type { ApprovalBackend } from './ports/approval-backend.js'
import type { AuditSink } from './ports/audit-sink.js'
import type {
  Reservation,
  ReservationRequest,
  SessionCounters,
  Settlement,
  StorageBackend,
} from './ports/storage-backend.js'
import { previewOf } from './preview.js'
import { type EventDetails, principalToWire, Recorder } from './record.js'
import { Session } from './session.js'
import { reserve, settle } from './session-store.js'
import { shadowResults } from './shadow.js'
import { abortError, isPromise, type Patience, waitFor } from './waiting.js'

/** What a guard consists of for its whole life. */
export interface GuardParts {
  readonly mode: Mode
  readonly backend: StorageBackend
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

export interface CallOptions {
  readonly envelope: ToolEnvelope
  readonly sessionId: string
  readonly signal: AbortSignal | undefined
  /** A reason to refuse that was found before the first step. */
  readonly obstacle: Denial | undefined
}

export type Admission = Admitted | Refused

/** The call may run. Exactly one of `finish` and `abandon` must follow. */
export interface Admitted {
  readonly kind: 'admitted'
  readonly envelope: ToolEnvelope
  /** Tells how the tool ended. Judges it, inspects the output, counts and records. */
  finish(ending: ToolEnding): Promise<CallEnd>
  /** The tool will not run after all. Gives the slot back and records why. */
  abandon(reason?: string): Promise<void>
}

/** The call must not run. */
export interface Refused {
  readonly kind: 'refused'
  readonly envelope: ToolEnvelope
  readonly reason: string
  readonly decisionSource: string | null
  readonly decisionName: string | null
  readonly policyError: boolean
}

export type CallEnd = {
  readonly findings: readonly Finding[]
  readonly warnings: readonly string[]
  readonly postconditionsPassed: boolean
} & (
  | { readonly kind: 'executed'; readonly value: unknown; readonly outputSuppressed: boolean }
  | { readonly kind: 'failed'; readonly error: EdictumToolError }
)

export interface Denial {
  readonly source: string
  readonly name: string | null
  readonly reason: string
  readonly policyError?: boolean
  /** An approval that was refused is on record as such; it gets no second event. */
  readonly isRecorded?: true
}

interface ObservedRecord {
  readonly record: ContractRecord
  readonly from: 'bundle' | 'code'
}

const bundleSources = {
  precondition: 'yaml_precondition',
  sandbox: 'yaml_sandbox',
  session_contract: 'yaml_session',
  postcondition: 'yaml_postcondition',
} as const

const nothing: readonly never[] = Object.freeze([])
const noLimits = Object.freeze({})

export class GuardedCall {
  readonly #parts: GuardParts
  readonly #state: GuardState
  readonly #options: CallOptions
  readonly #plan: ToolPlan
  readonly #scene: Scene
  readonly #recorder: Recorder
  #slotId: string | undefined
  #before: SessionCounters = { attempts: 0, executions: 0, toolExecutions: 0 }
  #hooks: readonly HookRecord[] = nothing
  #records: readonly ContractRecord[] = nothing
  /** Contracts that fired and only watch, with where they come from. */
  #observed: readonly ObservedRecord[] = nothing
  #approvals: readonly ApprovalNeed[] = nothing
  #policyError = false
  #startedAt = 0
  #phase: 'deciding' | 'admitted' | 'over' = 'deciding'

  constructor(parts: GuardParts, state: GuardState, options: CallOptions) {
    const { envelope, sessionId } = options
    this.#parts = parts
    this.#state = state
    this.#options = options
    this.#plan = state.policy.planFor(envelope.toolName)
    this.#scene = { envelope, readVariable: parts.readVariable, output: undefined }
    this.#recorder = new Recorder({
      envelope,
      sessionId,
      sink: parts.sink,
      redaction: parts.redaction,
      policyVersion: state.policyVersion,
      mode: parts.mode,
      now: parts.clock.now,
      // Recording goes on after the caller has given up: what was decided is on record either way.
      patience: { milliseconds: parts.portMs, signal: undefined, what: 'the audit sink' },
    })
  }

  /** Steps 2 to 6. Whatever goes wrong on the way is a refusal; nothing lets a call through by failing. */
  async admit(): Promise<Admission> {
    const isEnforcing = this.#parts.mode === 'enforce'
    let denial = await this.#findDenial()
    const asks = this.#approvals.length > 0
    if (denial === undefined && asks) denial = isEnforcing ? await this.#approve() : unasked(this.#approvals)
    if (this.#slotId === undefined && (denial === undefined || !isEnforcing)) {
      const unavailable = await this.#takeSlot()
      denial ??= unavailable
    }
    // Giving up is the caller's own decision, not the contracts': it holds in every mode.
    const cancelled = this.#cancelled()
    if (cancelled !== undefined) return this.#refuse(cancelled)
    if (denial !== undefined && isEnforcing) return this.#refuse(denial)
    const failure = await this.#recordAdmission(denial, asks && isEnforcing)
    if (failure !== undefined && isEnforcing) return this.#refuse(failure)
    if (failure !== undefined) warn(failure.reason)
    notify('onAllow', () => this.#parts.onAllow?.(this.#options.envelope))
    this.#phase = 'admitted'
    this.#startedAt = this.#parts.clock.elapsed()
    return {
      kind: 'admitted',
      envelope: this.#options.envelope,
      finish: async (ending) => this.#finish(ending),
      abandon: async (reason) => this.#abandon(reason ?? 'abandoned before it ran'),
    }
  }

  /** Steps 2, 3 and 4, in order; the first denial ends them. */
  async #findDenial(): Promise<Denial | undefined> {
    const { hooks, code, mode } = this.#parts
    const { toolName } = this.#options.envelope
    // The pure part of step 4 needs no counters and comes first, so that a doomed call never holds a slot.
    const verdict = this.#decideByBundle()
    const mustWait = hooks.hasBefore(toolName) || code.decideBefore(toolName)
    const isClear = verdict.denial === undefined && verdict.approvals.length === 0 && !mustWait
    const { obstacle } = this.#options
    const mayTake = isClear && mode === 'enforce' && obstacle === undefined
    const unavailable = await this.#reserve('count', mayTake ? 'take' : 'leave')
    if (unavailable !== undefined) return unavailable
    if (obstacle !== undefined) return obstacle
    const oneTooMany = this.#state.limits.judgeAttempt(this.#before, this.#scene)
    if (oneTooMany !== undefined) return oneTooMany
    if (hooks.hasBefore(toolName)) {
      const outcome = await hooks.runBefore(this.#options.envelope, this.#patience('a hook'))
      const { redaction } = this.#parts
      this.#hooks = outcome.records.map((record) => ({
        ...record,
        reason: record.reason === null ? null : redaction.redactBashCommand(record.reason),
      }))
      if (outcome.denial !== undefined) return { source: 'hook', ...outcome.denial }
    }
    this.#records = verdict.records
    this.#observe(verdict.observed, 'bundle')
    this.#approvals = verdict.approvals
    this.#policyError = verdict.policyError
    if (verdict.denial !== undefined) return { ...verdict.denial, policyError: verdict.policyError }
    if (!mustWait) return this.#judgeLimits()
    return (
      (await this.#judgeCode('preconditions')) ?? this.#judgeLimits() ?? (await this.#judgeCode('sessions'))
    )
  }

  #decideByBundle(): StageDecision {
    const preconditions = decidePreconditions(this.#plan, this.#scene)
    if (preconditions.denial !== undefined || this.#plan.sandboxes.length === 0) return preconditions
    const sandboxes = decideSandboxes(this.#plan, this.#scene)
    return {
      records: [...preconditions.records, ...sandboxes.records],
      denial: sandboxes.denial,
      observed: [...preconditions.observed, ...sandboxes.observed],
      approvals:
        sandboxes.denial === undefined ? [...preconditions.approvals, ...sandboxes.approvals] : nothing,
      policyError: preconditions.policyError || sandboxes.policyError,
    }
  }

  #judgeLimits(): Denial | undefined {
    const { records, observed, denial } = this.#state.limits.judge(this.#before, this.#scene)
    if (records.length > 0)
      this.#records = this.#records.length === 0 ? records : [...this.#records, ...records]
    this.#observe(observed, 'bundle')
    return denial
  }

  #observe(records: readonly ContractRecord[], from: ObservedRecord['from']): void {
    if (records.length > 0)
      this.#observed = [...this.#observed, ...records.map((record) => ({ record, from }))]
  }

  async #judgeCode(stage: 'preconditions' | 'sessions'): Promise<Denial | undefined> {
    const { code, backend } = this.#parts
    const { envelope, sessionId } = this.#options
    for (const contract of code[stage]) {
      const check = () =>
        contract.kind === 'precondition'
          ? contract.check(envelope)
          : contract.check(new Session(sessionId, backend))
      const patience = this.#patience(`contract ${contract.name}`)
      const record = this.#masked(await judgeCodeContract(contract, envelope, { check, patience }))
      if (record === undefined) continue
      this.#records = [...this.#records, record]
      const isBroken = isPolicyError(record)
      this.#policyError ||= isBroken
      if (record.passed) continue
      if (contract.mode === 'observe') {
        this.#observe([record], 'code')
        continue
      }
      const message = record.message ?? ''
      if (contract.kind === 'precondition' && contract.effect === 'approve' && !isBroken) {
        this.#approvals = [...this.#approvals, { ...contract, source: contract.kind, message }]
        continue
      }
      return { source: contract.kind, name: contract.name, reason: message, policyError: isBroken }
    }
    return undefined
  }

  /** What code says is shown and stored like everything else: without secrets. */
  #masked(record: ContractRecord | undefined): ContractRecord | undefined {
    if (record === undefined || record.passed) return record
    const { redaction } = this.#parts
    const message = record.message === null ? null : redaction.redactBashCommand(record.message)
    const metadata =
      record.metadata === undefined ? {} : { metadata: redaction.redactArgs(record.metadata) as object }
    return Object.freeze({ ...record, message, ...metadata }) as ContractRecord
  }

  /** Step 5, once for each contract that asks. */
  async #approve(): Promise<Denial | undefined> {
    for (const need of this.#approvals) {
      const denial = await this.#askFor(need)
      if (denial !== undefined) return denial
    }
    return undefined
  }

  async #askFor(need: ApprovalNeed): Promise<Denial | undefined> {
    const { approvalBackend: backend, portMs, redaction } = this.#parts
    const { envelope, sessionId, signal } = this.#options
    const denied = (reason: string, more: Partial<Denial>): Denial => ({
      source: need.source,
      name: need.name,
      reason,
      ...more,
    })
    if (backend === undefined) {
      return denied(`Approval required but no approval backend configured: ${need.message}`, {})
    }
    const record = (action: AuditAction, reason: string | null) =>
      this.#emit(action, {
        decisionSource: need.source,
        decisionName: need.name,
        reason: reason ?? need.message,
      })
    const principal = envelope.principal === null ? null : principalToWire(envelope.principal, redaction)
    const onRequested = () => record(AuditAction.CALL_APPROVAL_REQUESTED, null)
    try {
      const answer = await askApproval(need, {
        backend,
        envelope,
        sessionId,
        principal,
        signal,
        portMs,
        onRequested,
      })
      switch (answer.kind) {
        case 'granted':
          await record(AuditAction.CALL_APPROVAL_GRANTED, null)
          return undefined
        case 'timeout':
          await record(AuditAction.CALL_APPROVAL_TIMEOUT, answer.reason)
          if (answer.effect === 'allow') return undefined
          return denied(answer.reason ?? need.message, { isRecorded: true })
        case 'denied':
          await record(AuditAction.CALL_APPROVAL_DENIED, answer.reason)
          return denied(answer.reason ?? need.message, { isRecorded: true })
        case 'broken':
          return denied(`Approval could not be obtained: ${need.message}`, { policyError: true })
        default:
          return answer satisfies never
      }
    } catch (error) {
      return unrecordable(error)
    }
  }

  /** Step 6 for calls that had to wait first: limits are looked at again, because counters have moved. */
  async #takeSlot(): Promise<Denial | undefined> {
    const unavailable = await this.#reserve('counted', 'take')
    if (unavailable !== undefined || this.#slotId !== undefined) return unavailable
    const { denial } = this.#state.limits.judge(this.#before, this.#scene)
    return (
      denial ?? {
        source: 'operation_limit',
        name: null,
        reason: 'Execution limit reached. Summarize progress and stop.',
      }
    )
  }

  async #reserve(
    attempt: ReservationRequest['attempt'],
    slot: ReservationRequest['slot'],
  ): Promise<Denial | undefined> {
    const { backend, mode, leaseSeconds } = this.#parts
    const { envelope, sessionId } = this.#options
    const limits = mode === 'enforce' ? this.#state.limits.valuesFor(envelope.toolName) : noLimits
    const request = { sessionId, toolName: envelope.toolName, attempt, slot, limits, leaseSeconds }
    try {
      const answer = reserve(backend, request)
      const reservation = isPromise(answer) ? await this.#waitForSlot(answer) : answer
      const { counters } = reservation
      // Attempts as this call found them; for a call counted before, others may have come in between.
      const attempts = attempt === 'count' ? finite(counters.attempts) - 1 : this.#before.attempts
      this.#before = {
        attempts,
        executions: finite(counters.executions),
        toolExecutions: finite(counters.toolExecutions),
      }
      if (reservation.slot.kind === 'taken') this.#slotId = reservation.slot.id
      return undefined
    } catch (error) {
      const detail = messageOf(error)
      return {
        source: 'storage_error',
        name: null,
        reason: `Session storage failed, the call was not run: ${detail}`,
        policyError: true,
      }
    }
  }

  /** A slot granted after nobody waits for it any more is given back at once. */
  async #waitForSlot(answer: PromiseLike<Reservation>): Promise<Reservation> {
    try {
      return await waitFor(answer, {
        milliseconds: this.#parts.portMs,
        signal: this.#options.signal,
        what: 'the session storage',
      })
    } catch (error) {
      answer.then(
        ({ slot }) => (slot.kind === 'taken' ? this.#settle(slot.id, 'released') : undefined),
        () => undefined,
      )
      throw error
    }
  }

  #cancelled(): Denial | undefined {
    const { signal } = this.#options
    return signal?.aborted === true
      ? { source: 'cancelled', name: null, reason: abortError(signal).message }
      : undefined
  }

  async #refuse(denial: Denial): Promise<Refused> {
    this.#phase = 'over'
    if (this.#slotId !== undefined) await this.#settle(this.#slotId, 'released')
    const { source, name, policyError = false } = denial
    const reason = this.#parts.redaction.redactBashCommand(denial.reason)
    if (denial.isRecorded === undefined) {
      await this.#emitQuietly(AuditAction.CALL_DENIED, {
        decisionSource: source,
        decisionName: name,
        reason,
        policyError: policyError || this.#policyError,
      })
    }
    notify('onDeny', () => this.#parts.onDeny?.(this.#options.envelope, reason, name))
    return {
      kind: 'refused',
      envelope: this.#options.envelope,
      reason,
      decisionSource: source,
      decisionName: name,
      policyError,
    }
  }

  /** Before the tool runs, the decision must be on record: an action nobody can account for does not happen. */
  async #recordAdmission(wouldDeny: Denial | undefined, wasAsked: boolean): Promise<Denial | undefined> {
    try {
      if (wouldDeny !== undefined) {
        const { source, name, reason, policyError = false } = wouldDeny
        await this.#emit(AuditAction.CALL_WOULD_DENY, {
          decisionSource: source,
          decisionName: name,
          reason,
          policyError,
        })
        return undefined
      }
      for (const { record, from } of this.#observed) {
        await this.#emit(AuditAction.CALL_WOULD_DENY, {
          mode: 'observe',
          decisionSource: from === 'code' ? record.type : bundleSources[record.type],
          decisionName: record.name,
          reason: record.message,
          policyError: isPolicyError(record),
        })
      }
      if (!wasAsked) {
        const answer = this.#emit(AuditAction.CALL_ALLOWED, { policyError: this.#policyError })
        if (isPromise(answer)) await answer
      }
      if (this.#state.candidates !== undefined) await this.#recordShadows(this.#state.candidates)
      return undefined
    } catch (error) {
      return unrecordable(error)
    }
  }

  async #recordShadows(candidates: Policy): Promise<void> {
    for (const result of shadowResults(candidates, this.#scene, this.#before)) {
      await this.#emit(result.passed ? AuditAction.CALL_ALLOWED : AuditAction.CALL_WOULD_DENY, {
        mode: 'observe',
        decisionSource: result.source,
        decisionName: result.name,
        reason: result.message,
        contractsEvaluated: nothing,
      })
    }
  }

  /** Steps 7 to 10. The tool has run; from here on nothing may hide how it ended. */
  async #finish(ending: ToolEnding): Promise<CallEnd> {
    this.#leaveAdmitted()
    const { envelope } = this.#options
    const durationMs = Math.max(0, Math.round(this.#parts.clock.elapsed() - this.#startedAt)) || 0
    const judgement = judge(envelope.toolName, ending, this.#parts.successCheck)
    const isSuccess = judgement.kind === 'succeeded'
    const response = isSuccess ? judgement.result : failureText(judgement.result, judgement.cause)
    const inspection = await this.#inspect(response)
    const policyError = inspection.policyError || (judgement.kind === 'failed' && judgement.policyError)
    const counters = await this.#settleQuietly(isSuccess ? 'executed' : 'failed')
    const shown = outputAs(response, inspection.output)
    const stored = outputAs(response, inspection.stored)
    const error = isSuccess ? null : this.#parts.redaction.redactResult(String(shown), 2_000)
    const recordedError = isSuccess ? null : this.#parts.redaction.redactResult(String(stored), 2_000)
    const details: EventDetails = {
      toolSuccess: isSuccess,
      postconditionsPassed: inspection.passed,
      durationMs,
      error: recordedError,
      resultSummary: this.#parts.redaction.redactResult(previewOf(stored, 600)),
      contractsEvaluated: inspection.records,
      policyError,
      attempts: counters.attempts,
      executions: counters.executions,
    }
    const recorded = this.#emitQuietly(
      isSuccess ? AuditAction.CALL_EXECUTED : AuditAction.CALL_FAILED,
      details,
    )
    if (isPromise(recorded)) await recorded
    const common = {
      findings:
        inspection.passed && inspection.warnings.length === 0 ? nothing : findingsOf(inspection.records),
      warnings: inspection.warnings,
      postconditionsPassed: inspection.passed,
    }
    if (isSuccess) {
      return {
        kind: 'executed',
        value: shown,
        outputSuppressed: inspection.output.kind === 'suppressed',
        ...common,
      }
    }
    return { kind: 'failed', error: this.#toolError(judgement, error ?? '', inspection), ...common }
  }

  /** Step 8: the bundle's postconditions, those in code, the candidates', then after-hooks. */
  async #inspect(response: unknown): Promise<Inspection> {
    const { mode, redaction, code, hooks } = this.#parts
    const { envelope } = this.#options
    const scene: Scene = {
      envelope,
      readVariable: this.#scene.readVariable,
      output: new ToolOutput(response),
    }
    const options = { sideEffect: envelope.sideEffect, mode, redaction }
    let inspection: Inspection = inspect(this.#plan, scene, options)
    if (code.postconditions.length > 0) inspection = await this.#inspectByCode(inspection, response)
    if (this.#state.candidates !== undefined) {
      const plan = this.#state.candidates.planFor(envelope.toolName)
      const { records, warnings } = inspect(plan, scene, { ...options, mode: 'observe' })
      if (records.length > 0) {
        inspection = {
          ...inspection,
          records: [
            ...inspection.records,
            ...records.map((record) => ({ ...record, observed: true as const })),
          ],
          warnings: [...inspection.warnings, ...warnings],
        }
      }
    }
    if (hooks.hasAfter(envelope.toolName)) await hooks.runAfter(envelope, response, this.#patience('a hook'))
    return inspection
  }

  async #inspectByCode(inspection: Inspection, response: unknown): Promise<Inspection> {
    const { code, mode } = this.#parts
    const { envelope } = this.#options
    const records = [...inspection.records]
    const warnings = [...inspection.warnings]
    let { passed, output, stored, policyError } = inspection
    for (const contract of code.postconditions) {
      const check = () => contract.check(envelope, response)
      const patience = this.#patience(`contract ${contract.name}`)
      const record = this.#masked(await judgeCodeContract(contract, envelope, { check, patience }))
      if (record === undefined) continue
      records.push(record)
      policyError ||= isPolicyError(record)
      if (record.passed) continue
      warnings.push(`\u26a0\ufe0f ${record.message ?? ''}`)
      const suppressed = { kind: 'suppressed', text: `[OUTPUT SUPPRESSED] ${record.message ?? ''}` } as const
      if (contract.effect === 'deny') stored = suppressed
      if (contract.mode === 'observe' || mode === 'observe') continue
      passed = false
      const isSafe = envelope.sideEffect === 'pure' || envelope.sideEffect === 'read'
      if (contract.effect === 'deny' && isSafe) output = suppressed
    }
    return { records, warnings, passed, output, stored, policyError }
  }

  #toolError(
    judgement: { readonly result: unknown; readonly cause: unknown },
    message: string,
    inspection: Inspection,
  ): EdictumToolError {
    const { redaction } = this.#parts
    const redact = (text: string) => redaction.redactBashCommand(text)
    const isTouched = inspection.output.kind !== 'untouched'
    const mask = (value: unknown) => (isTouched ? message : redactValue(value, redact))
    const { cause, result } = judgement
    return new EdictumToolError(message, {
      cause: cause === undefined || isTouched ? undefined : redactValue(cause, redact),
      result: mask(result),
    })
  }

  async #abandon(reason: string): Promise<void> {
    this.#leaveAdmitted()
    if (this.#slotId !== undefined) await this.#settle(this.#slotId, 'released')
    await this.#emitQuietly(AuditAction.CALL_FAILED, { toolSuccess: false, error: cut(reason, 500) })
  }

  #leaveAdmitted(): void {
    if (this.#phase !== 'admitted') throw new Error('a call is finished or abandoned exactly once')
    this.#phase = 'over'
  }

  /** Step 9. */
  async #settleQuietly(outcome: Settlement['outcome']): Promise<SessionCounters> {
    const settled = this.#slotId === undefined ? undefined : await this.#settle(this.#slotId, outcome)
    return settled ?? { ...this.#before, attempts: this.#before.attempts + 1 }
  }

  /** Undefined when the backend failed: the call is over, so there is nothing left to refuse, only to warn about. */
  async #settle(slotId: string, outcome: Settlement['outcome']): Promise<SessionCounters | undefined> {
    const { sessionId, envelope } = this.#options
    try {
      const answer = settle(this.#parts.backend, { sessionId, toolName: envelope.toolName, slotId, outcome })
      return isPromise(answer)
        ? await waitFor(answer, {
            milliseconds: this.#parts.portMs,
            signal: undefined,
            what: 'the session storage',
          })
        : answer
    } catch (error) {
      warn(`a call of ${envelope.toolName} could not be counted: ${messageOf(error)}`)
      return undefined
    }
  }

  #patience(what: string): Patience {
    return { milliseconds: this.#parts.codeMs, signal: this.#options.signal, what }
  }

  #emit(action: AuditAction, details: EventDetails): Promise<void> | void {
    return this.#recorder.emit(action, {
      hooksEvaluated: this.#hooks,
      contractsEvaluated: this.#records,
      attempts: this.#before.attempts + 1,
      executions: this.#before.executions,
      ...details,
    })
  }

  /** For events after which nothing can be refused any more. */
  #emitQuietly(action: AuditAction, details: EventDetails): Promise<void> | void {
    const failed = (error: unknown) => {
      warn(`an audit event (${action}) could not be recorded: ${messageOf(error)}`)
    }
    try {
      const answer = this.#emit(action, details)
      return isPromise(answer) ? answer.then(undefined, failed) : undefined
    } catch (error) {
      failed(error)
    }
  }
}

function unasked(approvals: readonly ApprovalNeed[]): Denial | undefined {
  const [first] = approvals
  return first === undefined ? undefined : { source: first.source, name: first.name, reason: first.message }
}

function unrecordable(error: unknown): Denial {
  const detail = messageOf(error)
  return {
    source: 'audit_error',
    name: null,
    reason: `The call could not be recorded, so it was not run: ${detail}`,
    policyError: true,
  }
}

/** Callbacks are told, not asked: what they throw changes nothing. */
function notify(name: string, callback: () => void): void {
  try {
    callback()
  } catch (error) {
    warn(`${name} threw: ${messageOf(error)}`)
  }
}

function finite(count: number): number {
  if (!Number.isFinite(count))
    throw new TypeError('the session storage returned a counter that is not a number')
  return count
}

function outputAs(response: unknown, output: InspectedOutput): unknown {
  switch (output.kind) {
    case 'untouched':
      return response
    case 'redacted':
      return output.value
    case 'suppressed':
      return output.text
    default:
      return output satisfies never
  }
}

/** What a failed tool said: the message of what it threw, or the text of what it returned. */
function failureText(result: unknown, cause: unknown): string {
  if (cause instanceof Error && result === cause) return cause.message
  if (typeof result === 'string') return result
  try {
    return JSON.stringify(result) ?? 'the tool failed'
  } catch {
    return 'the tool failed'
  }
}
