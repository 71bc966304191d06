// The embedded store: one file, one writer. Transactions that arrive together are made durable together, so the cost of
// reaching the disk is shared; each of them still succeeds or fails by itself.
import Libsql from 'libsql'
import { ChangeListeners } from '../change-listeners.js'
import type { Change, Database, Transaction, Value } from '../database.js'

type Handle = InstanceType<typeof Libsql>
type Statement = ReturnType<Handle['prepare']>

interface Job {
  readonly work: (transaction: Transaction) => Promise<unknown>
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

interface Outcome {
  readonly job: Job
  readonly result: unknown
  readonly changes: readonly Change[]
}

const mostJobsPerCommit = 256
const mostStatements = 500

/** @param path a file, created if it is not there. */
export function openSqlite(path: string): Database {
  const writer = openHandle(path)
  // Reads have a connection of their own, so that they see only what is committed and need not wait for a writer.
  const reader = openHandle(path)
  const listeners = new ChangeListeners()
  const queue: Job[] = []
  let draining: Promise<void> | undefined
  let isClosed = false

  function transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    if (isClosed) return Promise.reject(new Error('the database is closed'))
    return new Promise<Result>((resolve, reject) => {
      queue.push({ work, resolve: resolve as Job['resolve'], reject })
      draining ??= drain()
    })
  }

  async function drain(): Promise<void> {
    // One turn later everything that has arrived meanwhile shares the commit.
    await new Promise((resolve) => setImmediate(resolve))
    while (queue.length > 0) {
      await commitTogether(queue.splice(0, mostJobsPerCommit))
      if (queue.length > 0) await new Promise((resolve) => setImmediate(resolve))
    }
    draining = undefined
  }

  async function commitTogether(jobs: readonly Job[]): Promise<void> {
    const outcomes: Outcome[] = []
    try {
      writer.exec('BEGIN IMMEDIATE')
      for (const job of jobs) {
        const outcome = await attempt(job)
        if (outcome !== undefined) outcomes.push(outcome)
      }
      writer.exec('COMMIT')
    } catch (error) {
      if (writer.inTransaction) writer.exec('ROLLBACK')
      for (const job of jobs) job.reject(error)
      return
    }
    for (const { job, result, changes } of outcomes) {
      job.resolve(result as never)
      for (const change of changes) listeners.tell(change)
    }
  }

  async function attempt(job: Job): Promise<Outcome | undefined> {
    const changes: Change[] = []
    writer.exec('SAVEPOINT job')
    try {
      const result = await job.work({
        ...connect(writer),
        announce: async (change) => void changes.push(change),
        // There is one writer.
        lock: async () => undefined,
        script: async (sql) => void writer.exec(sql),
      })
      writer.exec('RELEASE job')
      return { job, result, changes }
    } catch (error) {
      writer.exec('ROLLBACK TO job')
      writer.exec('RELEASE job')
      job.reject(error)
      return undefined
    }
  }

  return {
    dialect: 'sqlite',
    all: connect(reader).all,
    run: (sql, values) => transaction((inside) => inside.run(sql, values)),
    transaction,
    exclusively: transaction,
    subscribe: (listener) => listeners.add(listener),
    // The one process that may open the file is this one.
    hearsChanges: () => true,
    close: async () => {
      isClosed = true
      await draining
      reader.close()
      writer.close()
    },
  }
}

function openHandle(path: string): Handle {
  const handle = new Libsql(path)
  handle.pragma('journal_mode = WAL')
  // A commit has reached the disk, not only the operating system.
  handle.pragma('synchronous = FULL')
  handle.pragma('foreign_keys = ON')
  handle.pragma('busy_timeout = 5000')
  // As PostgreSQL does it: a key of `Billing-*` is none of `billing-1`.
  handle.pragma('case_sensitive_like = ON')
  handle.pragma('cache_size = -65536')
  handle.pragma('wal_autocheckpoint = 8000')
  return handle
}

const connections = new WeakMap<Handle, Pick<Transaction, 'all' | 'run'>>()

function connect(handle: Handle): Pick<Transaction, 'all' | 'run'> {
  const known = connections.get(handle)
  if (known !== undefined) return known
  const statements = new Map<string, Statement>()

  function prepare(sql: string): Statement {
    const ready = statements.get(sql)
    if (ready !== undefined) return ready
    if (statements.size >= mostStatements) statements.clear()
    const statement = handle.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  const connection: Pick<Transaction, 'all' | 'run'> = {
    all: async <Row extends object>(sql: string, values: readonly Value[] = []) =>
      prepare(sql).all(checked(values)) as Row[],
    run: async (sql, values = []) => prepare(sql).run(checked(values)).changes,
  }
  connections.set(handle, connection)
  return connection
}

/** The driver ends the process when it meets a value it does not know. */
function checked(values: readonly Value[]): readonly Value[] {
  for (const value of values) {
    if (value === null || typeof value === 'string') continue
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw new TypeError(`not a value for the database: ${typeof value}`)
  }
  return values
}
