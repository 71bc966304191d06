// @ts-check
// RedisBackend on real servers, through both clients people use, alone and in a cluster.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RedisBackend } from '../packages/edictum/dist/drivers/storage/redis/index.js'
import { Edictum } from '../packages/edictum/dist/index.js'
import { describeStorageBackend } from '../packages/edictum/dist/testing/index.js'
import { startRedis } from '../scripts/services.mjs'
import { openIoRedis, openIoRedisCluster, openNodeRedis, openNodeRedisCluster } from './clients.mjs'

/** @type {import('../scripts/services.mjs').Service} */
let single
/** @type {import('../scripts/services.mjs').Service} */
let cluster

beforeAll(async () => {
  single = await startRedis()
  cluster = await startRedis({ mode: 'cluster' })
})

afterAll(async () => {
  await single?.stop()
  await cluster?.stop()
})

const passSeconds = (/** @type {number} */ seconds) =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1_000))

for (const { name, server, open } of [
  { name: 'ioredis', server: () => single, open: openIoRedis },
  { name: 'node-redis', server: () => single, open: openNodeRedis },
  { name: 'a cluster and ioredis', server: () => cluster, open: openIoRedisCluster },
  { name: 'a cluster and node-redis', server: () => cluster, open: openNodeRedisCluster },
]) {
  describeStorageBackend(`RedisBackend with ${name}`, {
    describe,
    it,
    offers: [
      'atomic-steps',
      'shared',
      ...(name.includes('cluster') ? [] : /** @type {const} */ (['outage'])),
    ],
    open: async () => {
      const { client, close } = await open(server().url)
      const second = await open(server().url)
      return {
        backend: new RedisBackend(client),
        other: new RedisBackend(second.client),
        passSeconds,
        outage: { begin: () => server().kill(), end: () => server().start() },
        close: async () => {
          await close()
          await second.close()
        },
      }
    },
  })
}

