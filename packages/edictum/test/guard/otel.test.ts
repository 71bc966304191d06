// Spans and counters through the real OpenTelemetry packages.
import { metrics, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { ApprovalBackend, ApprovalDecision, EdictumOptions } from '../../src/index.js'
import { hasOtel, OtelAuditSink } from '../../src/otel.js'
import { always, approve, guardOf, pre } from './bundles.js'

const spans = new InMemorySpanExporter()
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 1_000_000 })
const meters = new MeterProvider({ readers: [reader] })
const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })

describe('OtelAuditSink', () => {
  beforeAll(() => {
    trace.setGlobalTracerProvider(tracers)
    metrics.setGlobalMeterProvider(meters)
  })
  afterAll(async () => {
    await Promise.all([tracers.shutdown(), meters.shutdown()])
    trace.disable()
    metrics.disable()
  })

  it('finds the installed package by itself', () => {
    expect(hasOtel()).toBe(true)
  })

  it('makes a span of every event and counts every call once', async () => {
    const guard = guardOf([pre('no-x', { 'args.x': { exists: true } })], {
      auditSink: new OtelAuditSink(),
      principal: { role: 'agent' },
    })
    await guard.run('T', {}, () => 1)
    await guard.run('T', { x: 1, password: 'hunter2' }, () => 1).catch(() => undefined)
    const finished = spans.getFinishedSpans().filter(({ name }) => name === 'edictum.evaluate')
    expect(finished.map(({ attributes }) => attributes['edictum.verdict'])).toEqual([
      'call_allowed',
      'call_executed',
      'call_denied',
    ])
    const denied = finished.at(-1)
    expect(denied?.name).toBe('edictum.evaluate')
    expect(denied?.status.code).toBe(2)
    expect(denied?.attributes).toMatchObject({
      'edictum.tool.name': 'T',
      'edictum.verdict.reason': 'no-x says no',
      'edictum.decision.name': 'no-x',
      'edictum.principal.role': 'agent',
      'edictum.tool.args': '{"x":1,"password":"[REDACTED]"}',
    })
    await reader.forceFlush()
    const counters =
      measured
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? []
    expect(counters.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints[0]?.value])).toEqual([
      ['edictum.calls.allowed', 1],
      ['edictum.calls.denied', 1],
    ])
  })

  it('is wired by a bundle that asks for it', async () => {
    spans.reset()
    const guard = guardOf([], {}, { observability: { otel: { enabled: true } } })
    await guard.run('T', {}, () => 1)
    expect(spans.getFinishedSpans().map(({ name }) => name)).toEqual([
      'edictum.evaluate',
      'edictum.evaluate',
      'tool.execute T',
    ])
  })

  describe('makes a span tool.execute of every call, ended once', () => {
    const answering = (decision: ApprovalDecision): ApprovalBackend => ({
      requestApproval: async () => ({ approvalId: 'a' }),
      waitForDecision: async () => decision,
    })
    const granting = { approvalBackend: answering({ approved: true, status: 'approved' }) }
    const silent = { approvalBackend: answering({ approved: false, status: 'timeout' }) }
    const asks = [approve('ask', always)]
    const asksOrAllows = [approve('ask', always, { timeout_effect: 'allow' })]
    const succeeded = { 'governance.tool_success': true, 'governance.postconditions_passed': true }
    const failed = { 'governance.tool_success': false, 'governance.postconditions_passed': true }
    const denied = { 'governance.action': 'denied', 'governance.reason': 'no says no' }
    const ok = 1
    const error = 2

    interface Case {
      readonly name: string
      readonly contracts?: readonly object[]
      readonly options?: EdictumOptions
      readonly returns?: unknown
      readonly attributes: object
      readonly status: number
    }
    const cases: readonly Case[] = [
      { name: 'allowed', attributes: { 'governance.action': 'allowed', ...succeeded }, status: ok },
      {
        name: 'allowed and failed',
        returns: 'Error: x',
        attributes: { 'governance.action': 'allowed', ...failed },
        status: error,
      },
      { name: 'denied', contracts: [pre('no', always)], attributes: denied, status: error },
      {
        name: 'denied in a guard that observes',
        contracts: [pre('no', always)],
        options: { mode: 'observe' },
        attributes: {
          'governance.action': 'would_deny',
          'governance.would_deny_reason': 'no says no',
          ...succeeded,
        },
        status: ok,
      },
      {
        name: 'approved',
        contracts: asks,
        options: granting,
        attributes: { 'governance.action': 'approved', ...succeeded },
        status: ok,
      },
      {
        name: 'nobody answered',
        contracts: asks,
        options: silent,
        attributes: { 'governance.action': 'denied', 'governance.reason': 'ask asks' },
        status: error,
      },
      {
        name: 'nobody answered, which the contract allows',
        contracts: asksOrAllows,
        options: silent,
        attributes: { 'governance.action': 'timeout_allow', ...succeeded },
        status: ok,
      },
    ]
    it.each(cases)('$name', async ({ contracts = [], options, returns, attributes, status }) => {
      spans.reset()
      const guard = guardOf(contracts, { auditSink: new OtelAuditSink(), ...options })
      await guard.run('T', {}, () => returns, { sessionId: 's', callIndex: 3 }).catch(() => undefined)
      const calls = spans.getFinishedSpans().filter(({ name }) => name === 'tool.execute T')
      expect(calls).toHaveLength(1)
      expect(calls[0]?.attributes).toEqual({
        'tool.name': 'T',
        'tool.side_effect': 'irreversible',
        'tool.call_index': 3,
        'governance.environment': 'production',
        'governance.run_id': 's',
        'edictum.policy_version': guard.policyVersion,
        ...attributes,
      })
      expect(calls[0]?.status.code).toBe(status)
      expect(calls[0]?.instrumentationScope.name).toBe('edictum')
    })

    it('abandoned', async () => {
      spans.reset()
      const guard = guardOf([], { auditSink: new OtelAuditSink() })
      const admission = await guard.begin({ toolName: 'T', args: {} })
      if (admission.kind === 'admitted') await admission.abandon()
      const [call] = spans.getFinishedSpans().filter(({ name }) => name === 'tool.execute T')
      expect(call?.attributes).toMatchObject({ 'governance.tool_success': false })
      expect(call?.status.code).toBe(error)
    })
  })

  it('cannot break a call by failing to follow it', async () => {
    const breaks = () => {
      throw new Error('broken')
    }
    let ended = 0
    const guard = guardOf([], {
      auditSink: [
        { emit: () => undefined, follow: breaks },
        { emit: () => undefined, follow: () => breaks },
        { emit: () => undefined, follow: () => () => void ++ended },
      ],
    })
    expect(await guard.run('T', {}, () => 'fine')).toBe('fine')
    expect(ended).toBe(1)
  })
})
