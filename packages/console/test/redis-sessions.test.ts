// Counters in Redis: the same answers as from the database, and none at all when Redis cannot be asked.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RedisServer, startRedis } from './redis.js'
import { startTestConsole, type TestConsole } from './test-console.js'

let redis: RedisServer
let node: TestConsole

beforeAll(async () => {
  redis = await startRedis()
  node = await startTestConsole({ redisUrl: redis.url })
})

afterAll(async () => {
  await node.stop()
  await redis.stop()
})

const ours = '/api/edictum/v1/sessions'
const reservation = {
  sessionId: 'run',
  toolName: 'deploy',
  attempt: 'count',
  slot: 'take',
  limits: { executions: 2 },
  leaseSeconds: 60,
}

describe('sessions in Redis', () => {
  it('count and read back as every published client expects', async () => {
    for (const value of [1, 2, 3])
      expect((await node.ask('/v1/sessions/s:a:execs/increment', { body: {} })).body).toEqual({ value })
    expect((await node.ask('/api/v1/sessions/s:a:execs')).body).toEqual({ value: '3' })
    expect((await node.ask('/v1/sessions/missing')).status).toBe(404)
    const keys = ['s:a:execs', 'missing']
    expect((await node.ask('/v1/sessions/batch', { body: { keys } })).body).toEqual({
      values: { 's:a:execs': '3', missing: null },
    })
    expect((await node.ask('/v1/sessions/s:a:execs', { method: 'DELETE' })).body).toEqual({ value: null })
    expect((await node.ask('/v1/sessions/s:a:execs')).status).toBe(404)
  })

  it('keep any text', async () => {
    const value = 'a\\b \u0000 \ud800 🙂'
    await node.ask(`${ours}/set`, { body: { key: 'k {1} é', value } })
    expect((await node.ask(`${ours}/get`, { body: { key: 'k {1} é' } })).body).toEqual({ value })
  })

  it('refuse to count on from a text', async () => {
    await node.ask('/v1/sessions/text', { method: 'PUT', body: { value: 'many' } })
    expect(await node.ask('/v1/sessions/text/increment', { body: {} })).toMatchObject({
      status: 409,
      body: { code: 'not-a-number' },
    })
  })

  it('share nothing between environments', async () => {
    const { key } = await node.makeKey({ env: 'staging' })
    await node.ask('/v1/sessions/shared/increment', { body: {} })
    expect((await node.ask('/v1/sessions/shared', { key })).status).toBe(404)
  })

  it('answer a request that comes again, at once or later, with the first answer', async () => {
    const headers = { 'Idempotency-Key': 'the-same-request' }
    const send = (body: object = reservation) => node.ask(`${ours}/reserve`, { body, headers })
    const replies = await Promise.all([send(), send(), send()])
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect((await send()).body).toEqual(replies[0]!.body)
    expect(replies[0]!.body.counters).toEqual({ attempts: 1, executions: 0, toolExecutions: 0 })
    expect(await send({ ...reservation, toolName: 'other' })).toMatchObject({
      status: 409,
      body: { code: 'idempotency-mismatch' },
    })
  })

  it('are refused while Redis is away, which health says, and go on where they were', async () => {
    await node.ask('/v1/sessions/kept/increment', { body: { amount: 7 } })
    await redis.kill()
    for (const [path, asking] of [
      ['/v1/sessions/kept', {}],
      ['/v1/sessions/kept/increment', { body: {} }],
      [`${ours}/reserve`, { body: reservation }],
    ] as const) {
      const reply = await node.ask(path, asking)
      expect(reply).toMatchObject({ status: 503, body: { code: 'overloaded' } })
      expect(reply.headers.get('Retry-After')).toBe('1')
    }
    expect(await node.ask('/api/v1/health/ready')).toMatchObject({
      status: 503,
      body: { status: 'not_ready', database: true, sessions: false },
    })
    await redis.start()
    await expect
      .poll(async () => (await node.ask('/v1/sessions/kept')).body, { timeout: 30_000 })
      .toEqual({ value: '7' })
    const details = await node.ask('/api/v1/health/details', { cookie: await node.logIn() })
    expect(details).toMatchObject({ status: 200, body: { sessions: { connected: true, store: 'redis' } } })
  })

  it('are refused from the start when there is no Redis at the address', async () => {
    const lonely = await startTestConsole({ redisUrl: 'redis://127.0.0.1:1' })
    try {
      expect((await lonely.ask('/v1/sessions/x/increment', { body: {} })).status).toBe(503)
      expect((await lonely.ask('/api/v1/health/ready')).status).toBe(503)
      // What needs no counters works all the same.
      expect((await lonely.ask('/v1/events')).status).toBe(200)
    } finally {
      await lonely.stop()
    }
  })
})
