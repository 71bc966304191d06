// The console as a storage backend, held against the suite for all of them.
import { EdictumServerClient, ServerBackend } from 'edictum/server'
import { describeStorageBackend } from 'edictum/testing'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type PostgresServer, startPostgres } from './postgres.js'
import { type RedisServer, startRedis } from './redis.js'
import { startTestConsole, type TestConsole } from './test-console.js'

const open = (baseUrl: string, apiKey: string) =>
  new ServerBackend(new EdictumServerClient({ baseUrl, apiKey }), { timeoutMs: 10_000 })

let ahead = 0
const now = () => Date.now() + ahead
const passSeconds = async (seconds: number) => {
  ahead += seconds * 1_000
}

describe('one node on the embedded file', () => {
  let node: TestConsole
  beforeAll(async () => {
    node = await startTestConsole({ now })
  })
  afterAll(() => node.stop())
  describeStorageBackend('the console', {
    describe,
    it,
    offers: ['atomic-steps', 'shared'],
    open: async () => ({
      backend: open(node.url, node.key),
      other: open(node.url, node.key),
      passSeconds,
    }),
  })
})

describe('two nodes on PostgreSQL', () => {
  const secret = ['not', 'a', 'secret', 'but', 'long', 'enough', 'for', 'one'].join('-')
  let postgres: PostgresServer
  let one: TestConsole
  let two: TestConsole
  beforeAll(async () => {
    postgres = await startPostgres()
    const databaseUrl = await postgres.createDatabase()
    one = await startTestConsole({ now, databaseUrl, secret })
    two = await startTestConsole({ now, databaseUrl, secret })
  })
  afterAll(async () => {
    await one.stop()
    await two.stop()
    await postgres.stop()
  })
  describeStorageBackend('the console', {
    describe,
    it,
    offers: ['atomic-steps', 'shared', 'outage'],
    open: async () => ({
      backend: open(one.url, one.key),
      other: open(two.url, one.key),
      passSeconds,
      outage: { begin: postgres.kill, end: postgres.start },
    }),
  })
})

describe('one node with its counters in Redis', () => {
  let redis: RedisServer
  let node: TestConsole
  beforeAll(async () => {
    redis = await startRedis()
    node = await startTestConsole({ redisUrl: redis.url })
  })
  afterAll(async () => {
    await node.stop()
    await redis.stop()
  })
  describeStorageBackend('the console', {
    describe,
    it,
    offers: ['atomic-steps', 'shared', 'outage'],
    open: async () => ({
      backend: open(node.url, node.key),
      other: open(node.url, node.key),
      // The clock of Redis is what counts.
      passSeconds: (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000)),
      outage: { begin: redis.kill, end: redis.start },
    }),
  })
})
