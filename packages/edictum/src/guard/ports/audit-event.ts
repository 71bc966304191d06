// One line of the record: what was decided about a call, by which contract, for whom, and how it ended.
import type { Mode, SideEffect } from '../../contracts/bundle.js'
import type { ContractRecord } from '../../policy/record.js'
import { cut } from '../../policy/redaction/redaction-policy.js'
import { toPlainData } from './plain-data.js'

export const AuditAction = {
  CALL_DENIED: 'call_denied',
  CALL_WOULD_DENY: 'call_would_deny',
  CALL_ALLOWED: 'call_allowed',
  CALL_EXECUTED: 'call_executed',
  CALL_FAILED: 'call_failed',
  CALL_APPROVAL_REQUESTED: 'call_approval_requested',
  CALL_APPROVAL_GRANTED: 'call_approval_granted',
  CALL_APPROVAL_DENIED: 'call_approval_denied',
  CALL_APPROVAL_TIMEOUT: 'call_approval_timeout',
  LATE_RESULT_DISCARDED: 'late_result_discarded',
} as const

export type AuditAction = (typeof AuditAction)[keyof typeof AuditAction]

export interface HookRecord {
  readonly name: string
  readonly result: 'allow' | 'deny'
  readonly reason: string | null
}

/** The steps of a call that may have to wait for somebody: storage, code, a person, a sink. */
export type WaitingStep =
  'attempt' | 'hooks' | 'decide' | 'approve' | 'reserve' | 'inspect' | 'settle' | 'record'

/** Milliseconds by step. A step that is not in it had nobody to wait for. */
export type StepWaits = Readonly<Partial<Record<WaitingStep, number>>>

export interface AuditEvent {
  readonly schemaVersion: string
  readonly timestamp: Date
  readonly runId: string
  readonly callId: string
  readonly callIndex: number
  readonly parentCallId: string | null
  readonly sessionId: string
  readonly toolName: string
  /** Redacted. */
  readonly toolArgs: unknown
  readonly sideEffect: SideEffect
  readonly environment: string
  /** Wire form, redacted. */
  readonly principal: Readonly<Record<string, unknown>> | null
  readonly action: AuditAction
  readonly decisionSource: string | null
  readonly decisionName: string | null
  readonly reason: string | null
  readonly hooksEvaluated: readonly HookRecord[]
  readonly contractsEvaluated: readonly ContractRecord[]
  readonly toolSuccess: boolean | null
  readonly postconditionsPassed: boolean | null
  readonly durationMs: number
  readonly error: string | null
  readonly resultSummary: string | null
  readonly sessionAttemptCount: number
  readonly sessionExecutionCount: number
  readonly mode: Mode
  readonly policyVersion: string | null
  readonly policyError: boolean
  /** How the runtime calls the end of the call; absent for calls it does not run. */
  readonly outcome?: AuditOutcome | undefined
  /** How long the call had waited when the event was made; absent while nothing was waited for. */
  readonly waitsMs?: StepWaits | undefined
}

export interface AuditOutcome {
  readonly kind: 'executed' | 'timeout' | 'failure' | 'denied' | 'artifact'
  /** Why a call was denied. */
  readonly reason?: string
  readonly wasCoerced?: boolean
  readonly artifactId?: string
}

export const auditSchemaVersion = '0.3.0'

/** Passing records are the bulk of an event; beyond this many only the others go on the wire, with the count. */
const mostRecords = 50
/** In characters, without the newline. */
export const longestWireLine = 32_768
/** A value takes two characters or more, so this many do not fit on a line. */
const mostValues = longestWireLine / 2
const payloadTooLong = Object.freeze({ _redacted: 'payload exceeded 32KB' })

/** The event as it is stored and sent: snake_case names and plain data, whatever the event was made of. */
export function toWire(event: AuditEvent): Readonly<Record<string, unknown>> {
  const records = recordsOnTheWire(event).map(recordToWire)
  return Object.assign(fieldsOnTheWire(event), { contracts_evaluated: records })
}

/**
 * One line of JSON without its newline, of at most 32,768 characters. An event too large for that loses its payload,
 * then its records and the ends of its texts, never its decision.
 */
export function toWireLine(event: AuditEvent): string {
  const fields = fieldsOnTheWire(event)
  const records = recordsOnTheWire(event).map(stringifyRecord).join()
  const line = joinLine(fields, records)
  if (line.length <= longestWireLine) return line
  const light = { ...fields, tool_args: payloadTooLong, result_summary: undefined, _truncated: true }
  const lighter = joinLine(light, records)
  return lighter.length <= longestWireLine ? lighter : stringifyOnOneLine(inShort(light, event))
}

function joinLine(fields: object, records: string): string {
  return `${stringifyOnOneLine(fields).slice(0, -1)},"contracts_evaluated":[${records}]}`
}

