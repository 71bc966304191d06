// Many rows in few statements, because every statement is a trip.
import type { Insertion, Value } from '../database.js'
import { insertionOf } from '../insertion.js'

/** Few sizes, so that the same prepared statements serve any number of rows. */
const sizes = [128, 32, 8, 1]

export function* writeInsertions(
  insertion: Insertion,
): Generator<{ readonly sql: string; readonly values: readonly Value[] }> {
  const { rows } = insertion
  let from = 0
  for (const size of sizes) {
    if (rows.length - from < size) continue
    const sql = insertionOf(insertion, size)
    for (; rows.length - from >= size; from += size)
      yield { sql, values: rows.slice(from, from + size).flat() }
  }
}
