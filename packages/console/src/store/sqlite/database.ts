// The embedded store: one file, one writer. Transactions that arrive together are committed and made durable together, so
// the cost of reaching the disk is shared; each of them still succeeds or fails by itself. Nobody is told of anything, and
// nothing is read, before it is durable, but for what asked not to wait.
import { close, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import Libsql from 'libsql'
import { ChangeListeners } from '../change-listeners.js'
import type { Answered, Change, Connection, Database, Insertion, Transaction, Value } from '../database.js'
import { insertionOf } from '../insertion.js'
import { Checkpoints } from './checkpoints.js'
import { makeRoom } from './log-room.js'
import { LogSync } from './log-sync.js'

type Handle = InstanceType<typeof Libsql>
type Statement = ReturnType<Handle['prepare']>

interface Job {
  readonly work: (transaction: Transaction) => Promise<unknown>
  readonly answered: Answered
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
/** What is in the log is moved to the database when it has so many pages; then it is written anew from its beginning. */
const logPages = 8_000
/** A page and what stands before it. */
const frameBytes = 4_096 + 24

/**
 * @param path a file, created if it is not there
 * @param toDisk brings what was written to an open file to the disk
 */
export function openSqlite(path: string, toDisk = promisify(fdatasync)): Database {
  const writer = openHandle(path)
  // Reads have a connection of their own, so that they see only what is committed and need not wait for a writer.
  const reader = openHandle(path)
  // SQLite writes what is committed to this file first, and keeps it as long as the database is open.
  const log = openSync(`${path}-wal`, 'r+')
  const disk = new LogSync(() => toDisk(log))
  makeRoom(log, logPages * frameBytes)
  // Begins now, so that the first commit has less to wait for; should it fail, that one fails too.
  disk.committed().catch(() => undefined)
  const checkpoints = new Checkpoints(path)
  let statements = 0
  const inside = connect(writer, () => statements++)
  const outside = connect(reader)
  const listeners = new ChangeListeners()
  const queue: Job[] = []
  let draining: Promise<void> | undefined
  let isClosed = false

  function transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    answered: Answered = 'when-durable',
  ): Promise<Result> {
    if (isClosed) return Promise.reject(new Error('the database is closed'))
    return new Promise<Result>((resolve, reject) => {
      queue.push({ work, answered, resolve: resolve as Job['resolve'], reject })
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
      // One that is alone needs nothing it could go back to but the beginning.
      const attempt = jobs.length === 1 ? attemptAlone : attemptBesideOthers
      for (const job of jobs) {
        const outcome = await attempt(job)
        if (outcome !== undefined) outcomes.push(outcome)
      }
      writer.exec(outcomes.length === 0 ? 'ROLLBACK' : 'COMMIT')
    } catch (error) {
      if (writer.inTransaction) writer.exec('ROLLBACK')
      for (const job of jobs) job.reject(error)
      return
    }
    if (outcomes.length === 0) return
    checkpoints.committed(statements)
    statements = 0
    // On a disk that failed nothing is answered before it arrived, and nothing arrives.
    const atOnce = disk.failure === undefined ? outcomes.filter(isAnsweredAtOnce) : []
    for (const { job, result } of atOnce) job.resolve(result as never)
    if (atOnce.length === outcomes.length) {
      disk.committedUnawaited()
      return
    }
    disk.committed().then(
      () => {
        for (const { job, result, changes } of outcomes) {
          job.resolve(result as never)
          for (const change of changes) listeners.tell(change)
        }
      },
      (error: unknown) => {
        for (const { job } of outcomes) job.reject(error)
      },
    )
  }

  async function attemptAlone(job: Job): Promise<Outcome | undefined> {
    const changes: Change[] = []
    try {
      const result = await job.work({
        ...inside,
        announce: async (change) => void changes.push(change),
        // There is one writer.
        lock: async () => undefined,
        script: async (sql) => void writer.exec(sql),
      })
      return { job, result, changes }
    } catch (error) {
      job.reject(error)
      return undefined
    }
  }

  async function attemptBesideOthers(job: Job): Promise<Outcome | undefined> {
    writer.exec('SAVEPOINT job')
    const outcome = await attemptAlone(job)
    if (outcome === undefined) writer.exec('ROLLBACK TO job')
    writer.exec('RELEASE job')
    return outcome
  }

  return {
    dialect: 'sqlite',
    all: async <Row extends object>(sql: string, values?: readonly Value[]) => {
      const rows = outside.all<Row>(sql, values)
      // They may have been committed and not have reached the disk yet.
      await disk.outstanding()
      return rows
    },
    run: (sql, values) => transaction((inside) => inside.run(sql, values)),
    transaction,
    exclusively: transaction,
    subscribe: (listener) => listeners.add(listener),
    // The one process that may open the file is this one.
    hearsChanges: () => true,
    close: async () => {
      isClosed = true
      await draining
      // What nobody waits for is brought to the disk by closing.
      await disk.close()
      await checkpoints.close()
      reader.close()
      writer.close()
      await promisify(close)(log)
    },
  }
}

/** Whoever hears of a change may look at once, so a change is told only when it is durable. */
function isAnsweredAtOnce({ job, changes }: Outcome): boolean {
  return job.answered === 'when-committed' && changes.length === 0
}

function openHandle(path: string): Handle {
  const handle = new Libsql(path)
  handle.pragma('journal_mode = WAL')
  // Every commit is brought to the disk by `LogSync`; this is for what is moved from the log to the database.
  handle.pragma('synchronous = NORMAL')
  handle.pragma('foreign_keys = ON')
  handle.pragma('busy_timeout = 5000')
  // As PostgreSQL does it: a key of `Billing-*` is none of `billing-1`.
  handle.pragma('case_sensitive_like = ON')
  handle.pragma('cache_size = -65536')
  handle.pragma(`wal_autocheckpoint = ${logPages}`)
  return handle
}

function connect(
  handle: Handle,
  noteStatement: () => void = () => undefined,
): Connection & Pick<Transaction, 'insert' | 'insertReturning'> {
  const statements = new Map<string, Statement>()

  function prepare(sql: string): Statement {
    const ready = statements.get(sql)
    if (ready !== undefined) return ready
    if (statements.size >= mostStatements) statements.clear()
    const statement = handle.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  return {
    all: async <Row extends object>(sql: string, values: readonly Value[] = []) =>
      prepare(sql).all(checked(values)) as Row[],
    run: async (sql, values = []) => {
      noteStatement()
      return prepare(sql).run(checked(values)).changes
    },
    // Row by row: there is no trip to save, and a statement for many rows is slower here.
    insert: async (insertion) => {
      const statement = prepare(insertionOf(insertion, 1))
      let changed = 0
      for (const row of insertion.rows) {
        noteStatement()
        changed += statement.run(checked(row)).changes
      }
      return changed
    },
    insertReturning: async <Row extends object>(insertion: Insertion) => {
      const statement = prepare(insertionOf(insertion, 1))
      return insertion.rows.flatMap((row) => statement.all(checked(row)) as Row[])
    },
  }
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
