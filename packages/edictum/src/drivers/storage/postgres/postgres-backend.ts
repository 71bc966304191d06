// Counters in PostgreSQL. Every method is one statement and one round trip; the steps that have to be atomic are functions
// that lock their session first, so that nothing comes between a check and its count, in any number of processes.
import { EdictumConfigError } from '../../../contracts/config-error.js'
import type {
  Reservation,
  ReservationRequest,
  SessionCounters,
  Settlement,
  StorageBackend,
} from '../../../guard/ports/storage-backend.js'
import { rememberSettledSeconds, settlePersistently } from '../../../guard/ports/settle-persistently.js'
import {
  checkAmount,
  checkStoredValue,
  fieldOfTool,
  placeOfKey,
  scopeOfSession,
} from '../../../guard/ports/storage-place.js'
import { randomId } from '../../../internal/platform.js'
import { applyMigrations } from './migrate.js'
import { migrations } from './migrations.js'
import type { PostgresPool } from './postgres-pool.js'

export interface PostgresBackendOptions {
  /** Where the tables and functions are; lower-case letters, digits and `_`. @default 'edictum' */
  readonly schema?: string
  /** A session nobody has written to for this long is forgotten. @default 604800 (7 days) */
  readonly ttlSeconds?: number
}

/** The one place where a default of the backend is written. */
export const postgresDefaults = {
  schema: 'edictum',
  ttlSeconds: 7 * 86_400,
} as const satisfies PostgresBackendOptions

/** Codes of PostgreSQL for a schema, a function or a table that does not exist. */
const missingParts = new Set<unknown>(['3F000', '42883', '42P01'])

/** Session limits shared by every process that uses the same database. Takes a pool of yours, and never closes it. */
export class PostgresBackend implements StorageBackend {
  readonly #pool: PostgresPool
  readonly #schema: string
  readonly #keep: string

  /** @throws EdictumConfigError for an option that means nothing. */
  constructor(pool: PostgresPool, options: PostgresBackendOptions = {}) {
    const { schema = postgresDefaults.schema, ttlSeconds = postgresDefaults.ttlSeconds } = options
    // It stands in the text of statements and in their names, which have at most 63 characters.
    if (typeof schema !== 'string' || !/^[a-z_][a-z0-9_]{0,39}$/.test(schema))
      throw EdictumConfigError.of(
        'invalid-option',
        'schema must be at most 40 lower-case letters, digits and `_`',
      )
    if (!(ttlSeconds > 0 && Number.isFinite(ttlSeconds)))
      throw EdictumConfigError.of('invalid-option', 'ttlSeconds must be a number above 0')
    this.#pool = pool
    this.#schema = schema
    this.#keep = seconds(ttlSeconds)
  }

  /** Creates or updates the tables. Call it when the program starts; any number of programs may do so at once. */
  async migrate(): Promise<void> {
    await applyMigrations(this.#pool, this.#schema, migrations)
  }

  /** Removes sessions whose time is over, and says how many. Without it they stay until they are used again. */
  async sweep(): Promise<number> {
    // A session in use is not over any more when its lock is free, so it is left alone.
    const text = `WITH gone AS (
        DELETE FROM ${this.#schema}.session WHERE scope IN (
          SELECT scope FROM ${this.#schema}.session WHERE expires_at <= clock_timestamp() FOR UPDATE SKIP LOCKED
        ) RETURNING 1
      ) SELECT count(*)::text AS count FROM gone`
    const [row] = await this.#query('sweep', text, [])
    return readCount(row?.['count'])
  }

  async get(key: string): Promise<string | null> {
    return (await this.#read([key]))[0] ?? null
  }

  async set(key: string, value: string): Promise<void> {
    const { scope, field } = placeOfKey(key)
    await this.#call('set_value', [scope, field, checkStoredValue(value), this.#keep])
  }

  async delete(key: string): Promise<void> {
    const { scope, field } = placeOfKey(key)
    const text = `DELETE FROM ${this.#schema}.session_value WHERE scope = $1 AND field = $2`
    await this.#query('delete', text, [scope, field])
  }

  async increment(key: string, amount = 1): Promise<number> {
    const { scope, field } = placeOfKey(key)
    const row = await this.#call('increment', [scope, field, checkAmount(amount), this.#keep])
    return readCount(row['increment'])
  }

  async batchGet(keys: readonly string[]): Promise<Readonly<Record<string, string | null>>> {
    const values = await this.#read(keys)
    return Object.fromEntries(keys.map((key, position) => [key, values[position] ?? null]))
  }

  async reserve(request: ReservationRequest): Promise<Reservation> {
    const { sessionId, toolName, attempt, slot, limits, leaseSeconds } = request
    const slotId = randomId()
    let row: Row
    try {
      row = await this.#call('reserve', [
        scopeOfSession(sessionId),
        fieldOfTool(toolName),
        attempt,
        slot,
        slotId,
        limitOf(limits.attempts),
        limitOf(limits.executions),
        limitOf(limits.toolExecutions),
        seconds(leaseSeconds),
        this.#keep,
      ])
    } catch (error) {
      // The slot may have been taken and only the answer lost. If giving it back fails too, its lease ends it.
      if (slot === 'take')
        this.settle({ sessionId, toolName, slotId, outcome: 'released' }).catch(() => undefined)
      throw error
    }
    const { granted } = row
    const counters = readCounters(row)
    if (granted === 'taken') return { counters, slot: { kind: granted, id: slotId } }
    if (granted === 'exhausted' || granted === 'left') return { counters, slot: { kind: granted } }
    throw new TypeError('postgres answered `reserve` with something else than a slot')
  }

