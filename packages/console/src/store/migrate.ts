// Brings a database to the shape this version needs: numbered files, each applied once, all under one lock.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Database, Dialect } from './database.js'

/** Beside `dist` in the package, beside `src` in the repository. */
const migrationFolder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** What the two dialects write differently. */
const words: Record<Dialect, Readonly<Record<'$serial' | '$clustered', string>>> = {
  sqlite: { $serial: 'INTEGER PRIMARY KEY AUTOINCREMENT', $clustered: 'WITHOUT ROWID' },
  postgres: { $serial: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY', $clustered: '' },
}

interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
}

/** @throws when the database was written by a newer version, which this one could damage. */
export async function migrate(database: Database): Promise<void> {
  const migrations = readMigrations(database.dialect)
  await database.exclusively(async (transaction) => {
    await transaction.script(
      'CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)',
    )
    const applied = await transaction.all<{ number: number }>('SELECT number FROM migrations')
    const done = new Set(applied.map(({ number }) => number))
    const newest = migrations.at(-1)?.number ?? 0
    if (applied.some(({ number }) => number > newest))
      throw new Error('the database was written by a newer version of the console')
    for (const { number, name, sql } of migrations) {
      if (done.has(number)) continue
      await transaction.script(sql)
      await transaction.run('INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)', [
        number,
        name,
        Date.now(),
      ])
    }
  })
}

function readMigrations(dialect: Dialect): readonly Migration[] {
  const { $serial, $clustered } = words[dialect]
  return readdirSync(migrationFolder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => ({
      number: Number.parseInt(name, 10),
      name,
      sql: readFileSync(`${migrationFolder}/${name}`, 'utf8')
        .replaceAll('$serial', $serial)
        .replaceAll('$clustered', $clustered),
    }))
}
