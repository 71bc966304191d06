// Threads for work on bundles, so that a hard one delays nobody else. One that takes too long is ended.
import { Worker } from 'node:worker_threads'
import { Problem, tooMuch } from '../routing/problem.js'
import type { BundleJobName, BundleJobs } from './bundle-job.js'

/** The compiled file, also when this one runs from its source. */
const program = new URL('../../../dist/server/bundles/bundle-worker.js', import.meta.url)
const mostThreads = 2
const mostWaiting = 100
const longestMs = 5_000
/** Starting a thread on a busy machine takes its time; that is not the bundle's fault. */
const startMs = 20_000

interface Thread {
  readonly worker: Worker
  isStarted: boolean
}

export class BundleWorkers {
  readonly #idle: Thread[] = []
  readonly #waiting: (() => void)[] = []
  #busy = 0

  /** @throws Problem 429 when too many wait, 422 when it takes too long. */
  async run<Name extends BundleJobName>(
    name: Name,
    input: BundleJobs[Name]['input'],
  ): Promise<BundleJobs[Name]['result']> {
    await this.#turn()
    try {
      const thread = this.#idle.pop() ?? startThread()
      const result = await ask(thread, { name, input })
      this.#idle.push(thread)
      return result as BundleJobs[Name]['result']
    } finally {
      // Whoever waits takes over the place.
      const next = this.#waiting.shift()
      if (next === undefined) this.#busy--
      else next()
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map(({ worker }) => worker.terminate()))
  }

  async #turn(): Promise<void> {
    if (this.#busy < mostThreads) {
      this.#busy++
      return
    }
    if (this.#waiting.length >= mostWaiting) throw tooMuch('rate-limited', 1)
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}

function startThread(): Thread {
  const worker = new Worker(program, {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  // An idle thread does not keep the process running.
  worker.unref()
  // Whoever waits for it hears of it; nobody else needs to.
  worker.on('error', () => undefined)
  return { worker, isStarted: false }
}

function ask(thread: Thread, job: { readonly name: string; readonly input: unknown }): Promise<unknown> {
  const { worker } = thread
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      end()
      void worker.terminate()
      reject(error)
    }
    const overdue = setTimeout(() => fail(tookTooLong()), thread.isStarted ? longestMs : longestMs + startMs)
    const onMessage = (answer: { readonly result?: unknown; readonly error?: string }): void => {
      thread.isStarted = true
      if (answer.error !== undefined) return fail(new Error(answer.error))
      end()
      resolve(answer.result)
    }
    // Out of memory: the thread is gone, the server is not.
    const onExit = (): void => fail(tookTooLong())
    function end(): void {
      clearTimeout(overdue)
      worker.off('message', onMessage)
      worker.off('error', fail)
      worker.off('exit', onExit)
    }
    worker.on('message', onMessage)
    worker.on('error', fail)
    worker.on('exit', onExit)
    worker.postMessage(job)
  })
}

function tookTooLong(): Problem {
  return new Problem(422, 'invalid-request', {
    detail: `the bundle needs more than ${longestMs / 1_000} seconds, or too much memory`,
  })
}
