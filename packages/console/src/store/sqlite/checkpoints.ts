// When the log is full, SQLite moves it to the database inside the next commit, and everybody waits. So most of it is moved
// before by another thread; what is left for the commit is little. Without that thread everything works as well, in longer steps.
import { Worker } from 'node:worker_threads'

/** The compiled file, also when this one runs from its source. */
const program = new URL('../../../dist/store/sqlite/checkpoint-thread.js', import.meta.url)

/** About a quarter of what the log holds: a statement changes one page or two. */
const statementsBetween = 2_000

export class Checkpoints {
  readonly #path: string
  #thread: Worker | undefined
  #state: 'idle' | 'moving' | 'off' = 'idle'
  #statements = 0

  constructor(path: string) {
    this.#path = path
  }

  /** To be called after a commit, with how many statements were in it. */
  committed(statements: number): void {
    this.#statements += statements
    if (this.#statements < statementsBetween || this.#state !== 'idle') return
    this.#statements = 0
    this.#state = 'moving'
    this.#thread ??= this.#start()
    this.#thread.postMessage('move')
  }

  async close(): Promise<void> {
    const thread = this.#thread
    if (thread === undefined) return
    // Now somebody waits for it.
    thread.ref()
    const ended = new Promise((resolve) => thread.once('exit', resolve))
    thread.postMessage('close')
    await ended
  }

  #start(): Worker {
    const thread = new Worker(program, { env: {}, workerData: { path: this.#path } })
    // An idle thread does not keep the process running.
    thread.unref()
    thread.on('message', () => (this.#state = 'idle'))
    // The writer will meet whatever it was, and is the one that says so.
    thread.on('error', () => undefined)
    thread.on('exit', () => {
      this.#state = 'off'
      this.#thread = undefined
    })
    return thread
  }
}
