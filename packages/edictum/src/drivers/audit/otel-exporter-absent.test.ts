// A program that has installed the API of OpenTelemetry and nothing to send with.
import { describe, expect, it, vi } from 'vitest'

import { EdictumConfigError } from '../../contracts/config-error.js'
import { configureOtel } from './otel-setup.js'

vi.mock('node:module', async (importOriginal) => {
  const original = await importOriginal<{ createRequire: (from: string) => (name: string) => unknown }>()
  return {
    createRequire: (from: string) => (name: string) => {
      if (name.includes('exporter')) throw new Error('not installed')
      return original.createRequire(from)(name)
    },
  }
})

describe('without an exporter', () => {
  it.each([
    ['grpc', '@opentelemetry/exporter-trace-otlp-grpc'],
    ['http', '@opentelemetry/exporter-trace-otlp-proto'],
  ])('setting up over %s names the package that is missing', (protocol, name) => {
    const setUp = () => configureOtel({ protocol, force: true })
    expect(setUp).toThrow(EdictumConfigError)
    expect(setUp).toThrow(`${name} is not installed`)
  })
})
