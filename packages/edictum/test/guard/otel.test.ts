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

import { hasOtel, OtelAuditSink } from '../../src/otel.js'
import { guardOf, pre } from './bundles.js'

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
    const finished = spans.getFinishedSpans()
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
    expect(spans.getFinishedSpans()).toHaveLength(2)
  })
})
