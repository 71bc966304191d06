// Room for the log, made before it is needed. A commit that makes the file longer waits for the journal of the file system
// as well, and that waits for everybody who writes files; one that is written over what is there waits for its own bytes.
// SQLite reads a log up to the first frame that is none, and zeros are none.
import { fstatSync, ftruncateSync, writeSync } from 'node:fs'

const step = Buffer.alloc(1_048_576)

/**
 * Nobody may write to the file meanwhile; nobody else does while this thread is here.
 * @param log open for writing
 */
export function makeRoom(log: number, bytes: number): void {
  const { size } = fstatSync(log)
  if (size >= bytes) return
  try {
    for (let at = size; at < bytes; at += step.length)
      writeSync(log, step, 0, Math.min(step.length, bytes - at), at)
  } catch {
    // A disk that has no room for this may have room for what matters.
    ftruncateSync(log, size)
  }
}
