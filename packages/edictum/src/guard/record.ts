// Step 10: every decision is written down. Before the tool runs, what cannot be recorded is refused; after it has run,
// what cannot be recorded is warned about.
import { messageOf } from '../internal/message-of.js'
import { warn } from '../internal/platform.js'
import type { Mode } from '../contracts/bundle.js'
import type { Principal } from '../policy/envelope.js'
import { type ContractRecord, isPolicyError } from '../policy/record.js'
import type { RedactionPolicy } from '../policy/redaction/redaction-policy.js'
import type { Denial, Refused } from './denial.js'
import { noFields } from './frozen-data.js'
import type { GuardedCall } from './guarded-call.js'
import { AuditAction, type AuditEvent, type AuditOutcome, auditSchemaVersion } from './ports/audit-event.js'
import { maskJsonText } from './mask-json-text.js'
import { previewOf } from './preview.js'
import { type InspectedEnd, longestErrorText, visible } from './response.js'
import { shadowResults } from './shadow.js'
import { isPromise, type MaybePromise, waitFor } from './waiting.js'

/** What differs from event to event. What is left out is what the call knows at this moment. */
export interface EventDetails {
  readonly decisionSource?: string | null
  readonly decisionName?: string | null
  readonly reason?: string | null
  readonly contractsEvaluated?: readonly ContractRecord[]
  readonly toolSuccess?: boolean
  readonly postconditionsPassed?: boolean
  readonly durationMs?: number
  readonly error?: string | null
  readonly resultSummary?: string | null
  readonly attempts?: number
  readonly executions?: number
  readonly mode?: Mode
  readonly policyError?: boolean
  readonly outcome?: AuditOutcome | undefined
}

const nothing: readonly never[] = Object.freeze([])

const bundleSources = {
  precondition: 'yaml_precondition',
  sandbox: 'yaml_sandbox',
  session_contract: 'yaml_session',
  postcondition: 'yaml_postcondition',
} as const

/** Fails when a sink fails to record, or does not answer in time. */
export function emit(call: GuardedCall, action: AuditAction, details: EventDetails): MaybePromise<void> {
  const answer = call.parts.sink.emit(eventOf(call, action, details))
  // Recording goes on after the caller has given up: what was decided is on record either way.
  return isPromise(answer) ? waitFor(answer, call.patienceToTheEnd('the audit sink')) : undefined
}

/** For events after which nothing can be refused any more. */
export function emitQuietly(
  call: GuardedCall,
  action: AuditAction,
  details: EventDetails,
): MaybePromise<void> {
  try {
    const answer = emit(call, action, details)
    return isPromise(answer) ? answer.catch((error: unknown) => notRecorded(action, error)) : undefined
  } catch (error) {
    notRecorded(action, error)
  }
}

function notRecorded(action: AuditAction, error: unknown): void {
  warn(`an audit event (${action}) could not be recorded: ${messageOf(error)}`)
}

/** Before the tool runs, the decision must be on record: an action nobody can account for does not happen. */
export function recordAdmission(
  call: GuardedCall,
  { wouldDeny, wasAsked }: { readonly wouldDeny: Denial | undefined; readonly wasAsked: boolean },
): MaybePromise<Denial | undefined> {
  try {
    const recorded =
      wouldDeny === undefined
        ? emitAdmission(call, wasAsked)
        : emit(call, AuditAction.CALL_WOULD_DENY, detailsOf(wouldDeny))
    return isPromise(recorded) ? recorded.then(() => undefined, unrecordable) : undefined
  } catch (error) {
    return unrecordable(error)
  }
}

export function unrecordable(error: unknown): Denial {
  return {
    source: 'audit_error',
    name: null,
    reason: `The call could not be recorded, so it was not run: ${messageOf(error)}`,
    policyError: true,
  }
}

export function recordDenial(call: GuardedCall, denial: Denial, refused: Refused): MaybePromise<void> {
  if (denial.isRecorded === true) return undefined
  const details = detailsOf(denial)
  return emitQuietly(call, AuditAction.CALL_DENIED, {
    ...details,
    policyError: details.policyError === true || call.policyError,
    outcome: call.gates?.outcomeOf(refused),
  })
}

/** How the call ended. */
export function recordEnd(call: GuardedCall, end: InspectedEnd): MaybePromise<void> {
  const { judgement, inspection, counters, durationMs, outcome } = end
  const isSuccess = judgement.kind === 'succeeded'
  const said = whatWasSaid(call, end)
  return emitQuietly(call, isSuccess ? AuditAction.CALL_EXECUTED : AuditAction.CALL_FAILED, {
    toolSuccess: isSuccess,
    postconditionsPassed: inspection.passed,
    durationMs,
    error: said.error,
    resultSummary: said.resultSummary,
    contractsEvaluated: inspection.records,
    policyError:
      said.isUnknown || inspection.policyError || (judgement.kind === 'failed' && judgement.policyError),
    attempts: counters.attempts,
    executions: counters.executions,
    outcome,
  })
}

/** What may be kept of the output. That the tool ran is on record also when nobody can say. */
function whatWasSaid(
  { parts: { redaction } }: GuardedCall,
  { judgement, response, inspection }: InspectedEnd,
): { readonly error: string | null; readonly resultSummary: string | null; readonly isUnknown: boolean } {
  const isSuccess = judgement.kind === 'succeeded'
  try {
    const kept = visible(response, inspection.stored)
    const stored = isSuccess ? kept : maskJsonText(String(kept), redaction)
    return {
      error: isSuccess ? null : redaction.redactResult(String(stored), longestErrorText),
      resultSummary: redaction.redactResult(previewOf(stored, previewLength, redaction)),
      isUnknown: false,
    }
  } catch (error) {
    warn(`what a tool said could not be redacted and is not on record: ${messageOf(error)}`)
    return { error: isSuccess ? null : 'the tool failed', resultSummary: null, isUnknown: true }
  }
}

