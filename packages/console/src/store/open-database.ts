import { join } from 'node:path'
import type { Database } from './database.js'
import { migrate } from './migrate.js'
import { openPostgres } from './postgres/database.js'
import { openSqlite } from './sqlite/database.js'

export interface DatabaseLocation {
  /** PostgreSQL; absent for the embedded file. */
  readonly url?: string
  readonly folder: string
}

export const databaseFile = 'console.db'

/** The database, in the shape this version needs. */
export async function openDatabase({ url, folder }: DatabaseLocation): Promise<Database> {
  const database = url === undefined ? openSqlite(join(folder, databaseFile)) : await openPostgres(url)
  try {
    await migrate(database)
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}
