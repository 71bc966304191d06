import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ContractRecord } from '../../policy/record.js'
import { hostileAuditEvents } from '../../testing/hostile-audit-events.js'
import { sampleAuditEvent } from '../../testing/sample-audit-event.js'
import {
  AuditAction,
  type AuditEvent,
  longestWireLine,
  toJsonText,
  toWire,
  toWireLine,
} from './audit-event.js'

const passed: ContractRecord = { name: 'passes', type: 'precondition', passed: true, message: null }
const failed: ContractRecord = {
  name: 'fails',
  type: 'postcondition',
  passed: false,
  message: 'no',
  metadata: { tags: ['pii'] },
}
const observed: ContractRecord = { ...failed, name: 'watches', observed: true }

function parseLine(event: AuditEvent): Record<string, unknown> {
  const line = toWireLine(event)
  // oxlint-disable-next-line no-control-regex -- none of them may be on the line
  expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/)
  expect(line.length).toBeLessThanOrEqual(longestWireLine)
  return JSON.parse(line) as Record<string, unknown>
}

describe('toWireLine', () => {
  it('writes every field under its wire name', () => {
    const event = sampleAuditEvent({
      principal: { user_id: 'alice', claims: { team: 'ops' } },
      action: AuditAction.CALL_FAILED,
      decisionSource: 'yaml_precondition',
      decisionName: 'fails',
      reason: 'because',
      hooksEvaluated: [{ name: 'hook', result: 'allow', reason: null }],
      contractsEvaluated: [passed, failed, observed],
      toolSuccess: false,
      postconditionsPassed: true,
      durationMs: 12,
      error: 'broken',
      resultSummary: 'nothing',
      policyVersion: 'abc',
      policyError: true,
    })
    expect(parseLine(event)).toEqual({
      schema_version: '0.3.0',
      timestamp: '2026-03-01T12:00:00.000Z',
      run_id: 'run-1',
      call_id: 'call-1',
      call_index: 1,
      parent_call_id: null,
      session_id: 'session-1',
      tool_name: 'read_file',
      tool_args: { path: 'notes.txt' },
      side_effect: 'read',
      environment: 'production',
      principal: { user_id: 'alice', claims: { team: 'ops' } },
      action: 'call_failed',
      decision_source: 'yaml_precondition',
      decision_name: 'fails',
      reason: 'because',
      hooks_evaluated: [{ name: 'hook', result: 'allow', reason: null }],
      contracts_evaluated: [passed, failed, observed],
      tool_success: false,
      postconditions_passed: true,
      duration_ms: 12,
      error: 'broken',
      result_summary: 'nothing',
      session_attempt_count: 1,
      session_execution_count: 0,
      mode: 'enforce',
      policy_version: 'abc',
      policy_error: true,
    })
  })

  it('writes null for what an event does not have', () => {
    expect(parseLine(sampleAuditEvent())).toMatchObject({ principal: null, reason: null, tool_success: null })
  })

  it('carries up to 50 records whole', () => {
    const records = [...Array<ContractRecord>(49).fill(passed), failed]
    const wire = parseLine(sampleAuditEvent({ contractsEvaluated: records }))
    expect(wire['contracts_evaluated']).toEqual(records)
    expect(wire).not.toHaveProperty('contracts_evaluated_count')
  })

  it('carries of more than 50 records only those that failed or were observed, and the count', () => {
    const watching: ContractRecord = { ...passed, observed: true }
    const records = [...Array<ContractRecord>(500).fill(passed), failed, watching]
    const wire = parseLine(sampleAuditEvent({ contractsEvaluated: records }))
    expect(wire['contracts_evaluated']).toEqual([failed, watching])
    expect(wire['contracts_evaluated_count']).toBe(502)
  })

  it.each(hostileAuditEvents().map((event) => [event.callId, event] as const))(
    'writes one line of JSON for %s',
    (callId, event) => {
      expect(parseLine(event)).toMatchObject({ call_id: callId, action: 'call_allowed', mode: 'enforce' })
    },
  )

  it('writes one line of JSON for any arguments', () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
    })
    fc.assert(
      fc.property(anything, fc.string({ unit: 'binary' }), (toolArgs, reason) => {
        expect(parseLine(sampleAuditEvent({ toolArgs, reason }))['call_id']).toBe('call-1')
      }),
    )
  })

  it('writes text so that it reads back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
        const wire = parseLine(sampleAuditEvent({ reason: text, toolArgs: { [`key ${text}`]: text } }))
        expect([wire['reason'], wire['tool_args']]).toEqual([text, { [`key ${text}`]: text }])
      }),
    )
  })

  it('calls nothing the data carries', () => {
    const toolArgs = { token: '[REDACTED]', toJSON: () => ({ token: 'hunter2' }) }
    expect(parseLine(sampleAuditEvent({ toolArgs }))['tool_args']).toEqual({ token: '[REDACTED]' })
  })

  it('says in words what JSON cannot say', () => {
    const toolArgs = { id: 2n ** 70n, ratio: Number.NaN, at: new Date(0), never: new Date(Number.NaN) }
    expect(parseLine(sampleAuditEvent({ toolArgs }))['tool_args']).toEqual({
      id: '1180591620717411303424',
      ratio: 'NaN',
      at: '1970-01-01T00:00:00.000Z',
      never: null,
    })
  })

  it('keeps a field named __proto__ as a field', () => {
    const toolArgs: unknown = JSON.parse('{"__proto__":{"role":"admin"}}')
    expect(toWireLine(sampleAuditEvent({ toolArgs }))).toContain('"tool_args":{"__proto__":{"role":"admin"}}')
  })

  it('keeps the payload of a line of exactly the longest length, and not of a longer one', () => {
    const room = longestWireLine - toWireLine(sampleAuditEvent({ toolArgs: { text: '' } })).length
    const whole = sampleAuditEvent({ toolArgs: { text: 'x'.repeat(room) } })
    expect(toWireLine(whole)).toHaveLength(longestWireLine)
    expect(parseLine(whole)['tool_args']).toEqual(whole.toolArgs)
    const longer = sampleAuditEvent({ toolArgs: { text: 'x'.repeat(room + 1) }, resultSummary: 'summary' })
    const wire = parseLine(longer)
    expect(wire).toMatchObject({ _truncated: true, tool_args: { _redacted: 'payload exceeded 32KB' } })
    expect(wire).not.toHaveProperty('result_summary')
    expect(longer.resultSummary).toBe('summary')
  })

  it('keeps records and claims when leaving out the payload is enough', () => {
    const wire = parseLine(
      sampleAuditEvent({
        toolArgs: { text: 'x'.repeat(longestWireLine) },
        principal: { claims: { team: 'ops' } },
        contractsEvaluated: [passed, failed],
      }),
    )
    expect(wire).toMatchObject({
      _truncated: true,
      principal: { claims: { team: 'ops' } },
      contracts_evaluated: [passed, failed],
    })
  })

  it('never loses the decision, however long everything is', () => {
    const long = '\u0001'.repeat(6_000)
    const wire = parseLine(
      sampleAuditEvent({
        runId: long,
        callId: long,
        parentCallId: long,
        sessionId: long,
        toolName: long,
        toolArgs: long,
        environment: long,
        principal: {
          user_id: long,
          service_id: long,
          org_id: long,
          role: long,
          ticket_ref: { long },
          claims: long,
        },
        action: AuditAction.CALL_DENIED,
        decisionSource: long,
        decisionName: `no-secrets${long}`,
        reason: `denied${long}`,
        hooksEvaluated: Array.from({ length: 100 }, () => ({ name: long, result: 'deny', reason: long })),
        contractsEvaluated: Array.from({ length: 300 }, () => ({ ...failed, name: long, message: long })),
        error: long,
        resultSummary: long,
        policyVersion: long,
        policyError: true,
      }),
    )
    expect(wire).toMatchObject({
      _truncated: true,
      action: 'call_denied',
      policy_error: true,
      mode: 'enforce',
    })
    expect(wire['decision_name']).toMatch(/^no-secrets/)
    expect(wire['reason']).toMatch(/^denied/)
    expect(wire['contracts_evaluated']).toHaveLength(10)
    expect(wire['contracts_evaluated_count']).toBe(300)
  })
})

