// How long to wait before the next try: longer each time, and never the same for two clients, so that a server that comes
// back is not met by all of them at once.

export interface BackoffOptions {
  readonly firstMs: number
  readonly longestMs: number
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number
}

export class Backoff {
  readonly #options: BackoffOptions
  #failures = 0

  constructor(options: BackoffOptions) {
    this.#options = options
  }

  /** At least half of the time that is due. */
  nextMs(): number {
    const { firstMs, longestMs, random = Math.random } = this.#options
    const due = Math.min(firstMs * 2 ** Math.min(this.#failures, 30), longestMs)
    this.#failures++
    return due / 2 + (due / 2) * random()
  }

  reset(): void {
    this.#failures = 0
  }
}