  /** Tries for about half a minute, however often the connection breaks; counts once. */
  async settle({ sessionId, toolName, slotId, outcome }: Settlement): Promise<SessionCounters> {
    const names = [scopeOfSession(sessionId), fieldOfTool(toolName)]
    const values = [...names, slotId, outcome, this.#keep, seconds(rememberSettledSeconds)]
    return readCounters(await settlePersistently(async () => this.#call('settle', values)))
  }

  async #read(keys: readonly string[]): Promise<readonly (string | undefined)[]> {
    const places = keys.map(placeOfKey)
    const text = `SELECT found_at::int, found FROM ${this.#schema}.read_values($1, $2)`
    const rows = await this.#query('read', text, [
      places.map(({ scope }) => scope),
      places.map(({ field }) => field),
    ])
    const values: (string | undefined)[] = keys.map(() => undefined)
    for (const { found_at: position, found } of rows) {
      if (typeof position !== 'number' || typeof found !== 'string')
        throw new TypeError('postgres answered with something else than text')
      values[position - 1] = found
    }
    return values
  }

  async #call(name: string, values: unknown[]): Promise<Row> {
    const parameters = values.map((_, index) => `$${index + 1}`).join(', ')
    const [row] = await this.#query(name, `SELECT * FROM ${this.#schema}.${name}(${parameters})`, values)
    if (row === undefined) throw new TypeError(`postgres answered \`${name}\` with nothing`)
    return row
  }

  async #query(name: string, text: string, values: unknown[]): Promise<readonly Row[]> {
    try {
      const { rows } = await this.#pool.query({ name: `edictum_${this.#schema}_${name}`, text, values })
      return rows as readonly Row[]
    } catch (error) {
      if (error instanceof Error && 'code' in error && missingParts.has(error.code)) {
        const message = `the tables of edictum are not in schema ${this.#schema}; call migrate() first`
        throw new Error(message, { cause: error })
      }
      // Of a name with several addresses Node.js says which failed, but puts it all into the cause.
      if (error instanceof Error && error.message === '')
        throw new Error('postgres cannot be reached', { cause: error })
      throw error
    }
  }
}

type Row = Readonly<Record<string, unknown>>

function seconds(amount: number): string {
  return `${amount} seconds`
}

function limitOf(limit: number | undefined): number | null {
  return limit === undefined || limit === Infinity ? null : limit
}

function readCounters(row: Row): SessionCounters {
  return {
    attempts: readCount(row['attempts']),
    executions: readCount(row['executions']),
    toolExecutions: readCount(row['tool_executions']),
  }
}

/** Numbers of PostgreSQL arrive as text, unless the program has set its own parsers. */
function readCount(value: unknown): number {
  const count = typeof value === 'number' ? value : Number(typeof value === 'string' ? value || NaN : NaN)
  if (!Number.isFinite(count)) throw new TypeError('postgres answered with something else than a number')
  return count
}