/** A little more than is kept of it, so that a secret across the end is seen as one. */
const previewLength = 600

function detailsOf({ source, name, reason, policyError = false }: Denial): EventDetails {
  return { decisionSource: source, decisionName: name, reason, policyError }
}

interface PendingEvent {
  readonly action: AuditAction
  readonly details: EventDetails
}

function emitAdmission(call: GuardedCall, wasAsked: boolean): MaybePromise<void> {
  const { observed, policyError, state } = call
  // Most calls have nobody who watches and leave one event.
  if (observed.length > 0 || state.candidates !== undefined || wasAsked)
    return emitInOrder(call, admissionEvents(call, wasAsked))
  return emit(call, AuditAction.CALL_ALLOWED, { policyError })
}

/** Contracts that only watch, the decision itself, then what the candidates would have said. */
function admissionEvents(call: GuardedCall, wasAsked: boolean): readonly PendingEvent[] {
  const events: PendingEvent[] = []
  for (const { record, from } of call.observed) {
    events.push({
      action: AuditAction.CALL_WOULD_DENY,
      details: {
        mode: 'observe',
        decisionSource: from === 'code' ? record.type : bundleSources[record.type],
        decisionName: record.name,
        reason: record.message,
        policyError: isPolicyError(record),
      },
    })
  }
  if (!wasAsked) events.push({ action: AuditAction.CALL_ALLOWED, details: { policyError: call.policyError } })
  const { candidates } = call.state
  if (candidates === undefined) return events
  for (const { passed, source, name, message } of shadowResults(candidates, call.scene, call.before)) {
    events.push({
      action: passed ? AuditAction.CALL_ALLOWED : AuditAction.CALL_WOULD_DENY,
      details: {
        mode: 'observe',
        decisionSource: source,
        decisionName: name,
        reason: message,
        contractsEvaluated: nothing,
      },
    })
  }
  return events
}

function emitInOrder(call: GuardedCall, events: readonly PendingEvent[], first = 0): MaybePromise<void> {
  for (let next = first; next < events.length; next++) {
    const { action, details } = events[next] as PendingEvent
    const answer = emit(call, action, details)
    if (isPromise(answer)) return answer.then(() => emitInOrder(call, events, next + 1))
  }
}

function eventOf(call: GuardedCall, action: AuditAction, details: EventDetails): AuditEvent {
  const { envelope, parts, before } = call
  const { reason = null } = details
  return Object.freeze({
    schemaVersion: auditSchemaVersion,
    timestamp: parts.clock.now(),
    runId: envelope.runId,
    callId: envelope.callId,
    callIndex: envelope.callIndex,
    parentCallId: envelope.parentCallId,
    sessionId: call.sessionId,
    toolName: envelope.toolName,
    toolArgs: (call.recordedArgs ??= parts.redaction.redactArgs(envelope.args)),
    sideEffect: envelope.sideEffect,
    environment: envelope.environment,
    principal: principalOnRecord(call),
    action,
    decisionSource: details.decisionSource ?? null,
    decisionName: details.decisionName ?? null,
    reason: reason === null ? null : parts.redaction.redactBashCommand(reason),
    hooksEvaluated: call.hookRecords,
    contractsEvaluated: details.contractsEvaluated ?? call.records,
    toolSuccess: details.toolSuccess ?? null,
    postconditionsPassed: details.postconditionsPassed ?? null,
    durationMs: details.durationMs ?? 0,
    error: details.error ?? null,
    resultSummary: details.resultSummary ?? null,
    sessionAttemptCount: details.attempts ?? before.attempts + 1,
    sessionExecutionCount: details.executions ?? before.executions,
    mode: details.mode ?? parts.mode,
    policyVersion: call.state.policyVersion,
    policyError: details.policyError ?? false,
    outcome: details.outcome,
    waitsMs: call.waits,
  })
}

/** Wire form, masked. */
export function principalOnRecord(call: GuardedCall): AuditEvent['principal'] {
  const { principal } = call.envelope
  if (principal === null) return null
  call.recordedPrincipal ??= principalToWire(principal, call.parts.redaction)
  return call.recordedPrincipal
}

/** Forms of principals without claims, in which nothing is masked. */
const wireForms = new WeakMap<Principal, NonNullable<AuditEvent['principal']>>()

function principalToWire(principal: Principal, redaction: RedactionPolicy): AuditEvent['principal'] {
  const known = wireForms.get(principal)
  if (known !== undefined) return known
  const wire = Object.freeze({
    user_id: principal.userId,
    service_id: principal.serviceId,
    org_id: principal.orgId,
    role: principal.role,
    ticket_ref: principal.ticketRef,
    claims: redaction.redactArgs(principal.claims),
  })
  if (principal.claims === noFields) wireForms.set(principal, wire)
  return wire
}

/** What code says is shown and stored like everything else: without secrets. */
export function maskedRecord(record: ContractRecord, redaction: RedactionPolicy): ContractRecord {
  if (record.passed) return record
  const message = record.message === null ? null : redaction.redactBashCommand(record.message)
  const metadata =
    record.metadata === undefined ? {} : { metadata: redaction.redactArgs(record.metadata) as object }
  return Object.freeze({ ...record, message, ...metadata }) as ContractRecord
}