function fieldsOnTheWire(event: AuditEvent): object {
  const toolArgs = boundedData(event.toolArgs)
  const { length } = event.contractsEvaluated
  return {
    schema_version: event.schemaVersion,
    timestamp: event.timestamp.toISOString(),
    run_id: event.runId,
    call_id: event.callId,
    call_index: event.callIndex,
    parent_call_id: event.parentCallId,
    session_id: event.sessionId,
    tool_name: event.toolName,
    tool_args: toolArgs,
    side_effect: event.sideEffect,
    environment: event.environment,
    principal: boundedData(event.principal),
    action: event.action,
    decision_source: event.decisionSource,
    decision_name: event.decisionName,
    reason: event.reason,
    hooks_evaluated: event.hooksEvaluated,
    contracts_evaluated_count: length > mostRecords ? length : undefined,
    tool_success: event.toolSuccess,
    postconditions_passed: event.postconditionsPassed,
    duration_ms: event.durationMs,
    error: event.error,
    result_summary: event.resultSummary,
    session_attempt_count: event.sessionAttemptCount,
    session_execution_count: event.sessionExecutionCount,
    mode: event.mode,
    policy_version: event.policyVersion,
    policy_error: event.policyError,
    outcome: event.outcome === undefined ? undefined : outcomeOnTheWire(event.outcome),
    waits_ms: event.waitsMs === undefined ? undefined : roundWaits(event.waitsMs),
    _truncated: toolArgs === payloadTooLong ? true : undefined,
  }
}

/** To the microsecond; the clock knows no more, and digits are bytes. */
function roundWaits(waits: StepWaits): StepWaits {
  return Object.fromEntries(Object.entries(waits).map(([step, ms]) => [step, Math.round(ms * 1_000) / 1_000]))
}

function outcomeOnTheWire({ kind, reason, wasCoerced, artifactId }: AuditOutcome): object {
  return { kind, reason, was_coerced: wasCoerced, artifact_id: artifactId }
}

function boundedData(value: unknown): unknown {
  const data = toPlainData(value, mostValues)
  return data === undefined ? payloadTooLong : data
}

function recordsOnTheWire({ contractsEvaluated: records }: AuditEvent): readonly ContractRecord[] {
  if (records.length <= mostRecords) return records
  return records.filter((record) => !record.passed || record.observed === true)
}

function recordToWire(record: ContractRecord): ContractRecord {
  const { metadata } = record
  return metadata === undefined ? record : { ...record, metadata: boundedData(metadata) as typeof metadata }
}

/** Most records are those of passing contracts, which differ in name and type alone. */
function stringifyRecord(record: ContractRecord): string {
  const { name, type, passed, message, metadata, observed } = record
  return passed && message === null && metadata === undefined && observed === undefined
    ? `{"name":${stringifyOnOneLine(name)},"type":"${type}","passed":true,"message":null}`
    : stringifyOnOneLine(recordToWire(record))
}

// Sixteen texts, five of the principal and two for each of ten records, escaped to six times their length, still fit.
const longestRemainingText = 120
const mostRemainingRecords = 10

function inShort(fields: object, event: AuditEvent): object {
  const failed = event.contractsEvaluated.filter((record) => !record.passed)
  return {
    ...shortScalars(fields),
    tool_args: payloadTooLong,
    principal: event.principal === null ? null : principalInShort(event.principal),
    hooks_evaluated: [],
    contracts_evaluated: failed
      .slice(0, mostRemainingRecords)
      .map(({ name, type, passed, message }) => shortScalars({ name, type, passed, message })),
    contracts_evaluated_count: event.contractsEvaluated.length,
  }
}

function principalInShort({
  user_id,
  service_id,
  org_id,
  role,
  ticket_ref,
}: Record<string, unknown>): object {
  return { ...shortScalars({ user_id, service_id, org_id, role, ticket_ref }), claims: payloadTooLong }
}

function shortScalars(fields: object): object {
  const short: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(fields) as [string, unknown][]) {
    if (typeof value === 'string') short[key] = cut(value, longestRemainingText)
    else if (typeof value !== 'object' || value === null) short[key] = value
  }
  return short
}

/** Any data as JSON text on one line, no longer than an event may be. */
export function toJsonText(value: unknown): string {
  const text = stringifyOnOneLine(boundedData(value))
  return text.length <= longestWireLine ? text : JSON.stringify(payloadTooLong)
}

/** JSON leaves these as they are, but some readers end a line at them and some terminals obey them. */
const unsafeOnALine = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/

function stringifyOnOneLine(plain: unknown): string {
  const text = JSON.stringify(plain)
  return unsafeOnALine.test(text) ? text.replaceAll(new RegExp(unsafeOnALine, 'g'), escapeCharacter) : text
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
