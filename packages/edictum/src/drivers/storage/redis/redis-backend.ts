// Counters in Redis. Every method is one script and one round trip; the server runs scripts one after the other, so that
// nothing comes between a check and its count, in any number of processes.
import { EdictumConfigError } from '../../../contracts/config-error.js'
import type {
  Reservation,
  ReservationRequest,
  SessionCounters,
  Settlement,
  StorageBackend,
} from '../../../guard/ports/storage-backend.js'
import { rememberSettledSeconds, settlePersistently } from '../../../guard/ports/settle-persistently.js'
import {
  checkAmount,
  checkStoredValue,
  fieldOfTool,
  placeOfKey,
  scopeOfSession,
} from '../../../guard/ports/storage-place.js'
import { randomId } from '../../../internal/platform.js'
import { type IoRedisClient, type NodeRedisClient, runnerOf, type ScriptRunner } from './redis-client.js'
import {
  incrementScript,
  readScript,
  removeScript,
  reserveScript,
  settleScript,
  writeScript,
} from './scripts.js'

export interface RedisBackendOptions {
  /** What all keys begin with; two guards with different prefixes share nothing. @default 'edictum' */
  readonly prefix?: string
  /** A session nobody has written to for this long is forgotten. @default 604800 (7 days) */
  readonly ttlSeconds?: number
}

/** The one place where a default of the backend is written. */
export const redisDefaults = {
  prefix: 'edictum',
  ttlSeconds: 7 * 86_400,
} as const satisfies RedisBackendOptions

/** Session limits shared by every process that uses the same Redis. Takes a client of yours, and never closes it. */
export class RedisBackend implements StorageBackend {
  readonly #run: ScriptRunner
  readonly #prefix: string
  readonly #keepMs: number

  /** @throws EdictumConfigError for an option that means nothing. */
  constructor(client: IoRedisClient | NodeRedisClient, options: RedisBackendOptions = {}) {
    const { prefix = redisDefaults.prefix, ttlSeconds = redisDefaults.ttlSeconds } = options
    // A brace in front would become the hash tag, and the keys of a session would end up in different slots.
    if (typeof prefix !== 'string' || prefix === '' || /[{}]|\p{Surrogate}/u.test(prefix))
      throw EdictumConfigError.of('invalid-option', 'prefix must be text without braces')
    if (!(ttlSeconds > 0 && Number.isFinite(ttlSeconds)))
      throw EdictumConfigError.of('invalid-option', 'ttlSeconds must be a number above 0')
    this.#run = runnerOf(client)
    this.#prefix = prefix
    this.#keepMs = Math.ceil(ttlSeconds * 1_000)
  }

  async get(key: string): Promise<string | null> {
    const { scope, field } = placeOfKey(key)
    const [value = null] = readTexts(await this.#run(readScript, [this.#valuesOf(scope)], [field]), 1)
    return value
  }

  async set(key: string, value: string): Promise<void> {
    const { scope, field } = placeOfKey(key)
    const parameters = [field, checkStoredValue(value), String(this.#keepMs)]
    await this.#run(writeScript, [this.#valuesOf(scope)], parameters)
  }

  async delete(key: string): Promise<void> {
    const { scope, field } = placeOfKey(key)
    await this.#run(removeScript, [this.#valuesOf(scope)], [field])
  }

  async increment(key: string, amount = 1): Promise<number> {
    const { scope, field } = placeOfKey(key)
    const parameters = [field, checkAmount(amount), String(this.#keepMs)]
    return readCount(await this.#run(incrementScript, [this.#valuesOf(scope)], parameters))
  }

  /** One round trip for keys of one session; keys of several may live on several servers and are asked for at once. */
  async batchGet(keys: readonly string[]): Promise<Readonly<Record<string, string | null>>> {
    const byScope = new Map<string, { key: string; field: string }[]>()
    for (const key of keys) {
      const { scope, field } = placeOfKey(key)
      const wanted = byScope.get(scope)
      if (wanted === undefined) byScope.set(scope, [{ key, field }])
      else wanted.push({ key, field })
    }
    const answers = [...byScope].map(async ([scope, wanted]) => {
      const fields = wanted.map(({ field }) => field)
      const reply = await this.#run(readScript, [this.#valuesOf(scope)], fields)
      const values = readTexts(reply, fields.length)
      return wanted.map(({ key }, position) => [key, values[position] ?? null] as const)
    })
    return Object.fromEntries((await Promise.all(answers)).flat())
  }

  async reserve(request: ReservationRequest): Promise<Reservation> {
    const { sessionId, toolName, attempt, slot, limits, leaseSeconds } = request
    const slotId = randomId()
    const parameters = [
      fieldOfTool(toolName),
      attempt,
      slot,
      slotId,
      limitText(limits.attempts),
      limitText(limits.executions),
      limitText(limits.toolExecutions),
      String(Math.ceil(leaseSeconds * 1_000)),
      String(this.#keepMs),
    ]
    let reply: unknown
    try {
      reply = await this.#run(reserveScript, this.#keysOf(sessionId, toolName), parameters)
    } catch (error) {
      // The slot may have been taken and only the answer lost. If giving it back fails too, its lease ends it.
      if (slot === 'take')
        this.settle({ sessionId, toolName, slotId, outcome: 'released' }).catch(() => undefined)
      throw error
    }
    const [attempts, executions, toolExecutions, kind] = readTexts(reply, 4)
    const counters = readCounters([attempts, executions, toolExecutions])
    if (kind === 'taken') return { counters, slot: { kind, id: slotId } }
    if (kind === 'exhausted' || kind === 'left') return { counters, slot: { kind } }
    throw unexpected(reply)
  }

  /** Tries for about half a minute, however often the connection breaks; counts once. */
  async settle({ sessionId, toolName, slotId, outcome }: Settlement): Promise<SessionCounters> {
    const keys = this.#keysOf(sessionId, toolName)
    const times = [String(this.#keepMs), String(rememberSettledSeconds * 1_000)]
    const parameters = [fieldOfTool(toolName), slotId, outcome, ...times]
    const reply = await settlePersistently(async () => this.#run(settleScript, keys, parameters))
    return readCounters(readTexts(reply, 3))
  }

  /** The part in braces is all that a cluster looks at, so one session is always on one server. */
  #valuesOf(scope: string): string {
    return `${this.#prefix}:{${scope}}`
  }

  #keysOf(sessionId: string, toolName: string): string[] {
    const values = this.#valuesOf(scopeOfSession(sessionId))
    return [values, `${values}:slots`, `${values}:slots:${fieldOfTool(toolName)}`, `${values}:settled`]
  }
}

function limitText(limit: number | undefined): string {
  return limit === undefined || limit === Infinity ? '' : String(limit)
}

/** Fewer values than were asked for must not read as values that do not exist. */
function readTexts(reply: unknown, count: number): readonly (string | null)[] {
  if (!Array.isArray(reply) || reply.length !== count) throw unexpected(reply)
  return reply.map((value) => {
    if (value === null || typeof value === 'string') return value
    throw unexpected(value)
  })
}

function readCounters(texts: readonly unknown[]): SessionCounters {
  const [attempts, executions, toolExecutions] = texts
  return {
    attempts: readCount(attempts),
    executions: readCount(executions),
    toolExecutions: readCount(toolExecutions),
  }
}

function readCount(reply: unknown): number {
  const count = typeof reply === 'string' && reply !== '' ? Number(reply) : Number.NaN
  if (!Number.isFinite(count)) throw unexpected(reply)
  return count
}

function unexpected(reply: unknown): TypeError {
  return new TypeError(`redis answered with ${typeof reply} where text was expected`)
}
