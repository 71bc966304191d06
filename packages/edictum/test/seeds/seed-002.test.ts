// Sentences of the seed 002_8967883495e10703.txt (session contracts), each as a test.
import { describe, expect, it } from 'vitest'

import { Edictum, EdictumConfigError, MemoryBackend, type StorageBackend } from '../../src/index.js'
import { actionsOf, always, guardOf, pre, yamlOf } from '../guard/bundles.js'
import { countersOf, endOf, endsOf } from './calls.js'

const stop = 'Session limit reached. Summarize progress and stop.'

/** The first contract of the page. */
const sessionLimits = {
  id: 'session-limits',
  type: 'session',
  limits: {
    max_tool_calls: 50,
    max_attempts: 120,
    max_calls_per_tool: { deploy_service: 3, send_notification: 10 },
  },
  then: { effect: 'deny', message: stop },
}

const noRole = pre('no-role', { 'args.role': { exists: false } })

function limited(limits: object, message = stop, more: object = {}): object {
  return { id: 'limit', type: 'session', limits, then: { effect: 'deny', message }, ...more }
}

const fine = () => 'fine'

describe('002_8967883495e10703.txt', () => {
  describe('"This contract stops the agent after 50 successful tool executions, 120 total pipeline evaluations (including denied calls), or 3 deploys -- whichever comes first."', () => {
    it('50 executions', async () => {
      const guard = guardOf([sessionLimits])
      const ends = await endsOf(51, async () => guard.run('read_file', {}, fine))
      expect(ends.indexOf('EdictumDenied')).toBe(50)
    })
    it('120 evaluations', async () => {
      const guard = guardOf([noRole, sessionLimits])
      const reasons: string[] = []
      for (let call = 0; call < 121; call++)
        await guard.run('T', {}, fine).catch((error: Error) => reasons.push(error.message))
      expect(reasons.filter((reason) => reason === 'no-role says no')).toHaveLength(120)
      expect(reasons.at(-1)).toBe(stop)
    })
    it('3 deploys', async () => {
      const guard = guardOf([sessionLimits])
      expect(await endsOf(4, async () => guard.run('deploy_service', {}, fine))).toEqual([
        'returned',
        'returned',
        'returned',
        'EdictumDenied',
      ])
      expect(await endOf(guard.run('send_notification', {}, fine))).toBe('returned')
    })
  })

  it('"max_attempts counts ALL pipeline evaluations including denied calls, while max_tool_calls only counts successful executions."', async () => {
    const guard = guardOf([noRole])
    await endsOf(3, async () => guard.run('T', {}, fine))
    await guard.run('T', { role: 'a' }, fine)
    expect(await countersOf(guard, 'T')).toMatchObject({ attempts: '4', execs: '1' })
  })

  it('"Denial retry loops … The execs counter never increments because the tool never executes … max_attempts catches this because it counts every pre_execute call, including denials."', async () => {
    const guard = guardOf([noRole, limited({ max_attempts: 5 })])
    await endsOf(5, async () => guard.run('deploy_service', {}, fine))
    await expect(guard.run('deploy_service', { role: 'now allowed' }, fine)).rejects.toThrow(stop)
    expect(await countersOf(guard, 'deploy_service')).toMatchObject({ attempts: '6', execs: null })
  })

  it('"max_calls_per_tool puts a hard cap on individual tools without limiting everything else."', async () => {
    const guard = guardOf([limited({ max_calls_per_tool: { deploy_service: 1 } })])
    expect(await endsOf(2, async () => guard.run('deploy_service', {}, fine))).toEqual([
      'returned',
      'EdictumDenied',
    ])
    expect(new Set(await endsOf(20, async () => guard.run('read_file', {}, fine)))).toEqual(
      new Set(['returned']),
    )
  })

  it('"A tool call that is denied by a precondition or sandbox contract does not increment this counter."', async () => {
    const sandbox = {
      id: 'box',
      type: 'sandbox',
      tool: 'read_file',
      within: ['/workspace'],
      message: 'outside',
    }
    const guard = guardOf([
      pre('no', { 'args.bad': { exists: true } }),
      sandbox,
      limited({ max_tool_calls: 1 }),
    ])
    await endsOf(3, async () => guard.run('read_file', { bad: 1 }, fine))
    await endsOf(3, async () => guard.run('read_file', { path: '/etc/passwd' }, fine))
    expect(await endOf(guard.run('other', {}, fine))).toBe('returned')
    expect(await endOf(guard.run('other', {}, fine))).toBe('EdictumDenied')
  })

  it('"If your agent has 50 successful calls and 150 denied calls, max_tool_calls: 100 would not fire (only 50 executions), but max_attempts: 200 would (200 total evaluations)."', async () => {
    const guard = guardOf([noRole, limited({ max_tool_calls: 100, max_attempts: 200 })])
    expect(new Set(await endsOf(50, async () => guard.run('T', { role: 'a' }, fine)))).toEqual(
      new Set(['returned']),
    )
    await endsOf(150, async () => guard.run('T', {}, fine))
    await expect(guard.run('T', { role: 'a' }, fine)).rejects.toThrow(stop)
    expect(await countersOf(guard, 'T')).toMatchObject({ execs: '50' })
  })

  it('"Per-tool limit reached for {tool.name}. This tool cannot be called again."', async () => {
    const message = 'Per-tool limit reached for {tool.name}. This tool cannot be called again.'
    const guard = guardOf([limited({ max_calls_per_tool: { send_email: 1 } }, message)])
    await guard.run('send_email', {}, fine)
    await expect(guard.run('send_email', {}, fine)).rejects.toThrow(
      'Per-tool limit reached for send_email. This tool cannot be called again.',
    )
  })

  it('"Tools not listed in max_calls_per_tool are uncapped by this contract (they are still subject to max_tool_calls if set)."', async () => {
    const guard = guardOf([limited({ max_tool_calls: 4, max_calls_per_tool: { deploy_service: 3 } })])
    const ends = await endsOf(5, async () => guard.run('read_file', {}, fine))
    expect(ends.indexOf('EdictumDenied')).toBe(4)
  })

  it('"Only successful executions count -- denied calls do not increment per-tool counters."', async () => {
    const guard = guardOf([noRole, limited({ max_calls_per_tool: { T: 1 } })])
    await endsOf(3, async () => guard.run('T', {}, fine))
    expect(await endOf(guard.run('T', { role: 'a' }, () => 'Error: no'))).toBe('EdictumToolError')
    expect(await countersOf(guard, 'T')).toMatchObject({ tool: null })
    expect(await endOf(guard.run('T', { role: 'a' }, fine))).toBe('returned')
    expect(await endOf(guard.run('T', { role: 'a' }, fine))).toBe('EdictumDenied')
  })

  it('"A single session contract can set all three limits. The first limit reached triggers the denial."', async () => {
    const contract = {
      ...limited({ max_tool_calls: 3, max_attempts: 4, max_calls_per_tool: { bash: 1 } }),
      then: { effect: 'deny', message: stop, tags: ['rate-limit', 'session'] },
    }
    const reached = async (calls: readonly (readonly [string, object])[]) => {
      const guard = guardOf([noRole, contract])
      for (const [tool, args] of calls) await endOf(guard.run(tool, { ...args }, fine))
      const record = guard.localSink
        .last()
        .contractsEvaluated.find(({ name, passed }) => name === 'limit' && !passed)
      return record?.metadata
    }
    const ok = { role: 'a' }
    expect(
      await reached([
        ['bash', ok],
        ['bash', ok],
      ]),
    ).toEqual({
      tags: ['rate-limit', 'session'],
      limit: 'max_calls_per_tool',
    })
    expect(
      await reached([
        ['a', ok],
        ['b', ok],
        ['c', ok],
        ['d', ok],
      ]),
    ).toMatchObject({
      limit: 'max_tool_calls',
    })
  })

  describe('"Edictum maintains four counters per session."', () => {
    it('"attempts: Every pre_execute call. Includes denied calls."', async () => {
      const guard = guardOf([pre('no', always)])
      await endsOf(2, async () => guard.run('T', {}, fine))
      expect(await countersOf(guard, 'T')).toMatchObject({ attempts: '2', execs: null, tool: null })
    })
    it('"execs: Tool actually executes. Successful executions only." and "tool:{name}: Per-tool execution count. Key is tool: + the tool name."', async () => {
      const guard = guardOf([])
      await guard.run('a', {}, fine)
      await guard.run('b', {}, fine)
      await endOf(guard.run('b', {}, () => 'Error: no'))
      expect(await countersOf(guard, 'a')).toMatchObject({ execs: '2', tool: '1' })
      expect(await countersOf(guard, 'b')).toMatchObject({ execs: '2', tool: '1' })
    })
    it('"consec_fail: Consecutive failures. Resets to 0 on any success."', async () => {
      const guard = guardOf([])
      await endsOf(2, async () => guard.run('T', {}, () => 'Error: no'))
      expect(await countersOf(guard, 'T')).toMatchObject({ consecFail: '2' })
      await guard.run('T', {}, fine)
      expect(Number((await countersOf(guard, 'T')).consecFail ?? 0)).toBe(0)
    })
  })

  it('"The attempts counter increments before any contract evaluation. Even if the very first precondition denies the call, the attempt is counted."', async () => {
    const seen: (string | null)[] = []
    const backend = new MemoryBackend()
    const guard = new Edictum({
      backend,
      hooks: [
        {
          phase: 'before',
          tool: '*',
          callback: async ({ runId }) => {
            seen.push(await backend.get(`s:${runId}:attempts`))
            throw new Error('the very first')
          },
        },
      ],
    })
    expect(await endsOf(2, async () => guard.run('T', {}, fine))).toEqual(['EdictumDenied', 'EdictumDenied'])
    expect(seen).toEqual(['1', '2'])
  })

  it('"The execs and tool:{name} counters increment only after the tool runs successfully."', async () => {
    const guard = guardOf([])
    let during: unknown
    await guard.run('T', {}, async () => {
      during = await countersOf(guard, 'T')
    })
    expect(during).toMatchObject({ attempts: '1', execs: null, tool: null })
    expect(await countersOf(guard, 'T')).toMatchObject({ execs: '1', tool: '1' })
  })

  it('"All counter operations go through the StorageBackend protocol: get, set, delete, increment"', async () => {
    const used = new Set<string>()
    const memory = new MemoryBackend()
    const noting = <Name extends 'get' | 'set' | 'delete' | 'increment'>(name: Name) =>
      (async (...given: never[]) => {
        used.add(name)
        return (memory[name] as (...all: never[]) => unknown)(...given)
      }) as unknown as StorageBackend[Name]
    const backend = {
      get: noting('get'),
      set: noting('set'),
      delete: noting('delete'),
      increment: noting('increment'),
    }
    const guard = guardOf([limited({ max_tool_calls: 2 })], { backend })
    expect(await endsOf(3, async () => guard.run('T', {}, fine))).toEqual([
      'returned',
      'returned',
      'EdictumDenied',
    ])
    expect(used).toContain('increment')
    expect(await countersOf(guard, 'T')).toMatchObject({ attempts: '3', execs: '2', tool: '2' })
  })

  it('"The critical method is increment() -- it must be atomic … correctness under concurrent access (e.g., asyncio.gather running multiple tool calls)."', async () => {
    const backend = new MemoryBackend()
    await Promise.all(Array.from({ length: 100 }, async () => backend.increment('k')))
    expect(await backend.get('k')).toBe('100')
    const guard = guardOf([limited({ max_tool_calls: 5 })])
    const ends = await Promise.all(
      Array.from({ length: 40 }, async () => endOf(guard.run('T', {}, async () => Promise.resolve(1)))),
    )
    expect(ends.filter((end) => end === 'returned')).toHaveLength(5)
  })

  it('"MemoryBackend is used by default -- no configuration needed"', () => {
    expect(guardOf([]).backend).toBeInstanceOf(MemoryBackend)
  })

  describe('"Session Contract Constraints"', () => {
    it.each([
      ['"No tool or when fields."', { ...limited({ max_tool_calls: 1 }), tool: 'T' }],
      ['"No tool or when fields."', { ...limited({ max_tool_calls: 1 }), when: always }],
      [
        '"effect: deny is the only valid effect."',
        { ...limited({ max_tool_calls: 1 }), then: { effect: 'warn', message: 'm' } },
      ],
      [
        '"effect: deny is the only valid effect."',
        { ...limited({ max_tool_calls: 1 }), then: { effect: 'approve', message: 'm' } },
      ],
      ['"At least one limit field is required."', limited({})],
    ])('%s', (_, contract) => {
      expect(() => Edictum.fromYamlString(yamlOf([contract]))).toThrow(EdictumConfigError)
    })
  })

  it('"In enforce mode (the default), reaching a limit denies all subsequent tool calls for the session."', async () => {
    const guard = guardOf([limited({ max_tool_calls: 1 })])
    await guard.run('T', {}, fine)
    for (const tool of ['T', 'other', 'third'])
      expect(await endOf(guard.run(tool, {}, fine))).toBe('EdictumDenied')
  })

  it('"In observe mode, the session contract evaluates and emits CALL_WOULD_DENY audit events when a limit would have been reached, but the tool call proceeds."', async () => {
    const guard = guardOf([
      {
        id: 'calibration-limits',
        type: 'session',
        mode: 'observe',
        limits: { max_tool_calls: 30, max_attempts: 80 },
        then: {
          effect: 'deny',
          message: 'Would have hit session limit (observe mode).',
          tags: ['calibration'],
        },
      },
    ])
    expect(new Set(await endsOf(31, async () => guard.run('T', {}, fine)))).toEqual(new Set(['returned']))
    const watched = guard.localSink.events.filter(({ action }) => action === 'call_would_deny')
    expect(watched.map(({ decisionName, reason, mode }) => [decisionName, reason, mode])).toEqual([
      ['calibration-limits', 'Would have hit session limit (observe mode).', 'observe'],
    ])
  })

  it('"Session contracts evaluate after preconditions and sandbox contracts, but before the tool executes."', async () => {
    const guard = guardOf([noRole, limited({ max_tool_calls: 1 })])
    await guard.run('T', { role: 'a' }, fine)
    // Both would deny: the precondition speaks first.
    await expect(guard.run('T', {}, fine)).rejects.toMatchObject({ decisionName: 'no-role' })
    let runs = 0
    await expect(guard.run('T', { role: 'a' }, () => ++runs)).rejects.toMatchObject({ decisionName: 'limit' })
    expect(runs).toBe(0)
    const { contractsEvaluated } = guard.localSink.last()
    expect(contractsEvaluated.map(({ type }) => type)).toEqual(['precondition', 'session_contract'])
  })

  it('"5. Postconditions -- scan output": after the tool, in the event of its end', async () => {
    const post = {
      id: 'p',
      type: 'post',
      tool: '*',
      when: { 'output.text': { contains: 'x' } },
      then: { effect: 'warn', message: 'm' },
    }
    const guard = guardOf([post, limited({ max_tool_calls: 1 })])
    await guard.run('T', {}, () => 'x')
    expect(actionsOf(guard)).toEqual(['call_allowed', 'call_executed'])
    expect(guard.localSink.last().contractsEvaluated.map(({ type }) => type)).toEqual(['postcondition'])
  })

  it('"The denial message is sent to the agent."', async () => {
    const message = '50 tool calls reached. Summarize what you accomplished, list remaining tasks, and stop.'
    const guard = guardOf([limited({ max_tool_calls: 1 }, message)])
    await guard.run('T', {}, fine)
    await expect(guard.run('T', {}, fine)).rejects.toThrow(message)
  })

  it('"Session denial in audit"', async () => {
    const guard = guardOf([limited({ max_tool_calls: 1 })])
    await endsOf(2, async () => guard.run('T', {}, fine))
    expect(guard.localSink.last()).toMatchObject({
      action: 'call_denied',
      decisionSource: 'yaml_session',
      decisionName: 'limit',
      reason: stop,
    })
  })
})
