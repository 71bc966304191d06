// Counters and values that the processes of an agent share. A step is one transaction under the lock of its session, so
// that a limit holds however many processes and nodes take part.
import { randomUUID } from 'node:crypto'
import type { Reservation, ReservationRequest, SessionCounters, Settlement } from '../protocol/sessions.js'
import {
  type Answered,
  type Connection,
  type Database,
  first,
  type Transaction,
  type Value,
} from './database.js'
import { StoreRefusal } from './refusal.js'
import { answerOnce, type RememberedRequest } from './remembered-answers.js'
import type { Scope } from './scope.js'
import { fromStorable, toStorable } from './storable-text.js'

/** Renewed by every write. */
const lifetimeMs = 7 * 24 * 60 * 60 * 1_000
/** Up to the full hour, so that most writes change nothing about when a value ends, and no index has to be written. */
const roundedToMs = 60 * 60 * 1_000

interface ValueRow {
  readonly name: string
  readonly text: string | null
  readonly number: number | null
}

export interface At extends Scope {
  readonly now: number
}

export interface Entry {
  readonly key: string
  readonly value: string
}

/** Where sessions are kept. A change that may arrive twice says what it is known by. */
export interface Sessions {
  get(at: At, key: string): Promise<string | null>
  batchGet(at: At, keys: readonly string[]): Promise<Readonly<Record<string, string | null>>>
  set(at: At, entry: Entry): Promise<void>
  delete(at: At, key: string): Promise<void>
  /** @throws StoreRefusal when the stored value is no number */
  increment(at: At, entry: Addition, once: RememberedRequest | undefined): Promise<number>
  reserve(at: At, request: ReservationRequest, once: RememberedRequest | undefined): Promise<Reservation>
  settle(at: At, settlement: Settlement, once: RememberedRequest | undefined): Promise<SessionCounters>
  /** @throws DatabaseAway */
  ping(): Promise<void>
}

export interface Addition {
  readonly key: string
  readonly amount: number
}

/** In the database, beside everything else. */
export class DatabaseSessions implements Sessions {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async get(at: At, key: string): Promise<string | null> {
    const row = await first<ValueRow>(
      this.#database,
      'SELECT name, text, number FROM session_values WHERE tenant = ? AND env = ? AND name = ? AND expires_at > ?',
      [at.tenant, at.env, toStorable(key), at.now],
    )
    return row === undefined ? null : toText(row)
  }

  async batchGet(at: At, keys: readonly string[]): Promise<Readonly<Record<string, string | null>>> {
    const rows = keys.length === 0 ? [] : await readRows(this.#database, at, keys)
    const found = new Map(rows.map((row) => [row.name, toText(row)]))
    return Object.fromEntries(keys.map((key) => [key, found.get(toStorable(key)) ?? null]))
  }

  set(at: At, entry: Entry): Promise<void> {
    return this.#database.transaction((inside) => setValue(inside, at, entry))
  }

  delete(at: At, key: string): Promise<void> {
    return this.#database.transaction((inside) => deleteValue(inside, at, key))
  }

  increment(at: At, entry: Addition, once: RememberedRequest | undefined): Promise<number> {
    return this.#once(once, (inside) => incrementValue(inside, at, entry))
  }

  reserve(at: At, request: ReservationRequest, once: RememberedRequest | undefined): Promise<Reservation> {
    // A slot ends by itself, and what was executed in it counts whether or not it is known: nothing to wait for.
    return this.#once(once, (inside) => reserveSlot(inside, at, request), 'when-committed')
  }

  settle(at: At, settlement: Settlement, once: RememberedRequest | undefined): Promise<SessionCounters> {
    return this.#once(once, (inside) => settleSlot(inside, at, settlement))
  }

  async ping(): Promise<void> {
    await this.#database.all('SELECT 1 AS one')
  }

  #once<Result>(
    once: RememberedRequest | undefined,
    work: (inside: Transaction) => Promise<Result>,
    answered?: Answered,
  ): Promise<Result> {
    return this.#database.transaction((inside) => answerOnce(inside, once, () => work(inside)), answered)
  }
}

