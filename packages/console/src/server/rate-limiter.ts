// Token buckets: each caller may do so much at once and so much per second, counted by what a request costs.

interface Bucket {
  tokens: number
  filledAt: number
}

export interface RateLimit {
  readonly perSecond: number
  readonly burst: number
}

const mostBuckets = 100_000

export class RateLimiter {
  readonly #limit: RateLimit
  readonly #buckets = new Map<string, Bucket>()

  constructor(limit: RateLimit) {
    this.#limit = limit
  }

  /** Zero when the cost was taken; otherwise nothing was, and it is the number of seconds to wait. */
  take(caller: string, request: { readonly cost: number; readonly now: number }): number {
    const { perSecond, burst } = this.#limit
    const bucket = this.#bucketOf(caller, request.now)
    const cost = Math.min(request.cost, burst)
    if (bucket.tokens >= cost) {
      bucket.tokens -= cost
      return 0
    }
    return (cost - bucket.tokens) / perSecond
  }

  /** What was taken turned out to cost nothing. */
  giveBack(caller: string, cost: number): void {
    const bucket = this.#buckets.get(caller)
    if (bucket !== undefined) bucket.tokens = Math.min(this.#limit.burst, bucket.tokens + cost)
  }

  /** A full bucket need not be kept. */
  forgetFull(now: number): void {
    for (const caller of this.#buckets.keys()) {
      if (this.#bucketOf(caller, now).tokens >= this.#limit.burst) this.#buckets.delete(caller)
    }
  }

  #bucketOf(caller: string, now: number): Bucket {
    const { perSecond, burst } = this.#limit
    const known = this.#buckets.get(caller)
    if (known === undefined) {
      if (this.#buckets.size >= mostBuckets) this.#buckets.clear()
      const bucket = { tokens: burst, filledAt: now }
      this.#buckets.set(caller, bucket)
      return bucket
    }
    const elapsedSeconds = Math.max(0, now - known.filledAt) / 1_000
    known.tokens = Math.min(burst, known.tokens + elapsedSeconds * perSecond)
    known.filledAt = now
    return known
  }
}
