// @ts-check
// PostgresBackend on a real server, through pg.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PostgresBackend } from '../packages/edictum/dist/drivers/storage/postgres/index.js'
import { Edictum } from '../packages/edictum/dist/index.js'
import { describeStorageBackend } from '../packages/edictum/dist/testing/index.js'
import { startPostgres } from '../scripts/services.mjs'
import { openPool } from './clients.mjs'

/** @type {import('../scripts/services.mjs').Service} */
let server

beforeAll(async () => {
  server = await startPostgres()
  await withPool((pool) => new PostgresBackend(pool).migrate())
})

afterAll(async () => {
  await server?.stop()
})

const passSeconds = (/** @type {number} */ seconds) =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1_000))

/**
 * @template Result
 * @param {(pool: import('pg').Pool) => Promise<Result>} body
 */
async function withPool(body) {
  const { pool, close } = openPool(server.url)
  try {
    return await body(pool)
  } finally {
    await close()
  }
}

describeStorageBackend('PostgresBackend', {
  describe,
  it,
  offers: ['atomic-steps', 'shared', 'outage'],
  open: async () => {
    const { pool, close } = openPool(server.url)
    const second = openPool(server.url)
    return {
      backend: new PostgresBackend(pool),
      other: new PostgresBackend(second.pool),
      passSeconds,
      outage: { begin: () => server.kill(), end: () => server.start() },
      close: async () => {
        await close()
        await second.close()
      },
    }
  },
})

