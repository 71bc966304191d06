// What needs no server; the rest is in services/postgres.test.mjs.
import { describe, expect, it } from 'vitest'

import { Edictum } from '../../../index.js'
import { PostgresBackend } from './postgres-backend.js'

const counters = { attempts: '1', executions: '0', tool_executions: '0' }
const nonsense = [
  [],
  [{}],
  [{ ...counters, granted: 'perhaps' }],
  [{ ...counters, executions: null, granted: 'taken' }],
  [{ ...counters, executions: '', granted: 'taken' }],
  [{ found_at: 'first', found: 7 }],
]

describe('PostgresBackend with a pool that answers nonsense', () => {
  it.each(nonsense)('rejects %j, and runs no call', async (...rows) => {
    const backend = new PostgresBackend({ query: async () => ({ rows }) })
    await expect(backend.increment('s:a:attempts')).rejects.toThrow('postgres answered')
    const guard = new Edictum({ backend })
    const call = guard.run('deploy', {}, () => expect.unreachable())
    await expect(call).rejects.toMatchObject({ decisionSource: 'storage_error' })
  })

  it('says something also where the error of the connection says nothing', async () => {
    const backend = new PostgresBackend({ query: async () => Promise.reject(new AggregateError([], '')) })
    await expect(backend.get('s:a:attempts')).rejects.toThrow('postgres cannot be reached')
  })
})
