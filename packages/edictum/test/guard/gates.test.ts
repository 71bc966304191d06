import { describe, expect, it } from 'vitest'

import { type CallGates, type Edictum, MemoryApprovalBackend, type StorageBackend } from '../../src/index.js'
import { MemoryBackend } from '../../src/drivers/storage/memory.js'
import { actionsOf, always, approve, guardOf, pre, session } from './bundles.js'

const call = { toolName: 'T', args: { x: 1 } }

/** Gates that let everything through, but for what a test says. */
function gatesWith(given: Partial<CallGates> = {}): CallGates {
  return {
    mayWait: false,
    consent: () => undefined,
    approvalWaitMs: () => Number.POSITIVE_INFINITY,
    depart: () => undefined,
    outcomeOf: () => ({ kind: 'denied', reason: 'gate' }),
    ...given,
  }
}

const no = { gate: 'closed', reason: 'not today' }

async function begin(guard: Edictum, given: Partial<CallGates>) {
  return guard.begin(call, { sessionId: 's', gates: gatesWith(given) })
}

describe('gates of a face', () => {
  it.each([
    ['an obstacle', { obstacle: no }],
    ['entry', { enter: async () => ({ kind: 'refused', denial: no }) as const }],
    ['consent', { consent: () => no }],
    ['consent that waits', { mayWait: true, consent: async () => no }],
    ['departure', { depart: () => no }],
  ] as const)('refuse by %s, in either mode, and the refusal is on record', async (_, given) => {
    for (const mode of ['enforce', 'observe'] as const) {
      const guard = guardOf([], { mode })
      const refused = await begin(guard, given)
      expect(refused).toMatchObject({
        kind: 'refused',
        decisionSource: 'harness:closed',
        reason: 'not today',
      })
      expect(guard.localSink.events).toMatchObject([
        {
          action: 'call_denied',
          decisionSource: 'harness:closed',
          outcome: { kind: 'denied', reason: 'gate' },
        },
      ])
      expect(await guard.backend.get('s:s:attempts')).toBe('1')
    }
  })

  it('give a slot back that was held when they refused', async () => {
    const guard = guardOf([session('one', { max_tool_calls: 1 })])
    await begin(guard, { depart: () => no })
    expect(await begin(guard, {})).toMatchObject({ kind: 'admitted' })
  })

  it('cannot let through what the contracts refuse, and are not asked about it', async () => {
    const asked: string[] = []
    const guard = guardOf([pre('no', always)])
    const refused = await begin(guard, {
      consent: () => void asked.push('consent'),
      depart: () => void asked.push('depart'),
    })
    expect(refused).toMatchObject({ decisionName: 'no', decisionSource: 'yaml_precondition' })
    expect(asked).toEqual([])
  })

  it('come after the attempt limit', async () => {
    const guard = guardOf([session('tries', { max_attempts: 1 })])
    await begin(guard, { obstacle: no })
    let entered = 0
    const enter = async () => {
      entered++
      return { kind: 'refused', denial: no } as const
    }
    expect(await begin(guard, { obstacle: no })).toMatchObject({ decisionName: 'tries' })
    expect(await begin(guard, { enter })).toMatchObject({ decisionName: 'tries' })
    expect(entered).toBe(0)
    expect(await guard.backend.get('s:s:attempts')).toBe('3')
  })

  it('hand over other arguments, which are the ones judged and run', async () => {
    const guard = guardOf([pre('no-nine', { 'args.x': { equals: 9 } })])
    const enterWith = (x: number) => ({ enter: async () => ({ kind: 'entered', args: { x } }) as const })
    expect(await begin(guard, enterWith(9))).toMatchObject({ decisionName: 'no-nine' })
    expect(await begin(guard, enterWith(8))).toMatchObject({ kind: 'admitted', envelope: { args: { x: 8 } } })
    expect(await guard.backend.get('s:s:attempts')).toBe('2')
  })

  it('hear whether a person will be asked anyway, and limit how long', async () => {
    const approvals = new MemoryApprovalBackend()
    const guard = guardOf([approve('ask', always)], { approvalBackend: approvals })
    const asked: boolean[] = []
    const refused = await begin(guard, {
      consent: (_, needsApproval) => void asked.push(needsApproval),
      approvalWaitMs: () => 20,
    })
    expect({ asked, refused }).toMatchObject({
      asked: [true],
      refused: { kind: 'refused', lacksConsent: true, decisionName: 'ask' },
    })
  })

  it('carry tags and version of the contract that refused', async () => {
    const guard = guardOf([pre('no', always, { tags: ['pii'] })], { policyVersion: 'v7' })
    expect(await begin(guard, {})).toMatchObject({ tags: ['pii'], policyVersion: 'v7', lacksConsent: false })
  })
})

