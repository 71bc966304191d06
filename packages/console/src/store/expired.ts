import type { Database } from './database.js'

const tables = ['session_values', 'session_slots', 'remembered_answers', 'login_links', 'login_sessions']

/** Rows whose time is over. Readers ignore them anyway; this only frees the room. */
export async function removeExpired(database: Database, now: number): Promise<void> {
  for (const table of tables) await database.run(`DELETE FROM ${table} WHERE expires_at <= ?`, [now])
}
