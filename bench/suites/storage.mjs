// @ts-check
// What sharing limits costs: the two steps of an allowed call, counted by the trips they make, on every built-in backend.
import { randomUUID } from 'node:crypto'

import { PostgresBackend } from '../../packages/edictum/dist/drivers/storage/postgres/index.js'
import { RedisBackend } from '../../packages/edictum/dist/drivers/storage/redis/index.js'
import { Edictum, EdictumDenied, MemoryBackend } from '../../packages/edictum/dist/index.js'
import { openSessionStore } from '../../packages/edictum/dist/guard/session-store.js'
import { startPostgres, startRedis } from '../../scripts/services.mjs'
import { openIoRedis, openNodeRedis, openPool } from '../../services/clients.mjs'
import { measureSideBySide, method } from '../harness.mjs'
import { figures, formatCount, judge, measurementCells, measurementColumns, words } from '../report.mjs'

/**
 * @typedef {import('../../packages/edictum/dist/index.js').StorageBackend} StorageBackend
 * @typedef {{ name: string, backend: StorageBackend, tripsSoFar: () => number, close: () => Promise<void> }} Storage
 */

const paces = {
  full: { rounds: 20, roundMilliseconds: 200, concurrentCalls: 2_000, limitRepetitions: 100 },
  targets: { rounds: 4, roundMilliseconds: 50, concurrentCalls: 200, limitRepetitions: 20 },
  quick: { rounds: 4, roundMilliseconds: 50, concurrentCalls: 200, limitRepetitions: 3 },
}
const toolLimit = 50
const callsAgainstLimit = 1_000
const atOnce = 50
const sessions = 100

/**
 * @param {{ pace: keyof typeof paces, announce: (line: string) => void }} options
 * @returns {Promise<import('../report.mjs').Report>}
 */
export async function measure({ pace, announce }) {
  const servers = await Promise.all([startRedis(), startPostgres({ disk: 'wait' }), startPostgres()])
  const [redis, durable, quick] = servers
  const throughDisk = await throughPool('PostgreSQL, on disk when answered', durable.url)
  const durableBackend = throughDisk.backend
  /** @type {Storage[]} */
  const storages = [
    { name: 'memory', backend: new MemoryBackend(), tripsSoFar: () => 0, close: async () => undefined },
    throughIoRedis(redis.url),
    await throughNodeRedis(redis.url),
    throughDisk,
    await throughPool('PostgreSQL, without waiting for the disk', quick.url),
  ]
  try {
    announce('trips of an allowed call')
    const trips = []
    for (const storage of storages) trips.push(await countTrips(storage))
    announce('one call after the other')
    const inARow = await measureSideBySide(storages.map(contenderOf), paces[pace])
    announce(`${atOnce} calls at a time`)
    const rates = []
    for (const storage of storages) rates.push(await measureRate(storage, paces[pace].concurrentCalls))
    const rows = storages.map(({ name }, index) => {
      const measurement = inARow[index]
      const cells = measurement === undefined ? [] : measurementCells(measurement)
      return [name, String(trips[index]), ...cells, formatCount(rates[index] ?? 0)]
    })
    announce(`${formatCount(callsAgainstLimit)} calls at once against a limit`)
    const limits = []
    // Whether the server waits for its disk changes nothing about who gets a slot.
    for (const storage of storages.filter(({ backend }) => backend !== durableBackend))
      limits.push(await measureLimit(storage, paces[pace].limitRepetitions))
    const remoteTrips = trips.slice(1)
    return {
      title: 'Storage: what shared limits cost',
      intro: [
        'One call is `reserve` (which counts the attempt) and `settle`, awaited, on servers of this machine. Every call ' +
          `has one of ${sessions} sessions. Redis 7 appends to its file without waiting for the disk.`,
        method,
      ],
      sections: [
        {
          title: 'An allowed call',
          columns: [words('storage'), figures('trips'), ...measurementColumns, figures('calls/s')],
          rows,
          notes: [`Calls per second: ${atOnce} under way at a time, in one process.`],
        },
        {
          title: `A limit of ${toolLimit} and ${formatCount(callsAgainstLimit)} calls at once`,
          columns: [words('storage'), figures('repetitions'), figures('fewest ran'), figures('most ran')],
          rows: limits.map(({ name, least, most }) => [
            name,
            formatCount(paces[pace].limitRepetitions),
            formatCount(least),
            formatCount(most),
          ]),
          notes: ['Every repetition is a session of its own. Every other call has to end as a denial.'],
        },
      ],
      targets: [
        judge({
          id: 'T11',
          goal: 'trips to a shared storage: 2',
          value: Math.max(...remoteTrips),
          limit: 2,
          floor: 3,
          unit: 'count',
        }),
        judge({
          id: 'T10',
          goal: `of ${formatCount(callsAgainstLimit)} calls at once, at most ${toolLimit} run`,
          value: Math.max(...limits.map(({ most }) => most)),
          limit: toolLimit,
          unit: 'count',
        }),
        judge({
          id: 'T10',
          goal: `of ${formatCount(callsAgainstLimit)} calls at once, no fewer than ${toolLimit} run`,
          value: Math.min(...limits.map(({ least }) => least)),
          limit: toolLimit,
          unit: 'count',
          better: 'more',
        }),
      ],
      data: { trips, inARow, rates, limits },
    }
  } finally {
    await Promise.all(storages.map(({ close }) => close()))
    await Promise.all(servers.map(({ stop }) => stop()))
  }
}

