// Batches are read in a thread of their own. This is the side of the server.
import { Worker } from 'node:worker_threads'
import { Problem, tooMuch } from '../routing/problem.js'
import type { Opened, Question, Reply } from './batch-question.js'
import type { EventBatch, EventPiece } from './event-batch.js'
import type { EventSender } from './read-event.js'

/** The compiled file, also when this one runs from its source. */
const program = new URL('../../../dist/server/ingest/batch-thread.js', import.meta.url)

/** A batch is garbage once it is read. With room for a few of them nothing of it is ever moved to where garbage is dear. */
const youngMegabytes = 96

interface Asked {
  readonly resolve: (result: Opened | EventPiece) => void
  readonly reject: (error: Error) => void
}

export class BatchReader {
  /** In the order they were asked, which is the order they are answered in. */
  readonly #asked = new Map<number, Asked>()
  #thread: Worker | undefined
  #lastNumber = 0

  /**
   * @param bytes JSON in UTF-8
   * @throws Problem when they are no batch
   */
  async open(bytes: Uint8Array, sender: EventSender): Promise<OpenBatch> {
    const batch = ++this.#lastNumber
    // A copy that can be handed over: the original may share its memory with others.
    const own = new Uint8Array(bytes)
    const question = { kind: 'open', number: batch, batch, bytes: own, sender } as const
    const { size, manifest, piece } = (await this.#ask(question, [own.buffer])) as Opened
    const thread = this.#thread
    let isDone = piece.isLast
    const next = async (): Promise<EventPiece> => {
      // It was lost with whatever it had in hand; what is stored already will be known when it comes again.
      if (this.#thread !== thread) throw tooMuch('overloaded', 1)
      const following = (await this.#ask({ kind: 'next', number: ++this.#lastNumber, batch })) as EventPiece
      isDone = following.isLast
      return following
    }
    return {
      size,
      manifest,
      pieces: async function* () {
        yield piece
        while (!isDone) yield await next()
      },
      drop: () => {
        if (!isDone) thread?.postMessage({ kind: 'drop', batch } satisfies Question)
      },
    }
  }

  async close(): Promise<void> {
    await this.#thread?.terminate()
  }

  #ask(question: Exclude<Question, { kind: 'drop' }>, handedOver: ArrayBuffer[] = []): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#thread ??= this.#start()
      this.#asked.set(question.number, { resolve, reject })
      this.#thread.postMessage(question, handedOver)
    })
  }

  #start(): Worker {
    const thread = new Worker(program, {
      env: {},
      resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
    })
    // An idle thread does not keep the process running.
    thread.unref()
    thread.on('message', (reply: Reply) => {
      const asked = this.#asked.get(reply.number)
      this.#asked.delete(reply.number)
      if ('result' in reply) asked?.resolve(reply.result)
      else asked?.reject('fault' in reply ? toProblem(reply.fault) : new Error(reply.error))
    })
    // Whoever waits for it hears of it; nobody else needs to.
    thread.on('error', () => undefined)
    thread.on('exit', () => this.#lose())
    return thread
  }

  /** The batch it was busy with was too much for it; the others had bad luck and may come again. */
  #lose(): void {
    this.#thread = undefined
    const [culprit, ...others] = [...this.#asked.values()]
    this.#asked.clear()
    culprit?.reject(
      new Problem(422, 'invalid-request', { detail: 'the events need too much memory to be read' }),
    )
    for (const other of others) other.reject(tooMuch('overloaded', 1))
  }
}

export interface OpenBatch extends EventBatch {
  /** Whatever has not been read is not wanted any more. */
  readonly drop: () => void
}

function toProblem({ status, code, detail, errors }: Extract<Reply, { fault: unknown }>['fault']): Problem {
  return new Problem(status, code, { detail, ...(errors === undefined ? {} : { errors }) })
}
