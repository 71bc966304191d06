// The port to a database: SQL that both dialects understand, with `?` for values. What differs between them (locks,
// identity columns, how nodes tell each other about changes) is behind these few methods.

/** Booleans are written as 0 and 1: one of the drivers ends the process on them. */
export type Value = string | number | null

export interface Connection {
  all<Row extends object>(sql: string, values?: readonly Value[]): Promise<readonly Row[]>
  /** How many rows were changed. */
  run(sql: string, values?: readonly Value[]): Promise<number>
}

/** Many rows of one table. */
export interface Insertion {
  /** Table and columns. */
  readonly into: string
  readonly rows: readonly (readonly Value[])[]
  /** What follows the values: what to do about rows that are there. */
  readonly then: string
}

export interface Transaction extends Connection {
  /** In the order of the rows; how many were inserted or changed. */
  insert(insertion: Insertion): Promise<number>
  /** The same, with what a RETURNING clause returns. */
  insertReturning<Row extends object>(insertion: Insertion): Promise<readonly Row[]>
  /** Reaches the subscribers on every node once, and only when, this transaction is durable. */
  announce(change: Change): Promise<void>
  /** Until this transaction ends no other one gets past the same name. */
  lock(name: string): Promise<void>
  /** Several statements without values. */
  script(sql: string): Promise<void>
}

export interface Database extends Connection {
  readonly dialect: Dialect
  /**
   * All of `work` or nothing; durable when it resolves, unless it is answered before. `work` waits for nothing but this
   * transaction, and may be run again when the database asks for it.
   */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    answered?: Answered,
  ): Promise<Result>
  /** A transaction that no other node is in at the same time. */
  exclusively<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  subscribe(listener: (change: Change | Resync) => void): () => void
  /** False while changes of other nodes may go unheard; whoever keeps copies must not trust them then. */
  hearsChanges(): boolean
  close(): Promise<void>
}

/** The database does not answer. Nothing is known to have happened; the same may succeed in a moment. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway'
}

/**
 * When whoever asked for a transaction hears of it. What is committed outlives the processes of the store; only what is
 * durable outlives a power failure. For what ends by itself and soon, waiting for the disk may be too much. A database
 * may always wait.
 */
export type Answered = 'when-durable' | 'when-committed'

export type Dialect = 'sqlite' | 'postgres'

/** Something others may hold a copy of has changed. Small: what it is now is read from the database. */
export interface Change {
  readonly kind: string
  readonly tenant: number
  readonly subject: string
}

/** Changes may have been missed: look at everything again. */
export interface Resync {
  readonly kind: 'resync'
}

/** The row of a query that has one. */
export async function first<Row extends object>(
  connection: Connection,
  sql: string,
  values: readonly Value[],
): Promise<Row | undefined> {
  const [row] = await connection.all<Row>(sql, values)
  return row
}
