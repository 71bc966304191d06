// Counters and slots in Redis, for fleets that count faster than a database can write. Everything else stays in the database.
import { createHash } from 'node:crypto'
import { RedisBackend } from 'edictum/storage/redis'
import type { Redis } from 'ioredis'
import type { Reservation, ReservationRequest, SessionCounters, Settlement } from '../../protocol/sessions.js'
import { DatabaseAway } from '../database.js'
import { StoreRefusal } from '../refusal.js'
import type { RememberedRequest } from '../remembered-answers.js'
import type { Scope } from '../scope.js'
import type { Addition, Entry, Sessions } from '../sessions.js'
import { fromStorable, toStorable } from '../storable-text.js'

/** A client that got no answer asks again within seconds. */
const rememberMs = 10 * 60 * 1_000
/** The backend goes on trying to settle for longer than anybody waits for an answer. */
const longestSettleMs = 10_000

interface RememberedAnswer {
  readonly fingerprint: string
  readonly answer: unknown
}

export class RedisSessions implements Sessions {
  readonly #client: Redis
  readonly #backends = new Map<string, RedisBackend>()
  readonly #underWay = new Map<string, Promise<unknown>>()

  constructor(client: Redis) {
    this.#client = client
  }

  async get(at: Scope, key: string): Promise<string | null> {
    return reading(await asking(this.#of(at).get(key)))
  }

  async batchGet(at: Scope, keys: readonly string[]): Promise<Readonly<Record<string, string | null>>> {
    const values = await asking(this.#of(at).batchGet(keys))
    return Object.fromEntries(keys.map((key) => [key, reading(values[key] ?? null)]))
  }

  set(at: Scope, { key, value }: Entry): Promise<void> {
    return asking(this.#of(at).set(key, toStorable(value)))
  }

  delete(at: Scope, key: string): Promise<void> {
    return asking(this.#of(at).delete(key))
  }

  increment(at: Scope, entry: Addition, once: RememberedRequest | undefined): Promise<number> {
    return this.#once(once, () => this.#of(at).increment(entry.key, entry.amount))
  }

  reserve(at: Scope, request: ReservationRequest, once: RememberedRequest | undefined): Promise<Reservation> {
    return this.#once(once, () => this.#of(at).reserve(request))
  }

  /** Counts once however often it comes: the slot is what it is known by. */
  settle(at: Scope, settlement: Settlement): Promise<SessionCounters> {
    return asking(within(longestSettleMs, this.#of(at).settle(settlement)))
  }

  async ping(): Promise<void> {
    await asking(this.#client.ping())
  }

  async close(): Promise<void> {
    this.#client.disconnect()
  }

  #of({ tenant, env }: Scope): RedisBackend {
    const prefix = `edictum-console:${tenant}:${env}`
    const known = this.#backends.get(prefix)
    if (known !== undefined) return known
    const backend = new RedisBackend(this.#client, { prefix })
    this.#backends.set(prefix, backend)
    return backend
  }

  /**
   * The change, or the answer it had the first time. A node that dies in between has counted and not remembered; then the
   * request counts again when it is repeated, which errs on the safe side.
   */
  #once<Result>(request: RememberedRequest | undefined, work: () => Promise<Result>): Promise<Result> {
    if (request === undefined) return asking(work())
    const { tenant, caller, idempotencyKey } = request
    const id = createHash('sha256').update(`${tenant}\n${caller}\n${idempotencyKey}`).digest('base64url')
    const name = `edictum-console:answer:${id}`
    const ahead = this.#underWay.get(name) ?? Promise.resolve()
    const answer = ahead.then(
      () => this.#answer(name, request, work),
      () => this.#answer(name, request, work),
    )
    this.#underWay.set(name, answer)
    const forget = (): void => {
      if (this.#underWay.get(name) === answer) this.#underWay.delete(name)
    }
    answer.then(forget, forget)
    return answer
  }

  async #answer<Result>(
    name: string,
    { fingerprint }: RememberedRequest,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const known = await asking(this.#client.get(name))
    if (known !== null) {
      const remembered = JSON.parse(known) as RememberedAnswer
      if (remembered.fingerprint !== fingerprint)
        throw new StoreRefusal('idempotency-mismatch', 'this idempotency key was used for another request')
      return remembered.answer as Result
    }
    const answer = await asking(work())
    await asking(this.#client.set(name, JSON.stringify({ fingerprint, answer }), 'PX', rememberMs))
    return answer
  }
}

function reading(value: string | null): string | null {
  return value === null ? null : fromStorable(value)
}

/** What Redis says about the data is the caller's affair; anything else means that it cannot be asked. */
async function asking<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (message.includes('is not a number'))
      throw new StoreRefusal('not-a-number', 'the stored value is not a number')
    if (message.includes('too large to be counted'))
      throw new StoreRefusal('number-too-large', 'the number would be too large to be exact')
    throw error instanceof DatabaseAway ? error : new DatabaseAway('Redis does not answer', { cause: error })
  }
}

function within<Result>(milliseconds: number, answer: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const overdue = setTimeout(() => reject(new DatabaseAway('Redis does not answer')), milliseconds)
    answer.then(resolve, reject).finally(() => clearTimeout(overdue))
  })
}
