// A database of an older version is brought to the shape of this one, with everything in it.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../src/store/database.js'
import { openDatabase } from '../src/store/open-database.js'
import { openPostgres } from '../src/store/postgres/database.js'
import { openSqlite } from '../src/store/sqlite/database.js'
import { DatabaseSessions } from '../src/store/sessions.js'
import { type PostgresServer, startPostgres } from './postgres.js'

const migrations = fileURLToPath(new URL('../migrations', import.meta.url))
const words = {
  sqlite: { serial: 'INTEGER PRIMARY KEY AUTOINCREMENT', clustered: 'WITHOUT ROWID' },
  postgres: { serial: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY', clustered: '' },
}

/** As the version before a migration left it. */
async function makeOldDatabase(database: Database, before: number): Promise<void> {
  await database.exclusively(async (inside) => {
    await inside.script(
      'CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)',
    )
    for (const name of readdirSync(migrations).toSorted()) {
      const number = Number.parseInt(name, 10)
      if (number >= before) continue
      const text = readFileSync(join(migrations, name), 'utf8')
      const { serial, clustered } = words[database.dialect]
      await inside.script(text.replaceAll('$serial', serial).replaceAll('$clustered', clustered))
      await inside.run('INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, 0)', [number, name])
    }
  })
}

const now = Date.now()
const at = { tenant: 1, env: 'production', now }

describe('sessions of a version that stored them differently', () => {
  let postgres: PostgresServer
  const folder = mkdtempSync(join(tmpdir(), 'edictum-migrations-'))

  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(async () => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(['the embedded file', 'PostgreSQL'])(
    'keep their counters, values and slots, on %s',
    async (store) => {
      const url = store === 'PostgreSQL' ? await postgres.createDatabase() : undefined
      const old = url === undefined ? openSqlite(join(folder, 'console.db')) : await openPostgres(url)
      await makeOldDatabase(old, 12)
      const value =
        'INSERT INTO session_values (tenant, env, name, text, number, expires_at) VALUES (?, ?, ?, ?, ?, ?)'
      await old.run(value, [1, 'production', 's:run:attempts', null, 3, now + 10_000])
      await old.run(value, [1, 'production', 'note', 'kept', null, now + 10_000])
      await old.run(
        'INSERT INTO session_slots (id, tenant, env, session, tool, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
        ['slot-1', 1, 'production', 'run', 'deploy', now + 10_000],
      )
      await old.close()

      const database = await openDatabase({ folder, ...(url === undefined ? {} : { url }) })
      const request = { sessionId: 'run', toolName: 'deploy', limits: { executions: 1 }, leaseSeconds: 60 }
      const sessions = new DatabaseSessions(database)
      const take = () => sessions.reserve(at, { ...request, attempt: 'count', slot: 'take' }, undefined)
      expect(await sessions.get(at, 'note')).toBe('kept')
      expect(await take()).toEqual({
        counters: { attempts: 4, executions: 1, toolExecutions: 1 },
        slot: { kind: 'exhausted' },
      })
      await sessions.settle(at, { ...request, slotId: 'slot-1', outcome: 'released' }, undefined)
      expect(await take()).toMatchObject({ slot: { kind: 'taken' } })
      await database.close()
    },
  )

  it.each(['the embedded file', 'PostgreSQL'])(
    'answer a request they have seen as they did before, on %s',
    async (store) => {
      const url = store === 'PostgreSQL' ? await postgres.createDatabase() : undefined
      const place = mkdtempSync(join(folder, 'answers-'))
      const old = url === undefined ? openSqlite(join(place, 'console.db')) : await openPostgres(url)
      await makeOldDatabase(old, 14)
      const once = { tenant: 1, caller: 'key', idempotencyKey: 'again', fingerprint: 'what', now }
      const count = (database: Database) =>
        new DatabaseSessions(database).increment(at, { key: 'n', amount: 1 }, once)
      expect(await count(old)).toBe(1)
      await old.close()

      const database = await openDatabase({ folder: place, ...(url === undefined ? {} : { url }) })
      expect(await count(database)).toBe(1)
      expect(await new DatabaseSessions(database).get(at, 'n')).toBe('1')
      await database.close()
    },
  )
})
