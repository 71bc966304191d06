// Which steps a call waited in is on record; a call that waits for nobody does not even read the clock for it.
import { describe, expect, it } from 'vitest'

import {
  type ApprovalBackend,
  type Edictum,
  type EdictumOptions,
  HookDecision,
  MemoryBackend,
} from '../../src/index.js'
import { always, approve, guardOf, pre } from './bundles.js'

/** As a storage in another process answers: later. */
function distant(): MemoryBackend {
  const memory = new MemoryBackend()
  return new Proxy(memory, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return async (...args: readonly unknown[]) => value.apply(target, args)
    },
  })
}

const granting: ApprovalBackend = {
  requestApproval: async () => ({ approvalId: 'a' }),
  waitForDecision: async () => ({ approved: true, status: 'approved' }),
}

/** The steps of the last event, and whether all of them are times. */
async function stepsOf(guard: Edictum): Promise<readonly string[]> {
  await guard.run('read_file', {}, () => 'text').catch(() => undefined)
  const waits = guard.localSink.last().waitsMs ?? {}
  for (const ms of Object.values(waits)) expect(ms).toBeGreaterThanOrEqual(0)
  return Object.keys(waits).toSorted()
}

interface Case {
  readonly name: string
  readonly contracts: readonly object[]
  readonly options: EdictumOptions
  readonly steps: readonly string[]
}

const cases: readonly Case[] = [
  { name: 'nobody', contracts: [], options: {}, steps: [] },
  { name: 'nobody, and is denied', contracts: [pre('no', always)], options: {}, steps: [] },
  {
    name: 'a distant storage',
    contracts: [],
    options: { backend: distant() },
    steps: ['attempt', 'settle'],
  },
  {
    name: 'a distant storage, and is denied',
    contracts: [pre('no', always)],
    options: { backend: distant() },
    steps: ['attempt'],
  },
  {
    name: 'a person and the storage again',
    contracts: [approve('ask', always)],
    options: { backend: distant(), approvalBackend: granting },
    steps: ['approve', 'attempt', 'reserve', 'settle'],
  },
  {
    name: 'a sink',
    contracts: [],
    options: { auditSink: { emit: async () => undefined } },
    steps: ['record'],
  },
  {
    name: 'a hook',
    contracts: [],
    options: { hooks: [{ phase: 'before', tool: '*', callback: async () => HookDecision.allow() }] },
    steps: ['hooks'],
  },
]

describe('the steps a call waited in', () => {
  it.each(cases)('are on record for one that waits for $name', async ({ contracts, options, steps }) => {
    expect(await stepsOf(guardOf(contracts, options))).toEqual(steps)
  })

  it('grow from event to event, and an event keeps what was known when it was made', async () => {
    const guard = guardOf([], { backend: distant() })
    await guard.run('read_file', {}, () => 'text')
    const [admitted, executed] = guard.localSink.events
    expect(Object.keys(admitted?.waitsMs ?? {})).toEqual(['attempt'])
    expect(Object.keys(executed?.waitsMs ?? {})).toEqual(['attempt', 'settle'])
    expect(executed?.waitsMs?.attempt).toBe(admitted?.waitsMs?.attempt)
  })
})
