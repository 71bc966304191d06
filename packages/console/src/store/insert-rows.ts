import type { Transaction, Value } from './database.js'

export interface Insertion {
  /** Table and columns. */
  readonly into: string
  readonly rows: readonly (readonly Value[])[]
  /** What follows the values: conflict clause, RETURNING. */
  readonly then: string
}

/** Few sizes, so that the same prepared statements serve any number of rows. */
const sizes = [128, 32, 8, 1]

/** Many rows in few statements; what they return, if the statement returns something. */
export async function insertRows<Row extends object>(
  transaction: Transaction,
  { into, rows, then }: Insertion,
): Promise<readonly Row[]> {
  const returned: Row[] = []
  let from = 0
  for (const size of sizes) {
    for (; rows.length - from >= size; from += size) {
      const some = rows.slice(from, from + size)
      const places = `(${(some[0] ?? []).map(() => '?').join(', ')})`
      const sql = `INSERT INTO ${into} VALUES ${some.map(() => places).join(', ')} ${then}`
      const result = await transaction.all<Row>(sql, some.flat())
      for (const row of result) returned.push(row)
    }
  }
  return returned
}
