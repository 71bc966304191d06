// Limits hold: exactly as many calls run as a contract allows, however many arrive at once and whatever becomes of them.
import { describe, expect, it } from 'vitest'

import { Edictum, EdictumDenied, MemoryBackend, Session, type StorageBackend } from '../../src/index.js'
import { always, approve, guardOf, pre, session } from './bundles.js'

async function outcomes(
  calls: readonly Promise<unknown>[],
): Promise<{ ran: number; denied: number; failed: number }> {
  const settled = await Promise.allSettled(calls)
  const denied = settled.filter(
    (end) => end.status === 'rejected' && end.reason instanceof EdictumDenied,
  ).length
  const ran = settled.filter((end) => end.status === 'fulfilled').length
  return { ran, denied, failed: settled.length - ran - denied }
}

const later = async (value: unknown) => {
  await new Promise<void>((resolve) => setImmediate(resolve))
  return value
}

/** Only the four methods every backend has. */
function plain(): StorageBackend {
  const memory = new MemoryBackend()
  return {
    get: async (key) => memory.get(key),
    set: async (key, value) => memory.set(key, value),
    delete: async (key) => memory.delete(key),
    increment: async (key, amount) => memory.increment(key, amount),
  }
}

const attempts = { limits: { maxAttempts: 1_000_000 } }

const repetitions = 100
const atOnce = 1_000

describe.each([
  ['the memory backend', () => new MemoryBackend()],
  ['a backend with four methods', plain],
])(`limits on %s, ${repetitions} times ${atOnce} calls at once`, { timeout: 60_000 }, (_, backendOf) => {
  it('admit exactly the number of calls they name', async () => {
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const guard = guardOf([session('s', { max_tool_calls: 50 })], { backend: backendOf(), ...attempts })
      const calls = Array.from({ length: atOnce }, async () => guard.run('T', {}, async () => later(1)))
      expect(await outcomes(calls)).toEqual({ ran: 50, denied: 950, failed: 0 })
    }
  })

  it('count each tool by itself', async () => {
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const guard = guardOf([session('s', { max_calls_per_tool: { deploy: 3 } })], {
        backend: backendOf(),
        limits: { ...attempts.limits, maxToolCalls: 10_000 },
      })
      const calls = Array.from({ length: atOnce }, async (__, index) =>
        guard.run(index % 20 === 0 ? 'read' : 'deploy', {}, async () => later(1)),
      )
      expect(await outcomes(calls)).toEqual({ ran: 50 + 3, denied: 947, failed: 0 })
    }
  })

  it('give back what failed: never one call too many, and once failures are settled not one too few', async () => {
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const guard = guardOf([session('s', { max_tool_calls: 50, max_calls_per_tool: { deploy: 3 } })], {
        backend: backendOf(),
        ...attempts,
      })
      let started = 0
      const flaky = async () => later(++started % 3 === 0 ? 'Error: flaky' : 'fine')
      const call = async (toolName: string) => guard.run(toolName, {}, flaky)
      const crowd = await outcomes(
        Array.from({ length: atOnce }, async (__, index) => call(index % 2 === 0 ? 'deploy' : 'read')),
      )
      expect(crowd.ran).toBeLessThanOrEqual(50)
      expect(crowd.failed).toBeGreaterThan(0)
      // What the failures gave back is there to be used, one call after the other.
      const deploys = await untilDenied(async () => call('deploy'))
      const reads = await untilDenied(async () => call('read'))
      expect(crowd.ran + deploys + reads).toBe(50)
      expect(await new Session(guard.sessionId, guard.backend).toolExecutionCount('deploy')).toBe(3)
    }
  })
})

/** How many calls in a row succeed before one is denied; those that fail on their own do not count. */
async function untilDenied(call: () => Promise<unknown>): Promise<number> {
  for (let ran = 0; ;) {
    const end = await outcomes([call()])
    if (end.denied === 1) return ran
    ran += end.ran
  }
}

describe.each([
  ['the memory backend', () => new MemoryBackend()],
  ['a backend with four methods', plain],
])('limits on %s', (_, backendOf) => {
  it('do not count calls a contract denies', async () => {
    const guard = guardOf(
      [pre('no', { 'args.bad': { exists: true } }), session('s', { max_tool_calls: 1 })],
      { backend: backendOf(), ...attempts },
    )
    const calls = [
      ...Array.from({ length: 20 }, async () => guard.run('T', { bad: 1 }, () => 1)),
      guard.run('T', {}, () => 1),
    ]
    expect(await outcomes(calls)).toEqual({ ran: 1, denied: 20, failed: 0 })
  })
})

