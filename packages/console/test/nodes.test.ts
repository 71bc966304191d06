// Two nodes on one database behave as one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from './postgres.js'
import { startTestConsole, type TestConsole } from './test-console.js'

const secret = ['not', 'a', 'secret', 'but', 'long', 'enough', 'for', 'one'].join('-')
const wanted = {
  tool_name: 'x',
  tool_args: {},
  message: 'x',
  timeout: 60,
  timeout_effect: 'deny',
  args_hash: 'x',
}
let postgres: PostgresServer
let one: TestConsole
let two: TestConsole

beforeAll(async () => {
  postgres = await startPostgres()
  const databaseUrl = await postgres.createDatabase()
  // Both at once: exactly one of them makes the first start.
  const started = await Promise.all([
    startTestConsole({ databaseUrl, secret }),
    startTestConsole({ databaseUrl, secret }),
  ])
  ;[one, two] = started[0].key === '' ? [started[1], started[0]] : started
})

afterAll(async () => {
  await one.stop()
  await two.stop()
  await postgres.stop()
})

describe('two nodes', () => {
  it('made one first start between them', () => {
    expect(one.key).not.toBe('')
    expect(two.key).toBe('')
  })

  it('refuse a third that was given another secret', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'edictum-console-'))
    const { databaseUrl } = one.running.services.options
    await expect(startTestConsole({ dataFolder, databaseUrl: databaseUrl! })).rejects.toThrow(
      /another secret/,
    )
    rmSync(dataFolder, { recursive: true })
  })

  it('count together and never beyond a limit', async () => {
    const body = {
      sessionId: 'shared',
      toolName: 'deploy',
      attempt: 'count',
      slot: 'take',
      limits: { executions: 10 },
      leaseSeconds: 60,
    }
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (index % 2 === 0 ? one : two).ask('/api/edictum/v1/sessions/reserve', { key: one.key, body }),
      ),
    )
    const taken = replies.filter((reply) => reply.body.slot.kind === 'taken')
    expect(taken).toHaveLength(10)
    expect(replies.map((reply) => reply.body.counters.attempts).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    )
  })

  it('wake who waits on one when somebody decides on the other', async () => {
    const { id } = (await one.ask('/api/edictum/v1/approvals', { body: wanted })).body
    const waiting = one.ask(`/api/edictum/v1/approvals/${id}?wait=25`)
    await expect.poll(() => one.running.services.sockets.size).toBe(1)
    const cookie = await one.logIn()
    await two.ask(`/v1/approvals/${id}/decide`, { cookie, body: { decision: 'approved' } })
    expect((await waiting).body.status).toBe('approved')
  })

  it('refuse a key on one that was revoked on the other, and abort what it holds open', async () => {
    const made = await one.makeKey({ env: 'production' })
    const use = (node: TestConsole) => node.ask('/v1/sessions/x', { key: made.key })
    expect((await use(one)).status).toBe(404)
    const { id } = (await one.ask('/api/edictum/v1/approvals', { key: made.key, body: wanted })).body
    const held = one.ask(`/api/edictum/v1/approvals/${id}?wait=25`, { key: made.key })
    const outcome = held.then(
      () => 'answered',
      () => 'aborted',
    )
    await expect.poll(() => one.running.services.sockets.size).toBe(1)
    await two.ask(`/api/v1/keys/${made.id}`, { method: 'DELETE', cookie: await one.logIn() })
    expect(await outcome).toBe('aborted')
    await expect.poll(async () => (await use(one)).status).toBe(401)
    expect((await use(two)).status).toBe(401)
  })

  it('store an event once that is sent to both at the same time', async () => {
    const events = Array.from({ length: 500 }, (_, index) => ({
      tool_name: 'x',
      action: 'call_allowed',
      timestamp: '2026-03-01T12:00:00Z',
      call_index: index,
    }))
    const replies = await Promise.all(
      [one, two, one, two].map((node) => node.ask('/v1/events', { key: one.key, body: { events } })),
    )
    expect(replies.map(({ body }) => body.accepted).reduce((sum, count) => sum + count, 0)).toBe(500)
    expect(replies.map(({ body }) => body.duplicates).reduce((sum, count) => sum + count, 0)).toBe(1_500)
  })
})

describe('a node that stops', () => {
  it('aborts who waits instead of ending politely, and is gone within seconds', async () => {
    const node = await startTestConsole()
    const { id } = (await node.ask('/api/edictum/v1/approvals', { body: wanted })).body
    const outcome = node.ask(`/api/edictum/v1/approvals/${id}?wait=25`).then(
      () => 'answered',
      () => 'aborted',
    )
    await expect.poll(() => node.running.services.sockets.size).toBe(1)
    const startedAt = performance.now()
    await node.stop()
    expect(await outcome).toBe('aborted')
    expect(performance.now() - startedAt).toBeLessThan(4_000)
  })
})

describe('a node whose database is away', () => {
  it('says so at once, and goes on when it is back', async () => {
    const own = await startPostgres()
    const node = await startTestConsole({ databaseUrl: await own.createDatabase() })
    const increment = () => node.ask('/v1/sessions/away/increment', { body: {} })
    try {
      expect((await increment()).body).toEqual({ value: 1 })
      await own.kill()
      expect(await increment()).toMatchObject({ status: 503, body: { code: 'overloaded' } })
      expect((await node.ask('/api/v1/health/ready', { key: null })).status).toBe(503)
      await own.start()
      await expect.poll(async () => (await increment()).status, { timeout: 20_000 }).toBe(200)
      expect((await node.ask('/v1/sessions/away')).body).toEqual({ value: '2' })
      await expect
        .poll(() => node.running.services.store.database.hearsChanges(), { timeout: 20_000 })
        .toBe(true)
    } finally {
      await node.stop()
      await own.stop()
    }
  })
})
