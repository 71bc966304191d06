// Who gets in, who does not, and what a request that is wrong in some way gets: a clear answer, and no effect.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listRoutes } from '../src/server/app.js'
import { Problem } from '../src/server/routing/problem.js'
import type { Route } from '../src/server/routing/route.js'
import { createCheck } from '../src/server/routing/schema-check.js'
import { createKey } from '../src/store/keys.js'
import { createTenant } from '../src/store/tenants.js'
import { newApiKey } from '../src/server/auth/tokens.js'
import { startTestConsole, type TestConsole } from './test-console.js'

let console: TestConsole
let routes: readonly Route[]
let time = Date.now()

beforeAll(async () => {
  console = await startTestConsole({ now: () => time })
  routes = listRoutes(console.running.services)
})

afterAll(() => console.stop())

const event = { tool_name: 'x', action: 'call_allowed', timestamp: '2026-03-01T12:00:00Z' }

async function countRows(): Promise<Record<string, number>> {
  const { database } = console.running.services.store
  const counts: Record<string, number> = {}
  for (const table of ['events', 'approvals', 'session_values', 'session_slots', 'api_keys', 'users'])
    counts[table] = (await database.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]!.n
  return counts
}

describe('the first start', () => {
  it('makes a folder and secrets that only their owner can read', () => {
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
    expect(mode(console.folder)).toBe('700')
    expect(mode(join(console.folder, 'secrets.json'))).toBe('600')
    expect(mode(join(console.folder, 'console.db'))).toBe('600')
  })

  it('makes a key of the form every published client accepts, and stores it nowhere', () => {
    expect(console.key).toMatch(/^edk_production_[A-Za-z0-9_-]{43}$/)
    for (const file of ['console.db', 'console.db-wal', 'secrets.json'])
      expect(readFileSync(join(console.folder, file)).includes(console.key.slice(-43))).toBe(false)
  })

  it('cannot be asked for over HTTP', async () => {
    expect(await console.ask('/api/v1/setup', { method: 'POST', key: null })).toMatchObject({
      status: 409,
      body: { code: 'already-set-up' },
    })
  })

  it('is refused in a folder that another process uses or that others can read', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'edictum-console-'))
    try {
      writeFileSync(join(dataFolder, 'console.lock'), String(process.ppid))
      await expect(startTestConsole({ dataFolder })).rejects.toThrow(/another console/)
      rmSync(join(dataFolder, 'console.lock'))
      chmodSync(dataFolder, 0o755)
      await expect(startTestConsole({ dataFolder })).rejects.toThrow(/can be read by others/)
    } finally {
      rmSync(dataFolder, { recursive: true })
    }
  })

  it('is followed by starts that keep everything and give out nothing', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'edictum-console-'))
    try {
      const first = await startTestConsole({ dataFolder })
      await first.ask('/v1/sessions/kept', { method: 'PUT', body: { value: 'x' } })
      await first.logIn()
      await first.stop()
      const second = await startTestConsole({ dataFolder })
      try {
        expect(second.running.welcome).toEqual({})
        expect((await second.ask('/v1/sessions/kept', { key: first.key })).body).toEqual({ value: 'x' })
      } finally {
        await second.stop()
      }
      await expect(startTestConsole({ dataFolder, secret: 'x'.repeat(40) })).rejects.toThrow(/another secret/)
    } finally {
      rmSync(dataFolder, { recursive: true })
    }
  })
})