describe('PostgresBackend', () => {
  const request = /** @type {const} */ ({
    toolName: 'deploy',
    attempt: 'count',
    slot: 'take',
    limits: { executions: 5 },
    leaseSeconds: 60,
  })

  it('says what to do when its tables are not there', () =>
    withPool(async (pool) => {
      const backend = new PostgresBackend(pool, { schema: 'nowhere' })
      await expect(backend.get('s:a:attempts')).rejects.toThrow('call migrate() first')
      await expect(backend.reserve({ ...request, sessionId: 'a' })).rejects.toThrow('call migrate() first')
    }))

  it('migrates once, however many programs start at the same time', () =>
    withPool(async (pool) => {
      const programs = Array.from({ length: 8 }, () => new PostgresBackend(pool, { schema: 'at_once' }))
      await Promise.all(programs.map((backend) => backend.migrate()))
      const { rows } = await pool.query('SELECT number FROM at_once.migration ORDER BY number')
      expect(rows).toEqual([{ number: 1 }])
      await programs[0]?.increment('s:a:attempts')
      await programs[1]?.migrate()
      expect(await programs[2]?.get('s:a:attempts')).toBe('1')
    }))

  it('keeps schemas apart on one pool', () =>
    withPool(async (pool) => {
      const staging = new PostgresBackend(pool, { schema: 'staging' })
      await staging.migrate()
      await staging.increment('s:a:attempts', 5)
      const production = new PostgresBackend(pool)
      expect(await production.get('s:a:attempts')).toBeNull()
      expect(await staging.get('s:a:attempts')).toBe('5')
    }))

  it.each([
    ['ttlSeconds', 0],
    ['ttlSeconds', Infinity],
    ['schema', 'a"; DROP TABLE session; --'],
    ['schema', 'Upper'],
    ['schema', ''],
  ])('refuses %s %s', (option, value) =>
    withPool(async (pool) => {
      expect(() => new PostgresBackend(pool, { [option]: value })).toThrow(option)
    }),
  )

  it('makes two round trips for an allowed call, with statements the server has prepared', () =>
    withPool(async (pool) => {
      /** @type {string[]} */
      const sent = []
      const counting = {
        query: (/** @type {any} */ statement) => {
          sent.push(statement.name)
          return pool.query(statement)
        },
      }
      const guard = new Edictum({ backend: new PostgresBackend(counting) })
      await guard.run('deploy', {}, () => 'done')
      expect(sent).toEqual(['edictum_edictum_reserve', 'edictum_edictum_settle'])
    }))

  it('forgets a session that was idle for ttlSeconds, when it is used again', () =>
    withPool(async (pool) => {
      const backend = new PostgresBackend(pool, { ttlSeconds: 1.5 })
      await backend.set('s:idle:note', 'text')
      const { slot } = await backend.reserve({ ...request, sessionId: 'idle', leaseSeconds: 0.1 })
      expect(slot.kind).toBe('taken')
      expect(await backend.get('s:idle:note')).toBe('text')
      await passSeconds(1.6)
      expect(await backend.get('s:idle:note')).toBeNull()
      expect(await backend.increment('s:idle:attempts')).toBe(1)
      expect(await backend.get('s:idle:note')).toBeNull()
    }))

  it('begins the time of a session again with every write', () =>
    withPool(async (pool) => {
      const backend = new PostgresBackend(pool, { ttlSeconds: 100 })
      const { slot } = await backend.reserve({ ...request, sessionId: 'busy' })
      if (slot.kind !== 'taken') throw new Error('no slot')
      for (const write of [
        () => backend.set('s:busy:note', 'text'),
        () => backend.increment('s:busy:attempts'),
        () => backend.reserve({ ...request, sessionId: 'busy', slot: 'leave' }),
        () => backend.settle({ ...request, sessionId: 'busy', slotId: slot.id, outcome: 'executed' }),
      ]) {
        await pool.query(
          `UPDATE edictum.session SET expires_at = now() + interval '10 s' WHERE scope = 's:busy'`,
        )
        await write()
        expect(await secondsLeft(pool, 's:busy')).toBeGreaterThan(90)
      }
    }))

  it('keeps a session for seven days unless told otherwise, and never for less than a lease', () =>
    withPool(async (pool) => {
      await new PostgresBackend(pool).increment('s:week:attempts')
      expect(await secondsLeft(pool, 's:week')).toBeGreaterThan(7 * 86_400 - 10)
      const brief = new PostgresBackend(pool, { ttlSeconds: 5 })
      await brief.reserve({ ...request, sessionId: 'leased', leaseSeconds: 500 })
      await brief.increment('s:leased:attempts')
      expect(await secondsLeft(pool, 's:leased')).toBeGreaterThan(490)
    }))

  it('sweeps sessions whose time is over and no others', () =>
    withPool(async (pool) => {
      const schema = 'swept'
      const backend = new PostgresBackend(pool, { schema, ttlSeconds: 0.2 })
      await backend.migrate()
      await backend.set('s:old:note', 'text')
      await backend.reserve({ ...request, sessionId: 'old-2', leaseSeconds: 0.1 })
      await new PostgresBackend(pool, { schema }).set('s:young:note', 'text')
      await passSeconds(0.3)
      expect(await backend.sweep()).toBe(2)
      expect(await backend.sweep()).toBe(0)
      expect(await backend.get('s:young:note')).toBe('text')
      const { rows } = await pool.query('SELECT count(*)::int AS count FROM swept.session_slot')
      expect(rows).toEqual([{ count: 0 }])
    }))

  it('gives back a slot whose answer was lost', () =>
    withPool(async (pool) => {
      let answers = 0
      const backend = new PostgresBackend({
        query: async (/** @type {any} */ statement) => {
          const answer = await pool.query(statement)
          if (answers++ === 0) throw new Error('connection lost')
          return answer
        },
      })
      const wanted = { ...request, sessionId: 'lost', limits: { executions: 1 } }
      await expect(backend.reserve(wanted)).rejects.toThrow('connection lost')
      await expect
        .poll(async () => (await backend.reserve({ ...wanted, slot: 'leave' })).counters.executions)
        .toBe(0)
      expect((await backend.reserve(wanted)).slot.kind).toBe('taken')
    }))

  it('counts a settlement once when it is sent again', () =>
    withPool(async (pool) => {
      const backend = new PostgresBackend(pool)
      const { slot } = await backend.reserve({ ...request, sessionId: 'twice' })
      if (slot.kind !== 'taken') throw new Error('no slot')
      const settlement = /** @type {const} */ ({
        ...request,
        sessionId: 'twice',
        slotId: slot.id,
        outcome: 'uncertain',
      })
      const first = await backend.settle(settlement)
      expect(await backend.settle(settlement)).toEqual(first)
      expect(await backend.get('s:twice:consec_fail')).toBe('1')
      expect((await backend.reserve({ ...request, sessionId: 'twice' })).counters.executions).toBe(1)
    }))

  it('is not confused by what a program has told pg about numbers', () =>
    withPool(async (pool) => {
      const { types } = await import('pg')
      types.setTypeParser(types.builtins.NUMERIC, Number)
      try {
        expect(await new PostgresBackend(pool).increment('s:parsed:attempts')).toBe(1)
      } finally {
        types.setTypeParser(types.builtins.NUMERIC, String)
      }
    }))
})

/**
 * @param {import('pg').Pool} pool
 * @param {string} scope
 */
async function secondsLeft(pool, scope) {
  const text =
    'SELECT extract(epoch FROM expires_at - now())::float8 AS left FROM edictum.session WHERE scope = $1'
  const { rows } = await pool.query(text, [scope])
  return rows[0]?.left
}
