// Step 10: every decision is written down. Builds the events of one call and hands them to the sinks.
import type { Mode } from '../contracts/bundle.js'
import type { ContractRecord } from '../policy/record.js'
import type { ToolEnvelope } from '../policy/envelope.js'
import type { RedactionPolicy } from '../policy/redaction/redaction-policy.js'
import {
  type AuditAction,
  type AuditEvent,
  auditSchemaVersion,
  type HookRecord,
} from './ports/audit-event.js'
import type { AuditSink } from './ports/audit-sink.js'
import { isPromise, type Patience, waitFor } from './waiting.js'

export interface RecorderOptions {
  readonly envelope: ToolEnvelope
  readonly sessionId: string
  readonly sink: AuditSink
  readonly redaction: RedactionPolicy
  readonly policyVersion: string | null
  readonly mode: Mode
  readonly now: () => Date
  readonly patience: Patience
}

/** What differs from event to event. */
export interface EventDetails {
  readonly decisionSource?: string | null
  readonly decisionName?: string | null
  readonly reason?: string | null
  readonly hooksEvaluated?: readonly HookRecord[]
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
}

const nothing: readonly never[] = Object.freeze([])

export class Recorder {
  readonly #options: RecorderOptions
  #toolArgs: unknown
  #principal: AuditEvent['principal'] | undefined

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** Rejects when a sink fails to record, or does not answer in time. */
  emit(action: AuditAction, details: EventDetails): Promise<void> | void {
    const answer = this.#options.sink.emit(this.#event(action, details))
    return isPromise(answer) ? waitFor(answer, this.#options.patience) : undefined
  }

  #event(action: AuditAction, details: EventDetails): AuditEvent {
    const { envelope, redaction, sessionId, policyVersion, mode, now } = this.#options
    this.#toolArgs ??= redaction.redactArgs(envelope.args)
    this.#principal ??= this.#principalOnTheWire()
    return Object.freeze({
      schemaVersion: auditSchemaVersion,
      timestamp: now(),
      runId: envelope.runId,
      callId: envelope.callId,
      callIndex: envelope.callIndex,
      parentCallId: envelope.parentCallId,
      sessionId,
      toolName: envelope.toolName,
      toolArgs: this.#toolArgs,
      sideEffect: envelope.sideEffect,
      environment: envelope.environment,
      principal: this.#principal,
      action,
      decisionSource: details.decisionSource ?? null,
      decisionName: details.decisionName ?? null,
      reason:
        details.reason === undefined || details.reason === null
          ? null
          : redaction.redactBashCommand(details.reason),
      hooksEvaluated: details.hooksEvaluated ?? nothing,
      contractsEvaluated: details.contractsEvaluated ?? nothing,
      toolSuccess: details.toolSuccess ?? null,
      postconditionsPassed: details.postconditionsPassed ?? null,
      durationMs: details.durationMs ?? 0,
      error: details.error ?? null,
      resultSummary: details.resultSummary ?? null,
      sessionAttemptCount: details.attempts ?? 0,
      sessionExecutionCount: details.executions ?? 0,
      mode: details.mode ?? mode,
      policyVersion,
      policyError: details.policyError ?? false,
    })
  }

  #principalOnTheWire(): AuditEvent['principal'] {
    const { principal } = this.#options.envelope
    return principal === null ? null : principalToWire(principal, this.#options.redaction)
  }
}

export function principalToWire(
  principal: NonNullable<ToolEnvelope['principal']>,
  redaction: RedactionPolicy,
): Readonly<Record<string, unknown>> {
  return Object.freeze({
    user_id: principal.userId,
    service_id: principal.serviceId,
    org_id: principal.orgId,
    role: principal.role,
    ticket_ref: principal.ticketRef,
    claims: redaction.redactArgs(principal.claims),
  })
}