describe('RedisBackend', () => {
  /** @param {(client: import('ioredis').Redis) => Promise<void>} body */
  const withClient = async (body) => {
    const { client, close } = openIoRedis(single.url)
    try {
      await client.flushall()
      await body(client)
    } finally {
      await close()
    }
  }
  const request = /** @type {const} */ ({
    sessionId: 'chat {7}',
    toolName: 'deploy',
    attempt: 'count',
    slot: 'take',
    limits: { executions: 5 },
    leaseSeconds: 60,
  })

  it('makes two round trips for an allowed call', () =>
    withClient(async (client) => {
      const backend = new RedisBackend(client)
      const guard = new Edictum({ backend })
      await guard.run('deploy', {}, () => 'done')
      await client.config('RESETSTAT')
      for (let call = 0; call < 10; call++) await guard.run('deploy', {}, () => 'done')
      const statistics = await client.info('commandstats')
      expect(statistics).toContain('cmdstat_evalsha:calls=20,')
      expect(statistics).not.toContain('cmdstat_eval:')
    }))

  it('goes on when the server has forgotten the scripts', () =>
    withClient(async (client) => {
      const backend = new RedisBackend(client)
      await backend.increment('s:a:attempts')
      await client.script('FLUSH')
      expect(await backend.increment('s:a:attempts')).toBe(2)
    }))

  it('keeps all of a session in one slot of a cluster, whatever the session is called', () =>
    withClient(async (client) => {
      for (const sessionId of ['chat {7}', '}{', '{}', '{a}{b}', 'é 🦊']) {
        await client.flushall()
        const backend = new RedisBackend(client)
        const { slot } = await backend.reserve({ ...request, sessionId })
        await backend.reserve({ ...request, sessionId, toolName: 'other {tool}' })
        if (slot.kind !== 'taken') throw new Error('no slot')
        await backend.settle({ sessionId, toolName: 'deploy', slotId: slot.id, outcome: 'executed' })
        await backend.set(`s:${sessionId}:note`, 'text')
        const keys = await client.keys('*')
        expect(keys.length).toBeGreaterThan(3)
        const tags = new Set(keys.map((key) => /\{(.*?)\}/.exec(key)?.[1]))
        expect(tags.size).toBe(1)
      }
    }))

  it('begins its keys with the prefix, and sees no others', () =>
    withClient(async (client) => {
      const backend = new RedisBackend(client, { prefix: 'staging' })
      await backend.increment('s:a:attempts')
      await backend.set('no session', 'text')
      expect((await client.keys('*')).toSorted()).toEqual(['staging:{k:no session}', 'staging:{s:a}'])
      expect(await new RedisBackend(client).get('s:a:attempts')).toBeNull()
    }))

  it.each([
    ['ttlSeconds', 0],
    ['ttlSeconds', Number.NaN],
    ['prefix', 'my{tag}'],
    ['prefix', ''],
  ])('refuses %s %s', (option, value) =>
    withClient(async (client) => {
      expect(() => new RedisBackend(client, { [option]: value })).toThrow(option)
    }),
  )

  it('forgets a session that was idle for ttlSeconds, and begins the time again with every write', () =>
    withClient(async (client) => {
      const backend = new RedisBackend(client, { ttlSeconds: 100 })
      const shortLease = { ...request, leaseSeconds: 1 }
      const { slot } = await backend.reserve(shortLease)
      for (const key of await client.keys('*')) {
        expect(await client.ttl(key)).toBeGreaterThan(90)
        await client.expire(key, 10)
      }
      if (slot.kind !== 'taken') throw new Error('no slot')
      await backend.settle({ ...request, slotId: slot.id, outcome: 'executed' })
      expect(await client.ttl('edictum:{s:chat %007b7%007d}')).toBeGreaterThan(90)
      for (const write of [
        () => backend.set('s:b:note', 'text'),
        () => backend.increment('s:b:attempts'),
        () => backend.reserve({ ...shortLease, sessionId: 'b', slot: 'leave' }),
      ]) {
        await write()
        expect(await client.ttl('edictum:{s:b}')).toBeGreaterThan(90)
        await client.expire('edictum:{s:b}', 10)
      }
    }))

  it('keeps a session for seven days unless told otherwise, and never for less than a lease', () =>
    withClient(async (client) => {
      await new RedisBackend(client).increment('s:a:attempts')
      expect(await client.ttl('edictum:{s:a}')).toBeGreaterThan(7 * 86_400 - 10)
      await new RedisBackend(client, { ttlSeconds: 5 }).reserve({
        ...request,
        sessionId: 'b',
        leaseSeconds: 500,
      })
      for (const key of ['edictum:{s:b}', 'edictum:{s:b}:slots', 'edictum:{s:b}:slots:tool:deploy'])
        expect(await client.ttl(key)).toBeGreaterThan(490)
    }))

  it('counts a settlement once when a client sends it again', () =>
    withClient(async (client) => {
      const backend = new RedisBackend(client)
      const { slot } = await backend.reserve(request)
      if (slot.kind !== 'taken') throw new Error('no slot')
      const settlement = /** @type {const} */ ({ ...request, slotId: slot.id, outcome: 'uncertain' })
      const first = await backend.settle(settlement)
      expect(await backend.settle(settlement)).toEqual(first)
      expect(await backend.get('s:chat {7}:consec_fail')).toBe('1')
    }))

  it('takes one slot and counts one attempt when a client sends a reservation again', () =>
    withClient(async (client) => {
      const backend = new RedisBackend(sendingTwice(client))
      const { slot, counters } = await backend.reserve({ ...request, limits: { executions: 1 } })
      expect(slot.kind).toBe('taken')
      expect(counters).toEqual({ attempts: 1, executions: 0, toolExecutions: 0 })
      expect(await client.zcard('edictum:{s:chat %007b7%007d}:slots')).toBe(1)
    }))

  it('gives back a slot whose answer was lost', () =>
    withClient(async (client) => {
      const backend = new RedisBackend(losingTheFirstAnswer(client))
      await expect(backend.reserve({ ...request, limits: { executions: 1 } })).rejects.toThrow(
        'connection lost',
      )
      await expect.poll(async () => client.zcard('edictum:{s:chat %007b7%007d}:slots')).toBe(0)
      expect((await backend.reserve({ ...request, limits: { executions: 1 } })).slot.kind).toBe('taken')
    }))

  it('denies while a client with its default settings waits for the server, and gives late slots back', async () => {
    const { Redis } = await import('ioredis')
    const patient = new Redis(single.url)
    patient.on('error', () => undefined)
    try {
      const guard = new Edictum({
        backend: new RedisBackend(patient),
        limits: { maxToolCalls: 2 },
        portTimeoutMs: 1_500,
      })
      const call = async () => guard.run('deploy', {}, () => 'done')
      await call()
      await single.kill()
      await expect(call()).rejects.toMatchObject({ decisionSource: 'storage_error' })
      await single.start()
      // The reservation that nobody waited for is taken now, and returned.
      await expect
        .poll(() => call().catch((/** @type {Error} */ error) => error.message), { timeout: 15_000 })
        .toBe('done')
      await expect(call()).rejects.toMatchObject({ decisionSource: 'operation_limit' })
    } finally {
      patient.disconnect()
    }
  })
})

/**
 * Every command reaches the server twice, as it does when an answer is lost and the client tries again.
 * @param {import('ioredis').Redis} client
 * @returns {import('../packages/edictum/dist/drivers/storage/redis/index.js').IoRedisClient}
 */
function sendingTwice(client) {
  return {
    eval: async (text, count, ...rest) => client.eval(text, count, ...rest),
    evalsha: async (sha, count, ...rest) => {
      await client.evalsha(sha, count, ...rest)
      return client.evalsha(sha, count, ...rest)
    },
  }
}

/**
 * @param {import('ioredis').Redis} client
 * @returns {import('../packages/edictum/dist/drivers/storage/redis/index.js').IoRedisClient}
 */
function losingTheFirstAnswer(client) {
  let answers = 0
  return {
    eval: async (text, count, ...rest) => client.eval(text, count, ...rest),
    evalsha: async (sha, count, ...rest) => {
      const answer = await client.evalsha(sha, count, ...rest)
      if (answers++ === 0) throw new Error('connection lost')
      return answer
    },
  }
}