describe('every agent route', () => {
  /** Wrong keys are limited to one per second. */
  const second = 1_000
  const paths = () => routes.filter((route) => route.access !== undefined)

  const pathOf = (path: string) => path.replaceAll(/\{\w+(\.\.\.)?\}/g, 'x')

  it('answers 401 without a credential, with a made-up one, and with one of another form', async () => {
    const madeUp = `edk_production_${'A'.repeat(43)}`
    for (const { method, path } of paths())
      for (const key of [null, madeUp, 'edk_', 'x y z']) {
        time += second
        expect(await console.ask(pathOf(path), { method, key }), `${method} ${path}`).toMatchObject({
          status: 401,
          body: { code: 'unauthenticated' },
        })
      }
  })

  it('answers 401 for a revoked key at once', async () => {
    const made = await console.makeKey({
      env: 'production',
      scopes: ['agent', 'ingest', 'read', 'publish', 'approve'],
    })
    const cookie = await console.logIn()
    expect((await console.ask('/v1/sessions/x', { key: made.key })).status).toBe(404)
    expect((await console.ask(`/api/v1/keys/${made.id}`, { method: 'DELETE', cookie })).status).toBe(200)
    for (const { method, path, access } of paths()) {
      if (access?.scopes === undefined) continue
      time += second
      const { status } = await console.ask(pathOf(path), { method, key: made.key })
      expect(status, `${method} ${path}`).toBe(401)
    }
    expect((await console.ask(`/api/v1/keys/${made.id}`, { method: 'DELETE', cookie })).status).toBe(404)
  })

  it('answers 401 for a key the moment it expires', async () => {
    const { key } = await console.makeKey({
      env: 'production',
      expires_at: new Date(time + 60_000).toISOString(),
    })
    expect((await console.ask('/v1/sessions/x', { key })).status).toBe(404)
    time += 60_000
    expect((await console.ask('/v1/sessions/x', { key })).status).toBe(401)
  })

  it('answers 403 for a key without the scope', async () => {
    const { key: ingest } = await console.makeKey({ env: 'production', scopes: ['ingest'] })
    const { key: read } = await console.makeKey({ env: 'production', scopes: ['read'] })
    expect((await console.ask('/v1/sessions/x', { key: ingest })).status).toBe(403)
    expect((await console.ask('/v1/events', { key: ingest })).status).toBe(403)
    expect((await console.ask('/v1/events', { key: ingest, body: { events: [event] } })).status).toBe(200)
    expect((await console.ask('/v1/events', { key: read, body: { events: [event] } })).status).toBe(403)
    expect((await console.ask('/v1/events', { key: read })).status).toBe(200)
  })

  it('answers 403 to an agent the key does not belong to', async () => {
    const { key } = await console.makeKey({ env: 'production', agent_pattern: 'billing-*' })
    const as = (agent: string) =>
      console.ask('/v1/sessions/x', { key, headers: { 'X-Edictum-Agent-Id': agent } })
    expect((await as('billing-1')).status).toBe(404)
    expect(await as('support-1')).toMatchObject({ status: 403, body: { code: 'agent-not-allowed' } })
    expect((await as('not an id')).status).toBe(422)
  })

  it('shows when a key was last used', async () => {
    const { id, key } = await console.makeKey({ env: 'production', label: 'watched' })
    await console.ask('/v1/sessions/x', { key })
    await expect
      .poll(async () => {
        const keys = (await console.ask('/api/v1/keys', { cookie: await console.logIn() })).body
        return keys.find((entry: { id: string }) => entry.id === id).last_used_at
      })
      .toBe(new Date(time).toISOString())
  })
})

describe('other tenants', () => {
  it('see nothing and change nothing, whatever ids they know', async () => {
    const { store, hasher } = console.running.services
    const { key, prefix } = newApiKey('production')
    await store.database.transaction(async (transaction) => {
      const tenant = await createTenant(transaction, { name: 'Other', at: time })
      await createKey(transaction, {
        tenant: tenant.id,
        env: 'production',
        label: null,
        prefix,
        scopes: ['agent', 'read', 'approve'],
        agentPattern: null,
        createdBy: 'test',
        createdAt: time,
        expiresAt: null,
        keyHash: hasher.hash('api-key', key),
      })
    })
    await console.ask('/v1/sessions/mine', { method: 'PUT', body: { value: 'secret' } })
    const approval = await console.ask('/v1/approvals', { body: { tool_name: 'x', message: 'x' } })
    const reserved = await console.ask('/api/edictum/v1/sessions/reserve', {
      body: {
        sessionId: 'mine',
        toolName: 'x',
        attempt: 'count',
        slot: 'take',
        limits: { executions: 1 },
        leaseSeconds: 600,
      },
    })
    expect((await console.ask('/v1/sessions/mine', { key })).status).toBe(404)
    expect((await console.ask('/v1/events', { key })).body.events).toEqual([])
    expect((await console.ask(`/v1/approvals/${approval.body.id}`, { key })).status).toBe(404)
    expect((await console.ask('/v1/approvals', { key })).body.approvals).toEqual([])
    const decide = await console.ask(`/v1/approvals/${approval.body.id}/decide`, {
      key,
      body: { decision: 'approved' },
    })
    expect(decide.status).toBe(409)
    const settlement = {
      sessionId: 'mine',
      toolName: 'x',
      slotId: reserved.body.slot.id,
      outcome: 'released',
    }
    await console.ask('/api/edictum/v1/sessions/settle', { key, body: settlement })
    const again = await console.ask('/api/edictum/v1/sessions/reserve', {
      body: {
        sessionId: 'mine',
        toolName: 'x',
        attempt: 'counted',
        slot: 'take',
        limits: { executions: 1 },
        leaseSeconds: 600,
      },
    })
    expect(again.body.slot.kind).toBe('exhausted')
    expect((await console.ask(`/v1/approvals/${approval.body.id}`)).body.status).toBe('pending')
  })
})

