// A copy of the database as it is at one moment, also while another process writes to it.
import { closeSync, fsyncSync, openSync } from 'node:fs'
import Libsql from 'libsql'

/**
 * @param to a file that is not there yet
 * @throws when `from` is no database
 */
export function copySqlite(from: string, to: string): void {
  const source = new Libsql(from)
  try {
    source.pragma('busy_timeout = 5000')
    source.prepare('VACUUM INTO ?').run([to])
  } finally {
    source.close()
  }
  const copy = openSync(to, 'r')
  fsyncSync(copy)
  closeSync(copy)
}