describe('session limits', () => {
  it('evaluate N attempts and deny attempt N + 1, with the message of the contract that owns the limit', async () => {
    const guard = guardOf([session('cap', { max_attempts: 3 })])
    for (let call = 0; call < 3; call++) await guard.run('T', {}, () => 1)
    await expect(guard.run('T', {}, () => 1)).rejects.toMatchObject({
      reason: 'cap: stop using T',
      decisionSource: 'yaml_session',
      decisionName: 'cap',
    })
  })

  it('stop after 200 executions when nothing is configured', async () => {
    const guard = guardOf([])
    for (let call = 0; call < 200; call++) await guard.run('T', {}, () => 1)
    await expect(guard.run('T', {}, () => 1)).rejects.toMatchObject({
      decisionSource: 'operation_limit',
      decisionName: 'max_tool_calls',
    })
  })

  it('are replaced, not capped, by an explicit contract', async () => {
    const guard = guardOf([session('s', { max_tool_calls: 1_000, max_attempts: 5_000 })])
    expect(guard.limits).toEqual({ maxAttempts: 5_000, maxToolCalls: 1_000, maxCallsPerTool: {} })
    for (let call = 0; call < 250; call++) await guard.run('T', {}, () => 1)
  })

  it('take the lower of a contract and an explicit option', () => {
    expect(
      guardOf([session('s', { max_tool_calls: 10 })], {
        limits: { maxToolCalls: 5, maxCallsPerTool: { a: 2 } },
      }).limits,
    ).toEqual({
      maxAttempts: 500,
      maxToolCalls: 5,
      maxCallsPerTool: { a: 2 },
    })
  })

  it('name the retry loop when the guard’s own attempt limit is reached', async () => {
    const guard = guardOf([pre('no', always)], { limits: { maxAttempts: 2 } })
    for (let call = 0; call < 2; call++)
      await expect(guard.run('T', {}, () => 1)).rejects.toThrow('no says no')
    await expect(guard.run('T', {}, () => 1)).rejects.toMatchObject({
      decisionSource: 'attempt_limit',
      decisionName: 'max_attempts',
      reason: expect.stringMatching(/2 .*retry loop/),
    })
  })

  it('belong to a session: another session has its own', async () => {
    const guard = guardOf([session('s', { max_tool_calls: 1 })])
    await guard.run('T', {}, () => 1, { sessionId: 'one' })
    await guard.run('T', {}, () => 1, { sessionId: 'two' })
    await expect(guard.run('T', {}, () => 1, { sessionId: 'one' })).rejects.toThrow(EdictumDenied)
  })

  it.each(['', 'a:b', 'a/b', 'a\\b', 'a\nb', 'x'.repeat(10_001)])(
    'refuse the session id %j',
    async (sessionId) => {
      await expect(guardOf([]).run('T', {}, () => 1, { sessionId })).rejects.toThrow('session id')
    },
  )

  it('are looked at again after a person has taken their time', async () => {
    let decide: (() => void) | undefined
    const backend = new MemoryBackend()
    const guard = guardOf(
      [approve('ask', { 'args.slow': { exists: true } }), session('s', { max_tool_calls: 1 })],
      {
        backend,
        approvalBackend: {
          requestApproval: async () => ({ approvalId: 'a' }),
          waitForDecision: async () => {
            await new Promise<void>((resolve) => {
              decide = resolve
            })
            return { approved: true, status: 'approved' as const }
          },
        },
      },
    )
    const slow = guard.run('T', { slow: true }, () => 'slow')
    await new Promise<void>((resolve) => setImmediate(resolve))
    expect(await guard.run('T', {}, () => 'quick')).toBe('quick')
    decide?.()
    await expect(slow).rejects.toMatchObject({ decisionSource: 'yaml_session' })
  })

  it('only watch when the contract observes, with its own numbers', async () => {
    const guard = guardOf([session('s', { max_tool_calls: 2 }, { mode: 'observe' })])
    for (let call = 0; call < 5; call++) await guard.run('T', {}, () => 1)
    const watched = guard.localSink.events.filter(({ action }) => action === 'call_would_deny')
    expect(watched).toHaveLength(3)
    expect(watched[0]).toMatchObject({
      decisionSource: 'yaml_session',
      decisionName: 's',
      mode: 'observe',
      reason: 's: stop using T',
    })
    expect(guard.limits.maxToolCalls).toBe(200)
  })

  it('refuse a stored counter that is not a number', async () => {
    const backend = new MemoryBackend()
    await backend.set('s:x:execs', 'many')
    const guard = guardOf([], { backend })
    await expect(guard.run('T', {}, () => 1, { sessionId: 'x' })).rejects.toMatchObject({
      decisionSource: 'storage_error',
    })
  })

  it('count successes, failures in a row and attempts under the published keys', async () => {
    const backend = new MemoryBackend()
    const guard = guardOf([pre('no', { 'args.bad': { exists: true } })], { backend })
    const call = async (args: Record<string, unknown>, returns: unknown) =>
      guard.run('T', args, () => returns, { sessionId: 'x' }).catch(() => undefined)
    await call({}, 'ok')
    await call({ bad: 1 }, 'ok')
    await call({}, 'Error: a')
    await call({}, 'fatal: b')
    const read = async () => ({
      attempts: await backend.get('s:x:attempts'),
      execs: await backend.get('s:x:execs'),
      tool: await backend.get('s:x:tool:T'),
      failures: await backend.get('s:x:consec_fail'),
    })
    expect(await read()).toEqual({ attempts: '4', execs: '1', tool: '1', failures: '2' })
    await call({}, 'ok')
    expect(await read()).toMatchObject({ execs: '2', failures: null })
  })

  it('free the slot of a call that was never finished once its lease is over', async () => {
    let now = 0
    const backend = new MemoryBackend({ now: () => now })
    const guard = guardOf([session('s', { max_tool_calls: 1 })], { backend, leaseSeconds: 60 })
    expect((await guard.begin({ toolName: 'T', args: {} })).kind).toBe('admitted')
    expect((await guard.begin({ toolName: 'T', args: {} })).kind).toBe('refused')
    now = 61_000
    expect((await guard.begin({ toolName: 'T', args: {} })).kind).toBe('admitted')
  })

  it('accumulate over the life of a guard without a session id', async () => {
    const guard = new Edictum({ limits: { maxToolCalls: 1 } })
    await guard.run('T', {}, () => 1)
    await expect(guard.run('T', {}, () => 1)).rejects.toThrow(EdictumDenied)
  })
})