describe('toWireLine, of waiting', () => {
  it('writes milliseconds by step to the microsecond, and nothing for a call that waited for nobody', () => {
    const event = sampleAuditEvent({ waitsMs: { attempt: 1.23456, settle: 0.0004 } })
    expect(parseLine(event)['waits_ms']).toEqual({ attempt: 1.235, settle: 0 })
    expect(parseLine(sampleAuditEvent())).not.toHaveProperty('waits_ms')
  })
})

describe('toWire', () => {
  it('is what the line says', () => {
    const event = sampleAuditEvent({ contractsEvaluated: [passed, failed, observed] })
    expect(JSON.parse(JSON.stringify(toWire(event)))).toEqual(JSON.parse(toWireLine(event)))
  })
})

describe('toJsonText', () => {
  it('writes any value on one line', () => {
    expect(toJsonText({ text: 'a\u2028b', id: 1n })).toBe(String.raw`{"text":"a\u2028b","id":"1"}`)
    expect(toJsonText(undefined)).toBe('null')
  })

  it('does not write more than fits on a line', () => {
    const tooLong = '{"_redacted":"payload exceeded 32KB"}'
    expect(toJsonText(Array.from({ length: 100_000 }, () => 0))).toBe(tooLong)
    expect(toJsonText('x'.repeat(longestWireLine))).toBe(tooLong)
  })
})
