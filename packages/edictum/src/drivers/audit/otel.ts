// Audit events as OpenTelemetry spans and counters. The package `@opentelemetry/api` is the user's own: it is typed here
// by what is used of it, and without it the sink does nothing.
import { createRequire } from 'node:module'
import { AuditAction, type AuditEvent, toJsonText } from '../../guard/ports/audit-event.js'
import type { AuditSink, FollowedCall, FollowedEnd } from '../../guard/ports/audit-sink.js'
import { VERSION } from '../../version.js'

export type OtelAttributes = Readonly<Record<string, string | number | boolean>>

export interface OtelSpan {
  setAttributes(attributes: OtelAttributes): unknown
  setStatus(status: { readonly code: number; readonly message?: string }): unknown
  end(endTime?: Date): void
}

export interface OtelCounter {
  add(value: number, attributes?: OtelAttributes): void
}

export interface OtelTracer {
  startSpan(
    name: string,
    options?: { readonly attributes?: OtelAttributes; readonly startTime?: Date },
  ): OtelSpan
}

/** The part of `@opentelemetry/api` that is needed here; the whole module fits. */
export interface OtelApi {
  readonly trace: {
    getTracer(name: string, version?: string): OtelTracer
  }
  readonly metrics: {
    getMeter(name: string, version?: string): { createCounter(name: string): OtelCounter }
  }
}

export interface OtelAuditSinkOptions {
  /** For bundled programs, where the package cannot be found by name. @default the installed package, if there is one */
  readonly api?: OtelApi
  /** What has to be sent before the sink may go. */
  readonly setup?: { flush(): Promise<void> } | undefined
}

/** The values of `SpanStatusCode`. */
const statusOk = 1
const statusError = 2

/** Calls counted as denied that go on all the same. One that never ends is forgotten when this many are newer. */
const mostOpenCalls = 10_000

/**
 * A span `tool.execute <tool>` for every call, a span `edictum.evaluate` for every event, and the counters
 * `edictum.calls.allowed` and `edictum.calls.denied`, in which every call is counted once. Register your providers
 * before the first call, or let `configureOtel` do it.
 */
export class OtelAuditSink implements AuditSink {
  readonly #api: OtelApi | undefined
  readonly #setup: OtelAuditSinkOptions['setup']
  readonly #objectedCalls = new Set<string>()
  #counters: { readonly allowed: OtelCounter; readonly denied: OtelCounter } | undefined

  constructor(options: OtelAuditSinkOptions = {}) {
    this.#api = options.api ?? loadOtelApi()
    this.#setup = options.setup
  }

