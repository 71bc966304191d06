// Many nodes on one database. Changes travel with NOTIFY, which PostgreSQL delivers when the transaction that said it is
// committed, and not otherwise.
import { createHash } from 'node:crypto'
import pg from 'pg'
import { ChangeListeners } from '../change-listeners.js'
import {
  type Connection,
  type Database,
  DatabaseAway,
  type Insertion,
  type Transaction,
  type Value,
} from '../database.js'
import { changeChannel } from './change-channel.js'
import { writeInsertions } from './insert-rows.js'
import { listenForChanges } from './listen.js'

/** Any number will do, as long as all nodes agree on it. */
const exclusiveLock = 0x0ed1c7
const mostAttempts = 4

export async function openPostgres(url: string): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 20,
    // Whoever asks is better served with an error than with no answer.
    connectionTimeoutMillis: 5_000,
    statement_timeout: 20_000,
    types: { getTypeParser: parserOf },
  })
  // A connection that breaks while nobody uses it is replaced by the pool; those in use fail where they are used.
  pool.on('error', () => undefined)
  const listeners = new ChangeListeners()
  const listening = await listenForChanges(url, (change) => listeners.tell(change))

  async function attempt<Result>(
    begin: string,
    work: (inside: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const client = await pool.connect()
    let broken: Error | undefined
    try {
      await client.query(begin)
      const result = await work({
        ...connect(client),
        ...insertThrough(connect(client)),
        announce: async (change) => {
          await client.query('SELECT pg_notify($1, $2)', [changeChannel, JSON.stringify(change)])
        },
        lock: async (name) => {
          await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
        },
        script: async (sql) => void (await client.query(sql)),
      })
      await client.query('COMMIT')
      return result
    } catch (error) {
      broken = await client.query('ROLLBACK').then(
        () => undefined,
        (failure: Error) => failure,
      )
      throw error
    } finally {
      client.release(broken)
    }
  }

  async function transact<Result>(
    begin: string,
    work: (inside: Transaction) => Promise<Result>,
  ): Promise<Result> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(begin, work)
      } catch (error) {
        if (attempts === mostAttempts || !isWorthAnotherAttempt(error)) throw explain(error)
      }
    }
  }

  const outside = connect(pool)
  return {
    dialect: 'postgres',
    all: <Row extends object>(sql: string, values?: readonly Value[]) =>
      outside.all<Row>(sql, values).catch(rethrow),
    run: (sql, values) => outside.run(sql, values).catch(rethrow),
    transaction: (work) => transact('BEGIN', work),
    exclusively: (work) => transact(`BEGIN; SELECT pg_advisory_xact_lock(${exclusiveLock})`, work),
    subscribe: (listener) => listeners.add(listener),
    hearsChanges: listening.isConnected,
    close: async () => {
      await listening.close()
      await pool.end()
    },
  }
}

function connect(client: pg.Pool | pg.ClientBase): Connection {
  return {
    all: async <Row extends object>(sql: string, values: readonly Value[] = []) =>
      (await client.query<Row>({ ...prepared(sql), values: [...values] })).rows,
    run: async (sql, values = []) =>
      (await client.query({ ...prepared(sql), values: [...values] })).rowCount ?? 0,
  }
}

function insertThrough({ run, all }: Connection): Pick<Transaction, 'insert' | 'insertReturning'> {
  return {
    insert: async (insertion) => {
      let changed = 0
      for (const { sql, values } of writeInsertions(insertion)) changed += await run(sql, values)
      return changed
    },
    insertReturning: async <Row extends object>(insertion: Insertion) => {
      const returned: Row[] = []
      for (const { sql, values } of writeInsertions(insertion))
        returned.push(...(await all<Row>(sql, values)))
      return returned
    },
  }
}

const preparedStatements = new Map<string, { readonly name: string; readonly text: string }>()
const mostStatements = 500

/** `?` becomes `$1`, `$2`…; no statement of ours has a question mark in a literal. */
function prepared(sql: string): { readonly name: string; readonly text: string } {
  const known = preparedStatements.get(sql)
  if (known !== undefined) return known
  let position = 0
  const text = sql.replaceAll('?', () => `$${++position}`)
  const statement = { name: createHash('sha256').update(sql).digest('base64url').slice(0, 32), text }
  if (preparedStatements.size < mostStatements) preparedStatements.set(sql, statement)
  return statement
}

/** 64-bit integers and their sums are times and counts here, which a number holds exactly. */
const wholeNumbers = new Set([20, 1700])
const parserOf = ((type: number, format?: 'text' | 'binary') =>
  wholeNumbers.has(type) && format !== 'binary'
    ? Number
    : pg.types.getTypeParser(type, format as 'text')) as typeof pg.types.getTypeParser

/** Deadlock or a lost race between transactions: nothing has happened, so the work can be done again. */
function isWorthAnotherAttempt(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === '40P01' || code === '40001'
}

function rethrow(error: unknown): never {
  throw explain(error)
}

const systemCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH'])

/** Whether it is the connection that failed, or the server is starting or stopping, rather than the statement. */
function explain(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  const isAway =
    systemCodes.has(code) ||
    /^(08|57P)/.test(code) ||
    // What the driver itself says has no code.
    /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered)/.test(
      error.message,
    )
  return isAway ? new DatabaseAway('the database does not answer', { cause: error }) : error
}