describe('people', () => {
  it('open a link once', async () => {
    const cookie = await console.logIn()
    const added = await console.ask('/api/v1/users', {
      cookie,
      body: { email: 'once@example.com', role: 'viewer' },
    })
    const { pathname } = new URL(added.body.login_link)
    expect((await console.ask(pathname, { key: null })).status).toBe(200)
    expect((await console.ask(pathname, { key: null, method: 'POST' })).status).toBe(303)
    expect((await console.ask(pathname, { key: null, method: 'POST' })).status).toBe(401)
  })

  it('set a password, log in with it, and are told nothing about which part was wrong', async () => {
    const cookie = await console.logInAs('viewer')
    const { email } = (await console.ask('/api/v1/auth/me', { cookie })).body
    const password = ['correct', 'horse', 'battery'].join(' ')
    const set = await console.ask('/api/v1/auth/password', { cookie, method: 'PUT', body: { password } })
    expect(set.status).toBe(200)
    expect((await console.ask('/api/v1/auth/me', { cookie })).status).toBe(401)
    const logIn = (body: object) => console.ask('/api/v1/auth/login', { key: null, body })
    const right = await logIn({ email, password })
    expect(right.headers.get('Set-Cookie')).toMatch(
      /^edictum_session=[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=86400$/,
    )
    const wrong = await logIn({ email, password: `${password}!` })
    const unknown = await logIn({ email: 'nobody@example.com', password })
    expect(wrong.status).toBe(401)
    expect(unknown.body).toEqual(wrong.body)
    const mine = right.headers.get('Set-Cookie')!.split(';')[0]!
    expect((await console.ask('/api/v1/auth/logout', { cookie: mine, method: 'POST' })).status).toBe(200)
    expect((await console.ask('/api/v1/auth/me', { cookie: mine })).status).toBe(401)
  })

  it('are slowed down when they guess', async () => {
    const guess = () =>
      console.ask('/api/v1/auth/login', { key: null, body: { email: 'a@example.com', password: 'guess' } })
    let reply = await guess()
    for (let attempts = 0; attempts < 15 && reply.status === 401; attempts++) reply = await guess()
    expect(reply).toMatchObject({ status: 429, body: { code: 'rate-limited' } })
    expect(Number(reply.headers.get('Retry-After'))).toBeGreaterThan(0)
    time += 600_000
  })

  it('are slowed down when they try key after key, and shut out nobody who has one', async () => {
    const guess = () =>
      console.ask('/v1/sessions/x', {
        key: `edk_production_${'A'.repeat(42)}${Math.floor(Math.random() * 10)}`,
      })
    const replies = await Promise.all(Array.from({ length: 150 }, guess))
    const statuses = replies.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
    const last = await guess()
    expect(last).toMatchObject({ status: 429, body: { code: 'rate-limited' } })
    expect(Number(last.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect((await console.ask('/v1/sessions/x')).status).toBe(404)
    expect((await console.ask('/v1/sessions/x', { key: null })).status).toBe(401)
    time += 1_000
    expect((await guess()).status).toBe(401)
    time += 600_000
  })

  it('change nothing with a cookie alone', async () => {
    const cookie = await console.logIn()
    const before = await countRows()
    const reply = await console.ask('/api/v1/keys', {
      cookie,
      body: { env: 'production' },
      headers: { 'X-Requested-With': '' },
    })
    expect(reply).toMatchObject({ status: 403, body: { code: 'csrf-header-missing' } })
    expect(await countRows()).toEqual(before)
  })

  it.each([
    ['viewer', '/api/v1/keys', 'GET', 200],
    ['viewer', '/api/v1/keys', 'POST', 403],
    ['approver', '/api/v1/keys', 'POST', 403],
    ['publisher', '/api/v1/users', 'GET', 403],
    ['approver', '/api/v1/operator-log', 'GET', 403],
    ['admin', '/api/v1/operator-log', 'GET', 200],
    ['viewer', '/metrics', 'GET', 200],
  ])('as %s get at %s with %s: %d', async (role, path, method, status) => {
    const cookie = await console.logInAs(role)
    const body = method === 'POST' ? { env: 'production' } : undefined
    expect((await console.ask(path, { cookie, method, body })).status).toBe(status)
  })

  it('lose everything at once when their role changes or they are removed', async () => {
    const admin = await console.logIn()
    const cookie = await console.logInAs('publisher')
    const { user_id: id } = (await console.ask('/api/v1/auth/me', { cookie })).body
    const change = await console.ask(`/api/v1/users/${id}`, {
      cookie: admin,
      method: 'PATCH',
      body: { role: 'viewer' },
    })
    expect(change.status).toBe(200)
    expect((await console.ask('/api/v1/auth/me', { cookie })).status).toBe(401)
    expect((await console.ask(`/api/v1/users/${id}`, { cookie: admin, method: 'DELETE' })).status).toBe(200)
    expect((await console.ask(`/api/v1/users/${id}`, { cookie: admin, method: 'DELETE' })).status).toBe(404)
  })

  it('cannot remove the last administrator', async () => {
    const solo = await startTestConsole()
    try {
      const cookie = await solo.logIn()
      const { user_id: id } = (await solo.ask('/api/v1/auth/me', { cookie })).body
      for (const [method, body] of [
        ['DELETE', undefined],
        ['PATCH', { role: 'viewer' }],
      ] as const)
        expect((await solo.ask(`/api/v1/users/${id}`, { cookie, method, body })).status).toBe(409)
      expect((await solo.ask('/api/v1/auth/me', { cookie })).body.role).toBe('admin')
    } finally {
      await solo.stop()
    }
  })

  it('find what was done in the operator log', async () => {
    const cookie = await console.logIn()
    const { id } = await console.makeKey({ env: 'production' })
    await console.ask(`/api/v1/keys/${id}`, { cookie, method: 'DELETE' })
    const { entries } = (await console.ask('/api/v1/operator-log?limit=2', { cookie })).body
    expect(entries).toMatchObject([
      { action: 'key.revoke', subject: id, actor: 'admin@localhost' },
      { action: 'key.create', subject: id },
    ])
  })

  it('are forgotten after a day', async () => {
    let later = 0
    const other = await startTestConsole({ now: () => Date.now() + later })
    try {
      const cookie = await other.logIn()
      expect((await other.ask('/api/v1/auth/me', { cookie })).status).toBe(200)
      later = 86_400_000
      expect((await other.ask('/api/v1/auth/me', { cookie })).status).toBe(401)
    } finally {
      await other.stop()
    }
  })
})

describe('a wrong request', () => {
  const reserve = {
    sessionId: 's',
    toolName: 't',
    attempt: 'count',
    slot: 'take',
    limits: {},
    leaseSeconds: 1,
  }
  const approval = { tool_name: 'x', message: 'x' }
  const large = JSON.stringify({ value: 'x'.repeat(5 * 1_048_576) })
  const bomb = Uint8Array.from(gzipSync(Buffer.alloc(60 * 1_048_576, ' ')))
  const json = { 'Content-Type': 'application/json' }

  it.each([
    ['text instead of JSON', '/v1/events', { raw: 'events', headers: json }, 400],
    ['JSON that is no object', '/v1/events', { raw: '[]', headers: json }, 422],
    ['nothing', '/v1/events', { method: 'POST' }, 422],
    [
      'bytes that are no UTF-8',
      '/v1/events',
      { raw: new Uint8Array([0x22, 0xff, 0x22]), headers: json },
      400,
    ],
    ['no events', '/v1/events', { body: { events: [] } }, 422],
    ['events that are no list', '/v1/events', { body: { events: {} } }, 422],
    ['10,001 events', '/v1/events', { body: { events: Array(10_001).fill(event) } }, 422],
    [
      'an encoding nobody asked for',
      '/v1/events',
      { body: { events: [event] }, headers: { 'Content-Encoding': 'br' } },
      415,
    ],
    [
      'what only claims to be gzip',
      '/v1/events',
      { body: { events: [event] }, headers: { 'Content-Encoding': 'gzip' } },
      400,
    ],
    [
      'a small body that unpacks to a large one',
      '/v1/events',
      { raw: bomb, headers: { ...json, 'Content-Encoding': 'gzip' } },
      413,
    ],
    ['a large body', '/v1/sessions/x', { method: 'PUT', raw: large, headers: json }, 413],
    [
      'a large body where small ones are expected',
      '/api/v1/auth/login',
      { raw: large, headers: json, key: null },
      413,
    ],
    ['a value that is no text', '/v1/sessions/x', { method: 'PUT', body: { value: 3 } }, 422],
    ['an amount that is no number', '/v1/sessions/x/increment', { body: { amount: '1' } }, 422],
    ['an amount without end', '/v1/sessions/x/increment', { raw: '{"amount":1e999}', headers: json }, 422],
    ['101 keys', '/v1/sessions/batch', { body: { keys: Array(101).fill('x') } }, 422],
    ['a key that is no text', '/v1/sessions/batch', { body: { keys: [null] } }, 422],
    [
      'a lease without end',
      '/api/edictum/v1/sessions/reserve',
      { body: { ...reserve, leaseSeconds: 1e9 } },
      422,
    ],
    [
      'a negative limit',
      '/api/edictum/v1/sessions/reserve',
      { body: { ...reserve, limits: { executions: -1 } } },
      422,
    ],
    [
      'a limit that is no number',
      '/api/edictum/v1/sessions/reserve',
      { body: { ...reserve, limits: { attempts: '5' } } },
      422,
    ],
    [
      'an outcome nobody knows',
      '/api/edictum/v1/sessions/settle',
      { body: { sessionId: 's', toolName: 't', slotId: 'x', outcome: 'won' } },
      422,
    ],
    [
      'an idempotency key that is none',
      '/api/edictum/v1/sessions/increment',
      { body: { key: 'x' }, headers: { 'Idempotency-Key': 'a b' } },
      422,
    ],
    ['no message', '/v1/approvals', { body: { tool_name: 'x' } }, 422],
    ['a timeout of zero', '/v1/approvals', { body: { ...approval, timeout: 0 } }, 422],
    ['arguments that are no object', '/v1/approvals', { body: { ...approval, tool_args: [1] } }, 422],
    ['a long message', '/api/v1/approvals', { body: { ...approval, message: 'x'.repeat(10_001) } }, 422],
    ['an effect nobody knows', '/api/v1/approvals', { body: { ...approval, timeout_effect: 'maybe' } }, 422],
    ['too large a page', '/v1/events?limit=1001', {}, 422],
    ['a page that is no number', '/v1/events?limit=all', {}, 422],
    ['a time that is none', '/v1/events?since=then', {}, 422],
    ['a cursor that is none', '/v1/events?cursor=1;drop', {}, 422],
    ['an address that is none', '/api/v1/nothing', {}, 404],
    ['a way out of the path', '/api/v1/sessions/../nothing', {}, 404],
    ['a method that is none', '/api/v1/health', { method: 'DELETE' }, 404],
    ['an approval id that leads elsewhere', '/v1/approvals/..%2f..%2fx', {}, 404],
    ['an approval id in SQL', `/v1/approvals/${encodeURIComponent("' OR 1=1 --")}`, {}, 404],
  ] as const)('with %s gets a clear answer and changes nothing', async (_, path, asking, status) => {
    const before = await countRows()
    const reply = await console.ask(path, asking)
    expect(reply).toMatchObject({ status, body: { detail: expect.any(String), code: expect.any(String) } })
    expect(reply.headers.get('X-Request-Id')).toMatch(/^[A-Za-z0-9._-]+$/)
    expect(reply.body.detail).not.toMatch(/at .*\.[jt]s|sqlite|SELECT|INSERT/i)
    expect(await countRows()).toEqual(before)
    expect(console.errors).toEqual([])
  })

  it.each([
    ['an environment that is no name', { env: 'a b' }],
    ['markup in the label', { env: 'production', label: '<b>' }],
    ['a scope nobody knows', { env: 'production', scopes: ['root'] }],
    ['no scope at all', { env: 'production', scopes: [] }],
    ['a past expiry', { env: 'production', expires_at: '2020-01-01T00:00:00Z' }],
    ['a pattern that is none', { env: 'production', agent_pattern: 'a/b' }],
  ])('for a key with %s is refused', async (_, body) => {
    const before = await countRows()
    const reply = await console.ask('/api/v1/keys', { cookie: await console.logIn(), body })
    expect(reply.status).toBe(422)
    expect(await countRows()).toEqual(before)
  })

  it('is refused while it is still arriving when it says nothing about its length', async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1_048_576).fill(32)),
    })
    const response = await fetch(`${console.url}/v1/sessions/x/increment`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${console.key}` },
      body: endless,
      duplex: 'half',
    } as RequestInit).then(
      ({ status }) => status,
      () => 'hung up',
    )
    // The server answers and hangs up; which of the two the client sees first is a matter of timing.
    expect([413, 'hung up']).toContain(response)
    expect((await console.ask('/api/v1/health', { key: null })).status).toBe(200)
  })
})

describe('every answer', () => {
  it('carries the security headers and a request id of the client if it sent one', async () => {
    const reply = await console.ask('/api/v1/health', { key: null, headers: { 'X-Request-Id': 'trace-1' } })
    expect(reply.headers.get('X-Request-Id')).toBe('trace-1')
    expect(reply.headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(reply.headers.get('Content-Security-Policy')).toContain("default-src 'self'")
    expect(reply.headers.get('Strict-Transport-Security')).toBeNull()
  })

  it('of the health endpoints says what it is about', async () => {
    expect((await console.ask('/api/v1/health', { key: null })).body).toEqual({
      status: 'ok',
      bootstrap_complete: true,
    })
    expect((await console.ask('/v1/health', { key: null })).status).toBe(200)
    expect((await console.ask('/api/v1/health/live', { key: null })).body).toEqual({ status: 'alive' })
    expect((await console.ask('/api/v1/health/ready', { key: null })).body).toEqual({
      status: 'ready',
      database: true,
      sessions: true,
    })
    const details = await console.ask('/api/v1/health/details', { cookie: await console.logIn() })
    expect(details.body).toMatchObject({ status: 'ok', database: { connected: true, dialect: 'sqlite' } })
  })

  it('of /metrics is what Prometheus reads', async () => {
    const { key } = await console.makeKey({ env: 'production', scopes: ['read'] })
    const { body } = await console.ask('/metrics', { key })
    expect(body).toMatch(
      /^edictum_http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/health",status="200"\} \d+$/m,
    )
    expect(body).toMatch(/^edictum_events_total\{outcome="accepted"\} \d+$/m)
  })
})

describe('the API document', () => {
  it('has schemas that can be checked', () => {
    for (const { method, path, body, query } of routes) {
      const check = () => {
        try {
          createCheck(body ?? {}, 'body')({})
          createCheck(query ?? {}, 'query')({})
        } catch (error) {
          if (!(error instanceof Problem)) throw error
        }
      }
      expect(check, `${method} ${path}`).not.toThrow()
    }
  })

  it('describes every route the server has', async () => {
    const document = (await console.ask('/api/openapi.json', { key: null })).body
    expect(document.openapi).toBe('3.1.0')
    for (const { method, path } of routes) {
      const operation = document.paths[path.replaceAll('...}', '}')]?.[method.toLowerCase()]
      expect(operation?.summary, `${method} ${path}`).toEqual(expect.any(String))
    }
  })
})