async function setValue(transaction: Transaction, at: At, entry: Entry): Promise<void> {
  await transaction.run(
    `INSERT INTO session_values (tenant, env, name, text, number, expires_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenant, env, name) DO UPDATE SET
       text = excluded.text, number = excluded.number, expires_at = excluded.expires_at`,
    [at.tenant, at.env, toStorable(entry.key), toStorable(entry.value), toNumber(entry.value), endOfLife(at)],
  )
}

async function deleteValue(transaction: Transaction, at: At, key: string): Promise<void> {
  await transaction.run('DELETE FROM session_values WHERE tenant = ? AND env = ? AND name = ?', [
    at.tenant,
    at.env,
    toStorable(key),
  ])
}

/** @throws StoreRefusal when the stored value is no number: counting on from zero would switch a limit off. */
async function incrementValue(transaction: Transaction, at: At, entry: Addition): Promise<number> {
  const [number = Number.NaN] = await incrementValues(transaction, at, {
    keys: [entry.key],
    amount: entry.amount,
  })
  return number
}

/**
 * Adds the same to different values, as one statement.
 * @returns what they are afterwards, in the order of the keys
 */
async function incrementValues(
  transaction: Transaction,
  at: At,
  { keys, amount }: { readonly keys: readonly string[]; readonly amount: number },
): Promise<readonly number[]> {
  const end = endOfLife(at)
  const rows = await transaction.all<{ name: string; number: number }>(
    `INSERT INTO session_values (tenant, env, name, number, expires_at) VALUES ${keys.map(() => '(?, ?, ?, ?, ?)').join(', ')}
     ON CONFLICT (tenant, env, name) DO UPDATE SET
       number = CASE WHEN session_values.expires_at <= ? THEN excluded.number
                     ELSE session_values.number + excluded.number END,
       text = NULL, expires_at = excluded.expires_at
     WHERE session_values.expires_at <= ? OR session_values.number IS NOT NULL
     RETURNING name, number`,
    [...keys.flatMap((key) => [at.tenant, at.env, toStorable(key), amount, end]), at.now, at.now],
  )
  return keys.map((key) => {
    const name = toStorable(key)
    const number = rows.find((row) => row.name === name)?.number
    if (number === undefined) throw notANumber(key)
    if (Math.abs(number) > Number.MAX_SAFE_INTEGER)
      throw new StoreRefusal(
        'number-too-large',
        `the number stored for ${shown(key)} would be too large to be exact`,
      )
    return number
  })
}

/** Counts an attempt and takes an execution slot if the limits leave room. */
async function reserveSlot(
  transaction: Transaction,
  at: At,
  request: ReservationRequest,
): Promise<Reservation> {
  const { sessionId, toolName, limits } = request
  await transaction.lock(lockOf(at, sessionId))
  if (request.attempt === 'count')
    await incrementValue(transaction, at, { key: attemptsKey(sessionId), amount: 1 })
  const counters = await readCounters(transaction, at, { ...request, slots: 'counted' })
  if (request.slot === 'leave') return { counters, slot: { kind: 'left' } }
  const isFull =
    (limits.attempts !== undefined && counters.attempts > limits.attempts) ||
    (limits.executions !== undefined && counters.executions >= limits.executions) ||
    (limits.toolExecutions !== undefined && counters.toolExecutions >= limits.toolExecutions)
  if (isFull) return { counters, slot: { kind: 'exhausted' } }
  const id = randomUUID()
  await transaction.run(
    'INSERT INTO session_slots (tenant, env, session, id, tool, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
    [
      at.tenant,
      at.env,
      toStorable(sessionId),
      id,
      toStorable(toolName),
      Math.ceil(at.now + request.leaseSeconds * 1_000),
    ],
  )
  return { counters, slot: { kind: 'taken', id } }
}