describe('finishing under conditions', () => {
  async function admitted(guard: Edictum) {
    const admission = await begin(guard, {})
    if (admission.kind !== 'admitted') throw new Error('not admitted')
    return admission
  }

  it('shapes the inspected output before the call is counted, and records the outcome', async () => {
    const guard = guardOf([])
    const admission = await admitted(guard)
    const seen: unknown[] = []
    await admission.finish({ output: 'fine' }, async ({ shown, judgement }) => {
      seen.push(shown, judgement.kind, await guard.backend.get('s:s:execs'))
      return { outcome: { kind: 'artifact', artifactId: 'art_1' } }
    })
    expect(seen).toEqual(['fine', 'succeeded', null])
    expect(guard.localSink.last()).toMatchObject({
      action: 'call_executed',
      outcome: { kind: 'artifact', artifactId: 'art_1' },
    })
  })

  it('counts a success that turns out to be none as a failure', async () => {
    const guard = guardOf([])
    const end = await (
      await admitted(guard)
    ).finish({ output: 'fine' }, () => ({ outcome: { kind: 'failure' }, fault: 'unusable' }))
    expect(end).toMatchObject({ kind: 'failed', error: { message: 'unusable' } })
    expect(await guard.backend.get('s:s:execs')).toBe(null)
    expect(await guard.backend.get('s:s:consec_fail')).toBe('1')
    expect(guard.localSink.last()).toMatchObject({ action: 'call_failed', error: 'unusable' })
  })

  it('fails for an output that says so itself, whatever the success check thinks', async () => {
    const guard = guardOf([], { successCheck: () => true })
    const end = await (await admitted(guard)).finish({ output: { error: 'no' }, isFailure: true })
    expect(end.kind).toBe('failed')
  })

  it.each([
    ['a backend with atomic steps', () => new MemoryBackend()],
    ['a backend with four methods', (): StorageBackend => fourMethods(new MemoryBackend())],
  ])('counts what may have happened as an execution and as a failure, on %s', async (_, make) => {
    const guard = guardOf([session('two', { max_calls_per_tool: { T: 2 } })], { backend: make() })
    for (let times = 0; times < 2; times++) {
      await (await admitted(guard)).finish({ error: new Error('timeout'), mayHaveHappened: true })
    }
    const keys = ['s:s:execs', 's:s:tool:T', 's:s:consec_fail']
    expect(await Promise.all(keys.map(async (key) => guard.backend.get(key)))).toEqual(['2', '2', '2'])
    expect(await begin(guard, {})).toMatchObject({ kind: 'refused', decisionName: 'two' })
  })

  it('puts a late result on record, and nothing else', async () => {
    const guard = guardOf([])
    const admission = await admitted(guard)
    await admission.finish({ error: new Error('timeout') })
    await admission.discardLate()
    expect(actionsOf(guard)).toEqual(['call_allowed', 'call_failed', 'late_result_discarded'])
    expect(await guard.backend.get('s:s:execs')).toBe(null)
  })

  it('keeps values of sensitive fields out of the summary on record', async () => {
    const guard = guardOf([])
    await (await admitted(guard)).finish({ output: { user: 'ada', password: 'hunter2' } })
    expect(guard.localSink.last()?.resultSummary).toBe('{"user":"ada","password":"[REDACTED]"}')
  })
})

function fourMethods(backend: StorageBackend): StorageBackend {
  return {
    get: async (key) => backend.get(key),
    set: async (key, value) => backend.set(key, value),
    delete: async (key) => backend.delete(key),
    increment: async (key, amount) => backend.increment(key, amount),
  }
}
