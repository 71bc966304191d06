import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AuditAction, type AuditEvent } from '../../guard/ports/audit-event.js'
import { hostileAuditEvents } from '../../testing/hostile-audit-events.js'
import { sampleAuditEvent } from '../../testing/sample-audit-event.js'
import { loadOtelApi, type OtelApi, type OtelAttributes, OtelAuditSink } from './otel.js'

interface RecordedSpan {
  readonly tracer: string
  readonly name: string
  readonly attributes: OtelAttributes | undefined
  readonly startTime: Date | undefined
  status?: { readonly code: number; readonly message?: string }
  readonly endTimes: (Date | undefined)[]
}

/** A provider that keeps what it is told. */
function createProvider() {
  const spans: RecordedSpan[] = []
  const counts: string[] = []
  const meters: string[] = []
  const api: OtelApi = {
    trace: {
      getTracer: (tracer) => ({
        startSpan: (name, { attributes, startTime } = {}) => {
          const span: RecordedSpan = { tracer, name, attributes, startTime, endTimes: [] }
          spans.push(span)
          return {
            setAttributes: (more) => Object.assign(span, { attributes: { ...span.attributes, ...more } }),
            setStatus: (status) => (span.status = status),
            end: (endTime) => void span.endTimes.push(endTime),
          }
        },
      }),
    },
    metrics: {
      getMeter: (meter) => {
        meters.push(meter)
        return {
          createCounter: (name) => ({
            add: (value, attributes) =>
              void counts.push(`${name} ${String(attributes?.['tool.name'])} +${value}`),
          }),
        }
      },
    },
  }
  return { api, spans, counts, meters }
}

function record(...events: readonly Partial<AuditEvent>[]) {
  const provider = createProvider()
  const sink = new OtelAuditSink({ api: provider.api })
  for (const event of events) sink.emit(sampleAuditEvent(event))
  return provider
}

const allowed = 'edictum.calls.allowed read_file +1'
const denied = 'edictum.calls.denied read_file +1'
const {
  CALL_ALLOWED,
  CALL_APPROVAL_DENIED,
  CALL_APPROVAL_GRANTED,
  CALL_APPROVAL_REQUESTED,
  CALL_APPROVAL_TIMEOUT,
  CALL_DENIED,
  CALL_EXECUTED,
  CALL_FAILED,
  CALL_WOULD_DENY,
} = AuditAction