/** Ends a reservation. A lease that has run out gave its slot back already; what has been executed counts all the same. */
async function settleSlot(
  transaction: Transaction,
  at: At,
  settlement: Settlement,
): Promise<SessionCounters> {
  const { sessionId, toolName, slotId, outcome } = settlement
  await transaction.lock(lockOf(at, sessionId))
  await transaction.run('DELETE FROM session_slots WHERE tenant = ? AND env = ? AND session = ? AND id = ?', [
    at.tenant,
    at.env,
    toStorable(sessionId),
    slotId,
  ])
  const executed = [executionsKey(sessionId), toolKey(sessionId, toolName)]
  const failed = [failuresKey(sessionId)]
  const keys = { executed, uncertain: [...executed, ...failed], failed, released: [] }[outcome]
  if (keys.length > 0) await incrementValues(transaction, at, { keys, amount: 1 })
  if (outcome === 'executed') await deleteValue(transaction, at, failuresKey(sessionId))
  return readCounters(transaction, at, { ...settlement, slots: 'left-out' })
}

interface CountersQuestion {
  readonly sessionId: string
  readonly toolName: string
  /** Whether slots that are taken and not settled count as executions: their processes may still be running. */
  readonly slots: 'counted' | 'left-out'
}

interface CountRow {
  readonly kind: 'value' | 'slots'
  /** Of a value, or of a tool. */
  readonly name: string
  readonly number: number | null
}

async function readCounters(
  transaction: Transaction,
  at: At,
  { sessionId, toolName, slots }: CountersQuestion,
): Promise<SessionCounters> {
  const keys = [attemptsKey(sessionId), executionsKey(sessionId), toolKey(sessionId, toolName)]
  const names = keys.map(toStorable)
  const values = `SELECT 'value' AS kind, name, number FROM session_values
    WHERE tenant = ? AND env = ? AND expires_at > ? AND name IN (?, ?, ?)`
  const held = `SELECT 'slots', tool, count(*) FROM session_slots
    WHERE tenant = ? AND env = ? AND session = ? AND expires_at > ? GROUP BY tool`
  const rows = await transaction.all<CountRow>(slots === 'counted' ? `${values} UNION ALL ${held}` : values, [
    ...[at.tenant, at.env, at.now, ...names],
    ...(slots === 'counted' ? [at.tenant, at.env, toStorable(sessionId), at.now] : []),
  ])
  const [attempts = 0, executions = 0, toolExecutions = 0] = keys.map((key, index) => {
    const row = rows.find(({ kind, name }) => kind === 'value' && name === names[index])
    if (row !== undefined && row.number === null) throw notANumber(key)
    return row?.number ?? 0
  })
  const taken = rows.filter(({ kind }) => kind === 'slots')
  const tool = toStorable(toolName)
  const ofTool = taken.filter(({ name }) => name === tool)
  return {
    attempts,
    executions: executions + sum(taken),
    toolExecutions: toolExecutions + sum(ofTool),
  }
}

function sum(rows: readonly CountRow[]): number {
  return rows.reduce((total, { number }) => total + (number ?? 0), 0)
}

function readRows(connection: Connection, at: At, keys: readonly string[]): Promise<readonly ValueRow[]> {
  const values: Value[] = [at.tenant, at.env, at.now, ...keys.map(toStorable)]
  return connection.all<ValueRow>(
    `SELECT name, text, number FROM session_values
     WHERE tenant = ? AND env = ? AND expires_at > ? AND name IN (${keys.map(() => '?').join(', ')})`,
    values,
  )
}

function endOfLife({ now }: At): number {
  return Math.ceil((now + lifetimeMs) / roundedToMs) * roundedToMs
}

function lockOf({ tenant, env }: Scope, sessionId: string): string {
  return `session ${tenant} ${env} ${toStorable(sessionId)}`
}

// The names every backend and every published client uses.
const attemptsKey = (sessionId: string): string => `s:${sessionId}:attempts`
const executionsKey = (sessionId: string): string => `s:${sessionId}:execs`
const toolKey = (sessionId: string, toolName: string): string => `s:${sessionId}:tool:${toolName}`
const failuresKey = (sessionId: string): string => `s:${sessionId}:consec_fail`

function toText({ text, number }: ValueRow): string {
  return text === null ? String(number) : fromStorable(text)
}

/** A text that reads as a number can be counted on from. */
function toNumber(text: string): number | null {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : null
}

function notANumber(key: string): StoreRefusal {
  return new StoreRefusal('not-a-number', `the value stored for ${shown(key)} is not a number`)
}

function shown(key: string): string {
  return key.slice(0, 200)
}
