// One question at a time on each input, whoever asks it: one line must never answer two.

type Ask = () => Promise<void>

export class QuestionQueue {
  readonly #waiting = new Set<Ask>()
  #isAsking = false

  /** Asks at once when nothing else is being asked. */
  add(ask: Ask): void {
    this.#waiting.add(ask)
    if (!this.#isAsking) void this.#askAll()
  }

  remove(ask: Ask): void {
    this.#waiting.delete(ask)
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true
    // A set that is being walked also yields what is added on the way.
    for (const ask of this.#waiting) {
      this.#waiting.delete(ask)
      await ask()
    }
    this.#isAsking = false
  }
}

const queues = new WeakMap<object, QuestionQueue>()

export function queueOf(input: object): QuestionQueue {
  const queue = queues.get(input) ?? new QuestionQueue()
  queues.set(input, queue)
  return queue
}
