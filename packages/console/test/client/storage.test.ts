// Session counters of the library's client on a real console.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Edictum, EdictumDenied, type ReservationRequest } from 'edictum'
import { EdictumServerClient, EdictumServerError, ServerBackend, type ServerProblem } from 'edictum/server'
import { startTestConsole, type TestConsole } from '../test-console.js'
import { type FaultyWay, httpAnswer, openFaultyWay, type Weather } from './faulty-way.js'

let console_: TestConsole
let way: FaultyWay

beforeAll(async () => {
  console_ = await startTestConsole()
  way = await openFaultyWay(() => console_.url)
})
afterAll(async () => {
  await way.close()
  await console_.stop()
})

const connect = (): EdictumServerClient =>
  new EdictumServerClient({ baseUrl: way.url, apiKey: console_.key, agentId: 'agent-1' })

const request = (sessionId: string, wish: Partial<ReservationRequest> = {}): ReservationRequest => ({
  sessionId,
  toolName: 'deploy',
  attempt: 'count',
  slot: 'take',
  limits: { executions: 1 },
  leaseSeconds: 60,
  ...wish,
})

const faults: readonly (readonly [string, Weather])[] = [
  ['nobody listens', { kind: 'away' }],
  ['nobody answers', { kind: 'silent' }],
  ['a proxy answers a page', { kind: 'answers', text: httpAnswer(200, '<html>hello</html>') }],
  ['the server fails', { kind: 'answers', text: httpAnswer(500, '{"detail":"x","code":"internal"}') }],
  [
    'the answer is another shape',
    { kind: 'answers', text: httpAnswer(200, '{"value":{},"values":[],"slot":{}}') },
  ],
  ['the answer is cut off', { kind: 'cuts', answerBytes: 40 }],
  [
    'the server sends elsewhere',
    { kind: 'answers', text: httpAnswer(307, '{}', { location: 'http://127.0.0.1:1' }) },
  ],
]

describe('ServerBackend on a bad way', () => {
  for (const [name, weather] of faults) {
    it(`denies every call when ${name}, and counts on when the way is fair again`, async () => {
      const backend = new ServerBackend(connect(), { timeoutMs: 400 })
      const guard = new Edictum({ backend, limits: { maxToolCalls: 2 }, portTimeoutMs: 1_500 })
      const sessionId = `bad way, ${name}`
      let runs = 0
      const call = async (): Promise<number> => guard.run('deploy', {}, () => ++runs, { sessionId })
      await call()
      await way.change(weather)
      try {
        await expect(call()).rejects.toThrow(EdictumDenied)
        await expect(backend.get('s:x:execs')).rejects.toThrow(EdictumServerError)
        await expect(backend.increment('s:x:execs')).rejects.toThrow(EdictumServerError)
        await expect(backend.batchGet(['s:x:execs'])).rejects.toThrow(EdictumServerError)
      } finally {
        await way.change({ kind: 'fair' })
      }
      expect(runs).toBe(1)
      // Slots that may have been taken without an answer are given back.
      await backend.close()
      await call()
      await expect(call()).rejects.toThrow(/limit/i)
      expect(runs).toBe(2)
    })
  }

  it('counts a call once although its request is sent again', async () => {
    const backend = new ServerBackend(connect(), { timeoutMs: 2_000 })
    await way.change({ kind: 'cuts', answerBytes: 20 })
    const reserving = backend.reserve(request('twice'))
    await expect.poll(() => way.requests.at(-1)).toMatch(/reserve/)
    await way.change({ kind: 'fair' })
    const { counters, slot } = await reserving
    expect(counters.attempts).toBe(1)
    expect(slot.kind).toBe('taken')
    expect((await backend.reserve(request('twice'))).slot.kind).toBe('exhausted')
  })

  it('tells the server later what ran while it was away, so that the limit holds', async () => {
    const backend = new ServerBackend(connect(), { timeoutMs: 500 })
    const { slot } = await backend.reserve(request('unsettled', { leaseSeconds: 1 }))
    await way.change({ kind: 'away' })
    const slotId = slot.kind === 'taken' ? slot.id : ''
    const settlement = { sessionId: 'unsettled', toolName: 'deploy', slotId, outcome: 'executed' } as const
    await expect(backend.settle(settlement)).rejects.toThrow(EdictumServerError)
    await way.change({ kind: 'fair' })
    await backend.close()
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    // The lease is over; without the settlement the slot would be free.
    expect((await backend.reserve(request('unsettled'))).slot.kind).toBe('exhausted')
    expect(await backend.get('s:unsettled:execs')).toBe('1')
  })

  it('waits at close for a settlement that nobody waits for any more', async () => {
    const backend = new ServerBackend(connect(), { timeoutMs: 5_000 })
    const { slot } = await backend.reserve(request('closing'))
    const slotId = slot.kind === 'taken' ? slot.id : ''
    const settling = backend.settle({
      sessionId: 'closing',
      toolName: 'deploy',
      slotId,
      outcome: 'executed',
    })
    settling.catch(() => undefined)
    await backend.close()
    const { body } = await console_.ask('/v1/sessions/s:closing:execs')
    expect(body).toEqual({ value: '1' })
  })

  it('denies a key that was revoked at once, and does not ask twice', async () => {
    const { id, key } = await console_.makeKey({ env: 'production', label: 'short-lived' })
    const client = new EdictumServerClient({ baseUrl: way.url, apiKey: key })
    const backend = new ServerBackend(client, { whenAway: 'observe' })
    await backend.reserve(request('revoked'))
    await console_.ask(`/api/v1/keys/${id}`, { method: 'DELETE', cookie: await console_.logIn() })
    const before = way.requests.length
    await expect(backend.reserve(request('revoked'))).rejects.toMatchObject({
      code: 'unauthenticated',
      status: 401,
    })
    expect(way.requests.length).toBe(before + 1)
  })

  it('lets calls run uncounted only where that was asked for, says so once, and counts them afterwards', async () => {
    const problems: ServerProblem[] = []
    const backend = new ServerBackend(connect(), {
      whenAway: 'observe',
      timeoutMs: 300,
      onProblem: (problem) => problems.push(problem),
    })
    const guard = new Edictum({ backend, limits: { maxToolCalls: 1 }, portTimeoutMs: 5_000 })
    const call = async (): Promise<string> => guard.run('deploy', {}, () => 'ran', { sessionId: 'observed' })
    await way.change({ kind: 'away' })
    expect(await call()).toBe('ran')
    expect(await call()).toBe('ran')
    expect(problems.map(({ message }) => message)).toEqual([
      'calls run without limits while the server is away',
    ])
    await way.change({ kind: 'fair' })
    await backend.close()
    await expect(call()).rejects.toThrow(/limit/i)
    expect(await backend.get('s:observed:execs')).toBe('2')
  })
})
