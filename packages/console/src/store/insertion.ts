import type { Insertion } from './database.js'

/** The statement for so many rows. */
export function insertionOf({ into, rows: [row = []], then }: Insertion, count: number): string {
  const places = `(${row.map(() => '?').join(', ')})`
  return `INSERT INTO ${into} VALUES ${Array.from({ length: count }, () => places).join(', ')} ${then}`
}
