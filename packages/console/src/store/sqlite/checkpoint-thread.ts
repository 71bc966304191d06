// The thread that moves what is in the log to the database. A connection of its own does it beside the writer's work.
import { parentPort, workerData } from 'node:worker_threads'
import Libsql from 'libsql'

const database = new Libsql((workerData as { readonly path: string }).path)
database.pragma('synchronous = NORMAL')
const move = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')

parentPort?.on('message', (message: 'move' | 'close') => {
  if (message === 'move') {
    move.all()
    parentPort?.postMessage('moved')
  } else {
    database.close()
    parentPort?.close()
  }
})
