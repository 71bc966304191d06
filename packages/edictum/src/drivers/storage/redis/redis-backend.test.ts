// What needs no server; the rest is in services/redis.test.mjs.
import { describe, expect, it } from 'vitest'

import { Edictum } from '../../../index.js'
import { RedisBackend } from './redis-backend.js'

const nonsense = [
  undefined,
  null,
  0,
  'OK',
  [],
  [1],
  ['1', '0', '0'],
  ['x', 'y', 'z', 'taken'],
  [[], [], [], []],
  {},
]

describe('RedisBackend with a client that answers nonsense', () => {
  it.each(nonsense)('rejects %j, and runs no call', async (reply) => {
    const backend = new RedisBackend({ evalsha: async () => reply, eval: async () => reply })
    await expect(backend.get('s:a:attempts')).rejects.toThrow('redis answered')
    await expect(backend.increment('s:a:attempts')).rejects.toThrow('redis answered')
    const guard = new Edictum({ backend })
    const call = guard.run('deploy', {}, () => expect.unreachable())
    await expect(call).rejects.toMatchObject({ decisionSource: 'storage_error' })
  })

  it('sends a script by its text only where the server does not know it', async () => {
    const sent: string[] = []
    const failing = (message: string) => ({
      evalsha: async () => {
        sent.push('hash')
        throw new Error(message)
      },
      eval: async () => {
        sent.push('text')
        return '1'
      },
    })
    expect(await new RedisBackend(failing('NOSCRIPT No matching script')).increment('s:a:attempts')).toBe(1)
    await expect(new RedisBackend(failing('LOADING')).increment('s:a:attempts')).rejects.toThrow('LOADING')
    expect(sent).toEqual(['hash', 'text', 'hash'])
  })
})
