import { AuditAction, type AuditEvent, auditSchemaVersion } from '../guard/ports/audit-event.js'

/** An event as a guard makes it for an allowed call, with the given fields in place of its own. */
export function sampleAuditEvent(fields: Partial<AuditEvent> = {}): AuditEvent {
  return Object.freeze({
    schemaVersion: auditSchemaVersion,
    timestamp: new Date('2026-03-01T12:00:00.000Z'),
    runId: 'run-1',
    callId: 'call-1',
    callIndex: 1,
    parentCallId: null,
    sessionId: 'session-1',
    toolName: 'read_file',
    toolArgs: Object.freeze({ path: 'notes.txt' }),
    sideEffect: 'read',
    environment: 'production',
    principal: null,
    action: AuditAction.CALL_ALLOWED,
    decisionSource: null,
    decisionName: null,
    reason: null,
    hooksEvaluated: Object.freeze([]),
    contractsEvaluated: Object.freeze([]),
    toolSuccess: null,
    postconditionsPassed: null,
    durationMs: 0,
    error: null,
    resultSummary: null,
    sessionAttemptCount: 1,
    sessionExecutionCount: 0,
    mode: 'enforce',
    policyVersion: null,
    policyError: false,
    ...fields,
  })
}