describe('OtelAuditSink', () => {
  it('makes one ended span of an event, at the time of the event', () => {
    const { timestamp } = sampleAuditEvent()
    const { spans } = record({})
    expect(spans).toHaveLength(1)
    expect(spans[0]).toMatchObject({
      tracer: 'edictum.governance',
      name: 'edictum.evaluate',
      startTime: timestamp,
      endTimes: [timestamp],
    })
  })

  it('describes the decision in the attributes of the span', () => {
    const { spans } = record({
      action: CALL_DENIED,
      decisionSource: 'yaml_precondition',
      decisionName: 'no-secrets',
      reason: 'secrets stay here',
      principal: {
        user_id: 'alice',
        org_id: 'acme',
        role: 'sre',
        ticket_ref: 'T-1',
        service_id: 's',
        claims: {},
      },
      policyVersion: 'abc',
      policyError: true,
      sessionAttemptCount: 3,
      sessionExecutionCount: 2,
    })
    expect(spans[0]?.attributes).toEqual({
      'edictum.tool.name': 'read_file',
      'edictum.verdict': 'call_denied',
      'edictum.verdict.reason': 'secrets stay here',
      'edictum.decision.source': 'yaml_precondition',
      'edictum.decision.name': 'no-secrets',
      'edictum.side_effect': 'read',
      'edictum.environment': 'production',
      'edictum.mode': 'enforce',
      'edictum.session.attempt_count': 3,
      'edictum.session.execution_count': 2,
      'edictum.tool.args': '{"path":"notes.txt"}',
      'edictum.principal.role': 'sre',
      'edictum.principal.ticket_ref': 'T-1',
      'edictum.principal.user_id': 'alice',
      'edictum.principal.org_id': 'acme',
      'edictum.policy_version': 'abc',
      'edictum.policy_error': true,
    })
  })

  it('leaves out what an event does not have', () => {
    const { spans } = record({ toolArgs: {}, principal: { role: null } })
    const attributes = spans[0]?.attributes ?? {}
    expect(attributes['edictum.tool.args']).toBe('{}')
    expect(Object.keys(attributes).filter((name) => /principal|reason|decision|policy/.test(name))).toEqual(
      [],
    )
  })

  it.each([
    [CALL_DENIED, 2],
    [CALL_APPROVAL_DENIED, 2],
    [CALL_APPROVAL_TIMEOUT, 2],
    [CALL_WOULD_DENY, 1],
    [CALL_ALLOWED, 1],
    [CALL_EXECUTED, 1],
    [CALL_FAILED, 1],
    [CALL_APPROVAL_REQUESTED, 1],
    [CALL_APPROVAL_GRANTED, 1],
  ])('gives the span of %s the status %i', (action, code) => {
    const { spans } = record({ action, reason: 'why' })
    expect(spans[0]?.status).toEqual(code === 2 ? { code, message: 'why' } : { code })
  })

  it('makes a span of an event whatever its content', () => {
    const events = hostileAuditEvents()
    const { spans } = record(...events)
    expect(spans).toHaveLength(events.length)
    for (const span of spans) {
      expect(span.endTimes).toHaveLength(1)
      expect(() => JSON.parse(String(span.attributes?.['edictum.tool.args'])) as unknown).not.toThrow()
    }
  })

  const observed = {
    mode: 'observe',
    decisionName: 'watches',
    contractsEvaluated: [
      { name: 'watches', type: 'precondition', passed: false, message: 'no', observed: true },
    ],
  } as const satisfies Partial<AuditEvent>
  const candidate = { mode: 'observe', decisionName: 'no-secrets:candidate' } as const

  it.each<[string, readonly Partial<AuditEvent>[], readonly string[]]>([
    ['a call that succeeds', [{ action: CALL_ALLOWED }, { action: CALL_EXECUTED }], [allowed]],
    ['a call that fails', [{ action: CALL_ALLOWED }, { action: CALL_FAILED }], [allowed]],
    ['a denied call', [{ action: CALL_DENIED }], [denied]],
    [
      'a call that an observing guard would deny',
      [{ action: CALL_WOULD_DENY, mode: 'observe', decisionName: 'no-secrets' }, { action: CALL_EXECUTED }],
      [denied],
    ],
    [
      'a call that an observing contract would deny',
      [{ action: CALL_WOULD_DENY, ...observed }, { action: CALL_ALLOWED }, { action: CALL_EXECUTED }],
      [allowed],
    ],
    [
      'a call that candidates allow and would deny',
      [
        { action: CALL_ALLOWED },
        { action: CALL_ALLOWED, ...candidate },
        { action: CALL_WOULD_DENY, ...candidate },
        { action: CALL_EXECUTED },
      ],
      [allowed],
    ],
    [
      'a call that two people approve',
      [
        { action: CALL_APPROVAL_REQUESTED },
        { action: CALL_APPROVAL_GRANTED },
        { action: CALL_APPROVAL_REQUESTED },
        { action: CALL_APPROVAL_GRANTED },
        { action: CALL_EXECUTED },
      ],
      [allowed],
    ],
    [
      'a call that is approved and then over a limit',
      [{ action: CALL_APPROVAL_REQUESTED }, { action: CALL_APPROVAL_GRANTED }, { action: CALL_DENIED }],
      [denied],
    ],
    [
      'a call that nobody approves',
      [{ action: CALL_APPROVAL_REQUESTED }, { action: CALL_APPROVAL_DENIED }],
      [denied],
    ],
    [
      'a call that nobody answers for and that runs all the same',
      [{ action: CALL_APPROVAL_REQUESTED }, { action: CALL_APPROVAL_TIMEOUT }, { action: CALL_EXECUTED }],
      [denied],
    ],
  ])('counts %s once', (_case, events, expected) => {
    const { counts, meters } = record(...events)
    expect(counts).toEqual(expected)
    expect(meters).toEqual(['edictum'])
  })

  it('forgets calls that never end', () => {
    const { api, counts } = createProvider()
    const sink = new OtelAuditSink({ api })
    const emit = (action: AuditAction, callId: string) => sink.emit(sampleAuditEvent({ action, callId }))
    for (let call = 0; call <= 10_000; call++) emit(CALL_APPROVAL_TIMEOUT, `call-${call}`)
    counts.length = 0
    emit(CALL_EXECUTED, 'call-0')
    emit(CALL_EXECUTED, 'call-1')
    expect(counts).toEqual([allowed])
  })

  it('surfaces what the provider throws', () => {
    const { api } = createProvider()
    const sink = new OtelAuditSink({
      api: {
        ...api,
        trace: {
          getTracer: () => {
            throw new Error('no tracer')
          },
        },
      },
    })
    expect(() => sink.emit(sampleAuditEvent())).toThrow('no tracer')
  })
})

/** A folder in which the package is what is given. */
function createInstallation(source: string | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-otel-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  if (source !== undefined) {
    const home = join(folder, 'node_modules', '@opentelemetry', 'api')
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'index.js'), source)
  }
  return join(folder, 'program.js')
}

describe('loadOtelApi', () => {
  it('finds the package where it is installed', () => {
    const from = createInstallation('exports.trace = { getTracer() {} }; exports.metrics = { getMeter() {} }')
    expect(loadOtelApi(from)).toHaveProperty('trace')
  })

  it.each([undefined, 'throw new Error("broken")', 'module.exports = null', 'exports.trace = {}'])(
    'finds nothing and does not throw when the package is %s',
    (source) => {
      expect(loadOtelApi(createInstallation(source))).toBeUndefined()
    },
  )
})
