import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { EdictumConfigError } from '../contracts/config-error.js'
import {
  EdictumServerClient,
  recognised,
  type ServerClientOptions,
  type ServerRequest,
} from './server-client.js'

const apiKey = ['edk', 'production', 'x'.repeat(43)].join('_')
const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

type Handler = Parameters<typeof createServer>[1]

async function serve(handler: NonNullable<Handler>): Promise<string> {
  const server = createServer(handler)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const open = (baseUrl: string, options: Partial<ServerClientOptions> = {}): EdictumServerClient =>
  new EdictumServerClient({ baseUrl, apiKey, ...options })
const read: ServerRequest = { method: 'GET', path: '/x', repetition: { kind: 'harmless' } }

describe('a client of the server', () => {
  it('speaks to other machines over TLS only, unless it is told otherwise', () => {
    for (const url of [
      'https://console.example.com',
      'http://localhost:8000',
      'http://127.0.0.1:1',
      'http://[::1]:1',
    ])
      expect(() => open(url)).not.toThrow()
    for (const url of [
      'http://console.example.com',
      'http://127.0.0.1.example.com',
      'http://localhost.example.com',
      'http://10.0.0.1',
      'ftp://console.example.com',
      'https://user:word@console.example.com',
      'https://console.example.com/?key=1',
      'console.example.com',
      '',
    ])
      expect(() => open(url)).toThrow(EdictumConfigError)
    expect(() => open('http://console.internal', { allowInsecure: true })).not.toThrow()
  })

  it('refuses a key of another environment, and takes the environment from the key', () => {
    expect(open('https://console.example.com').env).toBe('production')
    expect(() => open('https://console.example.com', { env: 'staging' })).toThrow(
      /belongs to the environment/,
    )
    expect(open('https://console.example.com', { apiKey: 'another-kind', env: 'staging' }).env).toBe(
      'staging',
    )
  })

  it('refuses what cannot be a header or a name', () => {
    const url = 'https://console.example.com'
    for (const options of [
      { apiKey: '' },
      { apiKey: 'two\nlines' },
      { agentId: '' },
      { agentId: 'a b' },
      { agentId: '../a' },
      { timeoutMs: 0 },
      { timeoutMs: Number.NaN },
      { maxRetries: -1 },
    ])
      expect(() => open(url, options)).toThrow(EdictumConfigError)
  })

  it('says who it is, and what it runs once it runs something', async () => {
    const seen: unknown[] = []
    const url = await serve(({ headers, url: path }, response) => {
      seen.push([
        path,
        headers.authorization,
        headers['x-edictum-agent-id'],
        headers['x-edictum-policy-version'],
      ])
      response.end('{}')
    })
    const client = open(`${url}/behind/a/proxy/`, { agentId: 'agent-1' })
    await client.send(read)
    client.announcePolicy('abc')
    await client.send(read)
    const start = ['/behind/a/proxy/api/edictum/v1/x', `Bearer ${apiKey}`, 'agent-1']
    expect(seen).toEqual([
      [...start, undefined],
      [...start, 'abc'],
    ])
  })

  it('shows its key to nobody, not even when the server says it', async () => {
    const url = await serve((_, response) => {
      response
        .writeHead(403, { 'x-request-id': 'r-1' })
        .end(JSON.stringify({ detail: `no ${apiKey}`, code: 'forbidden' }))
    })
    const error: unknown = await open(url)
      .send(read)
      .catch((failure: unknown) => failure)
    expect(error).toMatchObject({
      name: 'EdictumServerError',
      code: 'forbidden',
      status: 403,
      requestId: 'r-1',
    })
    expect(JSON.stringify([String(error), error])).not.toContain(apiKey)
    expect(JSON.stringify(open(url))).not.toContain(apiKey)
  })

  it('does not go where a redirect leads', async () => {
    let elsewhere = 0
    const other = await serve((_, response) => {
      elsewhere++
      response.end('{}')
    })
    const url = await serve((_, response) => {
      response.writeHead(307, { location: `${other}/x` }).end()
    })
    await expect(open(url, { maxRetries: 1 }).send(read)).rejects.toMatchObject({ code: 'redirected' })
    expect(elsewhere).toBe(0)
  })

  it('repeats what is harmless and what the server can recognise, under one key, and nothing else', async () => {
    const keys: unknown[] = []
    const url = await serve(({ headers }, response) => {
      keys.push(headers['idempotency-key'])
      response.statusCode = 500
      response.end('{}')
    })
    const client = open(url, { maxRetries: 2 })
    await expect(client.send(read)).rejects.toMatchObject({ status: 500, code: 'http-500' })
    expect(keys).toEqual([undefined, undefined])
    keys.length = 0
    await expect(client.send({ ...read, method: 'POST', repetition: recognised() })).rejects.toThrow(
      /refused/,
    )
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]])
    keys.length = 0
    await expect(client.send({ ...read, method: 'POST', repetition: { kind: 'never' } })).rejects.toThrow(
      /refused/,
    )
    expect(keys).toHaveLength(1)
  })

  it('takes a refusal as final, and waits as long as a busy server asks', async () => {
    const statuses = [404, 503, 200]
    const times: number[] = []
    const url = await serve((_, response) => {
      times.push(performance.now())
      const status = statuses[times.length - 1] ?? 500
      response.writeHead(status, status === 503 ? { 'retry-after': '1' } : {}).end('{"ok":true}')
    })
    await expect(open(url).send(read)).rejects.toMatchObject({ status: 404 })
    expect(times).toHaveLength(1)
    expect(await open(url).send(read)).toEqual({ ok: true })
    expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(990)
    // Longer than anybody waits for an answer.
    const busy = await serve((_, response) => {
      response.writeHead(429, { 'retry-after': '3600' }).end('{}')
    })
    await expect(open(busy).send(read)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 3_600 })
  })

  it('reads no more of an answer than it was allowed, announced or not', async () => {
    const url = await serve((request, response) => {
      const text = JSON.stringify({ text: 'x'.repeat(100_000) })
      if (request.url?.endsWith('announced') === true) response.setHeader('content-length', text.length)
      response.end(text)
    })
    const client = open(url, { maxAnswerBytes: 10_000, maxRetries: 1 })
    for (const path of ['/announced', '/unannounced'])
      await expect(client.send({ ...read, path })).rejects.toMatchObject({ code: 'answer-too-large' })
  })

  for (const text of ['<html>', '[]', 'null', '"text"', '{"cut":']) {
    it(`does not take ${text} for an answer`, async () => {
      const url = await serve((_, response) => response.end(text))
      await expect(open(url, { maxRetries: 1 }).send(read)).rejects.toMatchObject({ code: 'invalid-answer' })
    })
  }

  it('waits for no longer than it was told, and not at all for a caller who has gone', async () => {
    const url = await serve(() => undefined)
    await expect(open(url, { timeoutMs: 50, maxRetries: 1 }).send(read)).rejects.toMatchObject({
      code: 'timed-out',
    })
    const controller = new AbortController()
    const sending = open(url).send({ ...read, signal: controller.signal })
    setTimeout(() => controller.abort(new Error('gone')), 20)
    await expect(sending).rejects.toThrow('gone')
  })

  it('says that nobody listens', async () => {
    const url = await serve(() => undefined)
    await new Promise((resolve) => servers.pop()?.close(resolve))
    await expect(open(url, { maxRetries: 1 }).send(read)).rejects.toMatchObject({
      code: 'unreachable',
      message: 'the server cannot be reached (ECONNREFUSED)',
    })
  })
})
