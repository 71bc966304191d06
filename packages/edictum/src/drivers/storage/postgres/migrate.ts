// Brings the tables of a schema up to date. One query of several statements is one transaction, and it begins with a lock:
// programs that start at the same time wait for each other, and a migration is applied once and whole.
import type { PostgresPool } from './postgres-pool.js'

export interface Migration {
  readonly number: number
  /** `{schema}` stands for the schema. */
  readonly text: string
}

export async function applyMigrations(
  pool: PostgresPool,
  schema: string,
  migrations: readonly Migration[],
): Promise<void> {
  await pool.query(
    [
      `SELECT pg_advisory_xact_lock(hashtext('edictum migrations'), hashtext('${schema}'))`,
      `CREATE SCHEMA IF NOT EXISTS ${schema}`,
      `CREATE TABLE IF NOT EXISTS ${schema}.migration (
         number integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`,
      ...migrations.map((migration) => applyOnce(schema, migration)),
    ].join(';\n'),
  )
}

function applyOnce(schema: string, { number, text }: Migration): string {
  const statements = text.replaceAll('{schema}', schema)
  return `DO $once$ BEGIN
    IF NOT EXISTS (SELECT FROM ${schema}.migration WHERE number = ${number}) THEN
      EXECUTE $migration$${statements}$migration$;
      INSERT INTO ${schema}.migration (number) VALUES (${number});
    END IF;
  END $once$`
}
