// The thread that reads batches: parsing and hashing are half of the work of taking events, and nobody else has to wait for it.
import { parentPort } from 'node:worker_threads'
import { Problem } from '../routing/problem.js'
import type { Opened, Question, Reply } from './batch-question.js'
import type { EventPiece } from './event-batch.js'
import { type BatchInReading, readBatch } from './read-batch.js'

const batches = new Map<number, BatchInReading>()

parentPort?.on('message', (question: Question) => {
  if (question.kind === 'drop') batches.delete(question.batch)
  else parentPort?.postMessage(replyTo(question))
})

function replyTo(question: Exclude<Question, { kind: 'drop' }>): Reply {
  const { number, batch } = question
  try {
    return { number, result: question.kind === 'open' ? open(question) : next(batch) }
  } catch (error) {
    batches.delete(batch)
    if (!(error instanceof Problem))
      return { number, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    const { status, code, message: detail, errors } = error
    return { number, fault: { status, code, detail, errors } }
  }
}

function open({ batch, bytes, sender }: Extract<Question, { kind: 'open' }>): Opened {
  const reading = readBatch(bytes, sender)
  batches.set(batch, reading)
  return { size: reading.size, manifest: reading.manifest, piece: next(batch) }
}

function next(batch: number): EventPiece {
  const piece = batches.get(batch)?.next()
  if (piece === undefined) throw new Error(`there is no batch ${batch}`)
  if (piece.isLast) batches.delete(batch)
  return piece
}
