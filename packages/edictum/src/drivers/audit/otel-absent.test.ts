// A program that has not installed OpenTelemetry, told apart by the one call that would find the package.
import { describe, expect, it, vi } from 'vitest'

import { sampleAuditEvent } from '../../testing/sample-audit-event.js'
import { hasOtel, OtelAuditSink } from './otel.js'
import { configureOtel, getTracer } from './otel-setup.js'

vi.mock('node:module', () => ({
  createRequire: () => () => {
    throw new Error('not installed')
  },
}))

describe('without the package', () => {
  it('the sink does nothing and does not throw', () => {
    expect(hasOtel()).toBe(false)
    expect(new OtelAuditSink().emit(sampleAuditEvent())).toBeUndefined()
  })

  it('setting up is no error, and a tracer does nothing', () => {
    expect(configureOtel()).toBeUndefined()
    const span = getTracer().startSpan('s')
    expect(() => span.end()).not.toThrow()
  })
})
