// Spans that really leave the process, to servers that speak just enough of the two protocols.
import { createServer, type Server } from 'node:http'
import { createServer as createHttp2Server, type Http2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { trace } from '@opentelemetry/api'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { configureOtel, getTracer } from '../../src/otel.js'
import { guardOf } from './bundles.js'

interface Received {
  readonly path: string
  readonly body: string
}

async function listen(server: Server | Http2Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function openHttpCollector() {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ path: request.url ?? '', body: Buffer.concat(chunks).toString('latin1') })
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    })
  })
  return { endpoint: await listen(server), received }
}

async function openGrpcCollector() {
  const received: Received[] = []
  const server = createHttp2Server()
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      received.push({
        path: String(headers[':path']),
        body: Buffer.concat(chunks).toString('latin1'),
      })
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      // An empty message: not compressed, no bytes.
      stream.end(Buffer.alloc(5))
    })
  })
  return { endpoint: await listen(server), received }
}

describe('configureOtel', () => {
  afterEach(() => {
    trace.disable()
    vi.unstubAllEnvs()
  })

  it('sends spans over HTTP, with the name of the service and the attributes given', async () => {
    const { endpoint, received } = await openHttpCollector()
    const setup = configureOtel({
      endpoint,
      protocol: 'http',
      serviceName: 'my-agent',
      resourceAttributes: { team: 'blue' },
      edictumVersion: '9.9.9',
    })
    getTracer().startSpan('a span').end()
    await setup?.shutdown()
    expect(received.map(({ path }) => path)).toEqual(['/v1/traces'])
    for (const text of ['a span', 'service.name', 'my-agent', 'team', 'blue', 'edictum.version', '9.9.9'])
      expect(received[0]?.body).toContain(text)
  })

  it('sends spans over gRPC unless told otherwise', async () => {
    const { endpoint, received } = await openGrpcCollector()
    const setup = configureOtel({ endpoint })
    getTracer().startSpan('a span').end()
    await setup?.shutdown()
    expect(received.map(({ path }) => path)).toEqual([
      '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    ])
    for (const text of ['a span', 'edictum-agent']) expect(received[0]?.body).toContain(text)
  })

  it('follows the environment before its options', async () => {
    const { endpoint, received } = await openHttpCollector()
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint)
    vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf')
    vi.stubEnv('OTEL_SERVICE_NAME', 'from-environment')
    vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'team=red, region=a=b,nonsense')
    const setup = configureOtel({
      endpoint: 'http://127.0.0.1:1',
      serviceName: 'from-options',
      resourceAttributes: { team: 'blue' },
    })
    getTracer().startSpan('a span').end()
    await setup?.shutdown()
    const body = received[0]?.body ?? ''
    for (const text of ['from-environment', 'red', 'a=b']) expect(body).toContain(text)
    for (const text of ['from-options', 'blue', 'nonsense']) expect(body).not.toContain(text)
  })

  it('leaves a provider alone that the program has registered, unless it is forced', async () => {
    const first = configureOtel({ endpoint: 'http://127.0.0.1:1' })
    expect(first).toBeDefined()
    expect(configureOtel({ endpoint: 'http://127.0.0.1:1' })).toBeUndefined()
    const { endpoint, received } = await openHttpCollector()
    const forced = configureOtel({ endpoint, protocol: 'http', force: true })
    getTracer().startSpan('a span').end()
    await forced?.shutdown()
    expect(received).toHaveLength(1)
    await first?.shutdown()
  })

  it('encrypts when it must not be insecure: a server that only speaks plainly gets nothing', async () => {
    const { endpoint, received } = await openGrpcCollector()
    const setup = configureOtel({ endpoint, insecure: false })
    getTracer().startSpan('a span').end()
    await Promise.race([
      setup?.flush().catch(() => undefined),
      new Promise((resolve) => setTimeout(resolve, 500)),
    ])
    expect(received).toEqual([])
  })

  it('is done for a bundle that asks for it, and what waits is sent when the guard is closed', async () => {
    const { endpoint, received } = await openHttpCollector()
    const otel = {
      enabled: true,
      endpoint,
      protocol: 'http',
      service_name: 'bundled-agent',
      resource_attributes: { team: 'green' },
    }
    const guard = guardOf([], {}, { observability: { otel } })
    await guard.run('T', {}, () => 1)
    await guard.close()
    const body = received.map((request) => request.body).join('')
    for (const text of ['bundled-agent', 'green', 'tool.execute T', 'edictum.evaluate'])
      expect(body).toContain(text)
  })
})
