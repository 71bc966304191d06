import type { Transaction, Value } from './database.js'

export interface Insertion {
  /** Table and columns. */
  readonly into: string
  readonly rows: readonly (readonly Value[])[]
  /** What follows the values: what to do about rows that are there. */
  readonly then: string
}

/** Few sizes, so that the same prepared statements serve any number of rows. */
const sizes = [128, 32, 8, 1]

/** Many rows in few statements; how many were inserted or changed. */
export async function insertRows(transaction: Transaction, insertion: Insertion): Promise<number> {
  let changed = 0
  for (const { sql, values } of writeStatements(insertion)) changed += await transaction.run(sql, values)
  return changed
}

/** The same, with what a RETURNING clause returns. */
export async function insertReturning<Row extends object>(
  transaction: Transaction,
  insertion: Insertion,
): Promise<readonly Row[]> {
  const returned: Row[] = []
  for (const { sql, values } of writeStatements(insertion)) {
    for (const row of await transaction.all<Row>(sql, values)) returned.push(row)
  }
  return returned
}

function* writeStatements({
  into,
  rows,
  then,
}: Insertion): Generator<{ readonly sql: string; readonly values: readonly Value[] }> {
  let from = 0
  for (const size of sizes) {
    for (; rows.length - from >= size; from += size) {
      const some = rows.slice(from, from + size)
      const places = `(${(some[0] ?? []).map(() => '?').join(', ')})`
      yield {
        sql: `INSERT INTO ${into} VALUES ${some.map(() => places).join(', ')} ${then}`,
        values: some.flat(),
      }
    }
  }
}