  emit(event: AuditEvent): void {
    if (this.#api === undefined) return
    const attributes = attributesOf(event)
    const { timestamp: startTime } = event
    const tracer = this.#api.trace.getTracer('edictum.governance', VERSION)
    const span = tracer.startSpan('edictum.evaluate', { attributes, startTime })
    span.setStatus(statusOf(event))
    span.end(startTime)
    this.#count(event, this.#api)
  }

  follow({ envelope, policyVersion }: FollowedCall): ((end: FollowedEnd) => void) | undefined {
    const tracer = this.#api?.trace.getTracer('edictum', VERSION)
    const span = tracer?.startSpan(`tool.execute ${envelope.toolName}`, {
      attributes: {
        'tool.name': envelope.toolName,
        'tool.side_effect': envelope.sideEffect,
        'tool.call_index': envelope.callIndex,
        'governance.environment': envelope.environment,
        'governance.run_id': envelope.runId,
        ...(policyVersion === null ? {} : { 'edictum.policy_version': policyVersion }),
      },
    })
    if (span === undefined) return undefined
    return (end) => {
      span.setAttributes(attributesOfEnd(end))
      span.setStatus(statusOfEnd(end))
      span.end()
    }
  }

  /** The provider stays: other guards may be using it. */
  async close(): Promise<void> {
    await this.#setup?.flush()
  }

  #count(event: AuditEvent, api: OtelApi): void {
    const { callId, toolName } = event
    const step = stepOf(event)
    if (step === 'on-the-way') return
    // Not made earlier: a meter asked for before its provider is registered never counts.
    this.#counters ??= createCounters(api)
    if (step === 'objected') this.#remember(callId)
    if (step === 'ran' && this.#objectedCalls.delete(callId)) return
    this.#counters[step === 'ran' ? 'allowed' : 'denied'].add(1, { 'tool.name': toolName })
  }

  #remember(callId: string): void {
    const [oldest] = this.#objectedCalls
    if (oldest !== undefined && this.#objectedCalls.size >= mostOpenCalls) this.#objectedCalls.delete(oldest)
    this.#objectedCalls.add(callId)
  }
}

/** Whether `@opentelemetry/api` is installed. */
export function hasOtel(): boolean {
  return loadOtelApi() !== undefined
}

/** Undefined when the package is not there or cannot be used; never throws. */
export function loadOtelApi(from: string | URL = import.meta.url): OtelApi | undefined {
  try {
    const api = createRequire(from)('@opentelemetry/api') as OtelApi
    return typeof api.trace.getTracer === 'function' && typeof api.metrics.getMeter === 'function'
      ? api
      : undefined
  } catch {
    return undefined
  }
}

function createCounters(api: OtelApi) {
  const meter = api.metrics.getMeter('edictum', VERSION)
  return {
    allowed: meter.createCounter('edictum.calls.allowed'),
    denied: meter.createCounter('edictum.calls.denied'),
  }
}

/** `objected`: counts as denied, and may run all the same because nothing is enforced. */
function stepOf(event: AuditEvent): 'on-the-way' | 'denied' | 'objected' | 'ran' {
  switch (event.action) {
    case AuditAction.CALL_DENIED:
    case AuditAction.CALL_APPROVAL_DENIED:
      return 'denied'
    case AuditAction.CALL_APPROVAL_TIMEOUT:
      return 'objected'
    case AuditAction.CALL_WOULD_DENY:
      return isWatching(event) ? 'on-the-way' : 'objected'
    case AuditAction.CALL_EXECUTED:
    case AuditAction.CALL_FAILED:
      return 'ran'
    case AuditAction.CALL_ALLOWED:
    case AuditAction.CALL_APPROVAL_REQUESTED:
    case AuditAction.CALL_APPROVAL_GRANTED:
    // The call was counted when it was given up.
    case AuditAction.LATE_RESULT_DISCARDED:
      return 'on-the-way'
    default:
      return event.action satisfies never
  }
}

/** A candidate or a contract in observe mode speaks for itself, not for the call. */
function isWatching({ decisionName, contractsEvaluated }: AuditEvent): boolean {
  if (decisionName === null) return false
  if (decisionName.endsWith(':candidate')) return true
  return contractsEvaluated.some((record) => record.name === decisionName && record.observed === true)
}

function statusOf({ action, reason }: AuditEvent): { readonly code: number; readonly message?: string } {
  switch (action) {
    case AuditAction.CALL_DENIED:
    case AuditAction.CALL_APPROVAL_DENIED:
    case AuditAction.CALL_APPROVAL_TIMEOUT:
      return reason === null ? { code: statusError } : { code: statusError, message: reason }
    default:
      return { code: statusOk }
  }
}

function attributesOfEnd(end: FollowedEnd): OtelAttributes {
  if (end.action === 'denied') return { 'governance.action': end.action, 'governance.reason': end.reason }
  const { action, reason, toolSuccess, postconditionsPassed } = end
  return {
    'governance.action': action,
    ...(reason === null ? {} : { 'governance.would_deny_reason': reason }),
    'governance.tool_success': toolSuccess,
    ...(postconditionsPassed === null ? {} : { 'governance.postconditions_passed': postconditionsPassed }),
  }
}

function statusOfEnd(end: FollowedEnd): { readonly code: number; readonly message?: string } {
  if (end.action === 'denied') return { code: statusError, message: end.reason }
  return { code: end.toolSuccess ? statusOk : statusError }
}

function attributesOf(event: AuditEvent): OtelAttributes {
  const { principal } = event
  const optional: Readonly<Record<string, unknown>> = {
    'edictum.verdict.reason': event.reason,
    'edictum.decision.source': event.decisionSource,
    'edictum.decision.name': event.decisionName,
    'edictum.principal.role': principal?.['role'],
    'edictum.principal.ticket_ref': principal?.['ticket_ref'],
    'edictum.principal.user_id': principal?.['user_id'],
    'edictum.principal.org_id': principal?.['org_id'],
    'edictum.policy_version': event.policyVersion,
  }
  const attributes: Record<string, string | number | boolean> = {
    'edictum.tool.name': event.toolName,
    'edictum.verdict': event.action,
    'edictum.side_effect': event.sideEffect,
    'edictum.environment': event.environment,
    'edictum.mode': event.mode,
    'edictum.session.attempt_count': event.sessionAttemptCount,
    'edictum.session.execution_count': event.sessionExecutionCount,
    'edictum.tool.args': toJsonText(event.toolArgs),
  }
  for (const [name, value] of Object.entries(optional)) {
    if (typeof value === 'string') attributes[name] = value
  }
  if (event.policyError) attributes['edictum.policy_error'] = true
  return attributes
}