/**
 * @param {string} url
 * @returns {Storage}
 */
function throughIoRedis(url) {
  const { client, close } = openIoRedis(url)
  let trips = 0
  const counted = new Proxy(client, {
    get: (target, name) => {
      if (name === 'evalsha') trips += 1
      const member = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  return { name: 'Redis, ioredis', backend: new RedisBackend(counted), tripsSoFar: () => trips, close }
}

/**
 * @param {string} url
 * @returns {Promise<Storage>}
 */
async function throughNodeRedis(url) {
  const { client, close } = await openNodeRedis(url)
  let trips = 0
  const counted = {
    evalSha: (/** @type {string} */ sha, /** @type {{ keys: string[], arguments: string[] }} */ options) => {
      trips += 1
      return client.evalSha(sha, options)
    },
    eval: (/** @type {string} */ text, /** @type {{ keys: string[], arguments: string[] }} */ options) =>
      client.eval(text, options),
  }
  return { name: 'Redis, node-redis', backend: new RedisBackend(counted), tripsSoFar: () => trips, close }
}

/**
 * @param {string} name
 * @param {string} url
 * @returns {Promise<Storage>}
 */
async function throughPool(name, url) {
  const { pool, close } = openPool(url)
  let trips = 0
  const counted = {
    query: (/** @type {any} */ statement) => {
      trips += 1
      return pool.query(statement)
    },
  }
  const backend = new PostgresBackend(counted)
  await backend.migrate()
  return { name, backend, tripsSoFar: () => trips, close }
}

/** @param {Storage} storage */
async function countTrips({ backend, tripsSoFar }) {
  const guard = new Edictum({ backend })
  await guard.run('read_file', {}, () => 'text')
  const before = tripsSoFar()
  const calls = 20
  for (let call = 0; call < calls; call++) await guard.run('read_file', {}, () => 'text')
  return (tripsSoFar() - before) / calls
}

/**
 * @param {Storage} storage
 * @returns {import('../harness.mjs').Contender}
 */
function contenderOf({ name, backend }) {
  const call = allowedCall(backend)
  return { name, calling: 'asynchronous', call, expected: 'taken' }
}

/**
 * @param {Storage} storage
 * @param {number} calls
 */
async function measureRate({ backend }, calls) {
  const call = allowedCall(backend)
  let next = 0
  const start = performance.now()
  const workers = Array.from({ length: atOnce }, async () => {
    while (next < calls) {
      const kind = await call(next++)
      if (kind !== 'taken') throw new Error(`a slot was ${kind}`)
    }
  })
  await Promise.all(workers)
  return (calls / (performance.now() - start)) * 1_000
}

/**
 * @param {Storage} storage
 * @param {number} repetitions
 */
async function measureLimit({ name, backend }, repetitions) {
  const guard = new Edictum({
    backend,
    limits: { maxAttempts: Number.MAX_SAFE_INTEGER, maxToolCalls: toolLimit },
    // A thousand at once on a busy machine: a call that gave up waiting would be denied, and not for the limit.
    portTimeoutMs: 120_000,
  })
  const executed = []
  for (let repetition = 0; repetition < repetitions; repetition++) {
    let count = 0
    const tool = async () => {
      count += 1
    }
    // Two of the storages are one server.
    const sessionId = randomUUID()
    const endings = await Promise.allSettled(
      Array.from({ length: callsAgainstLimit }, () => guard.run('read_file', {}, tool, { sessionId })),
    )
    for (const ending of endings)
      if (ending.status === 'rejected' && !(ending.reason instanceof EdictumDenied)) throw ending.reason
    executed.push(count)
  }
  return { name, least: Math.min(...executed), most: Math.max(...executed) }
}

/** @param {StorageBackend} backend */
function allowedCall(backend) {
  const store = openSessionStore(backend)
  const limits = { attempts: Number.MAX_SAFE_INTEGER, executions: Number.MAX_SAFE_INTEGER }
  return async (/** @type {number} */ index) => {
    const call = { sessionId: `bench-${index % sessions}`, toolName: 'read_file' }
    const request = /** @type {const} */ ({
      ...call,
      attempt: 'count',
      slot: 'take',
      limits,
      leaseSeconds: 60,
    })
    const { slot } = await store.reserve(request)
    if (slot.kind === 'taken') await store.settle({ ...call, slotId: slot.id, outcome: 'executed' })
    return slot.kind
  }
}
