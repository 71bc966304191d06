// What the runtime promises, one promise per test: time, history, size, secrets, consent, limits, blocking.
import { describe, expect, it, vi } from 'vitest'

import { MemoryApprovalBackend, RedactionPolicy } from '../../src/index.js'
import {
  findingsOfOutcome,
  outcomeToModelContent,
  type RuntimeTool,
  TOOL_MESSAGE_MAX_CHARS,
  type ToolExecutionResult,
  type ToolOutcome,
} from '../../src/runtime/index.js'
import { actionsOf, always, approve, post, pre, session } from '../guard/bundles.js'
import { settle } from '../../src/testing/fake-clock.js'
import { call, countersOf, sceneOf } from './runtimes.js'

const kindsOf = (outcomes: readonly ToolOutcome[]) =>
  outcomes.map((outcome) => (outcome.kind === 'denied' ? `denied ${outcome.reason}` : outcome.kind))

/** A secret as the redaction policy knows them, put together so that it is nowhere written down. */
const secret = ['sk', 'a1b2c3d4e5f6g7h8i9j0k1l2m3'].join('-')

const forever = async () => new Promise<never>(() => undefined)

describe('time', () => {
  it('ends a tool that resolves a moment too late, and nothing of its result is left anywhere', async () => {
    let resolve: (value: string) => void = () => undefined
    const late = new Promise<string>((settleIt) => (resolve = settleIt))
    const scene = sceneOf({
      slow: { timeoutS: 2, idempotent: true, sideEffect: 'read', execute: async () => late },
    })
    const running = scene.turn.run([call('slow', {}, 'c')])
    await scene.clock.advance(2_000)
    expect(await running).toEqual([
      { kind: 'timeout', callId: 'c', toolName: 'slow', deadlineS: 3, elapsedMs: 2_000, retryable: true },
    ])
    const before = { ...(await countersOf(scene.guard, 'slow')), trace: [...scene.turn.state.toolTrace] }
    const results = [...scene.turn.state.toolResults]
    await scene.clock.advance(1)
    resolve('x'.repeat(20_000))
    await settle()
    expect({ ...(await countersOf(scene.guard, 'slow')), trace: [...scene.turn.state.toolTrace] }).toEqual(
      before,
    )
    expect(before).toMatchObject({ attempts: 1, executions: 0, failuresInARow: 1 })
    expect([...scene.turn.state.toolResults]).toEqual(results)
    expect(scene.artifacts.drafts.size).toBe(0)
    expect(actionsOf(scene.guard)).toEqual(['call_allowed', 'call_failed', 'late_result_discarded'])
    // What timed out may be tried again: the late success was not entered either.
    const again = scene.turn.run([call('slow')])
    await settle()
    expect(kindsOf(await again)).toEqual(['executed'].map(() => 'artifact'))
  })

  it('ends a tool that blocked the process past its deadline, although its result is there', async () => {
    const scene = sceneOf({
      busy: {
        timeoutS: 1,
        execute: () => {
          scene.clock.block(1_001)
          return 'done'
        },
      },
      busyLater: {
        timeoutS: 1,
        execute: async () => {
          await Promise.resolve()
          scene.clock.block(1_001)
          return 'done'
        },
      },
    })
    expect(kindsOf(await scene.turn.run([call('busy'), call('busyLater')]))).toEqual(['timeout', 'timeout'])
    await settle()
    expect(actionsOf(scene.guard).filter((action) => action === 'late_result_discarded')).toHaveLength(2)
  })

  it('lets a late rejection go by without harm to the process', async () => {
    const unhandled = vi.fn<() => void>()
    process.on('unhandledRejection', unhandled)
    let reject: (error: Error) => void = () => undefined
    const scene = sceneOf({
      slow: { timeoutS: 1, execute: async () => new Promise((_, rejectIt) => (reject = rejectIt)) },
    })
    const running = scene.turn.run([call('slow')])
    await scene.clock.advance(1_000)
    expect(kindsOf(await running)).toEqual(['timeout'])
    reject(new Error('too late'))
    await settle()
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('tells a tool to stop, and takes one that does so for timed out, not for failed', async () => {
    const heard: unknown[] = []
    const scene = sceneOf({
      polite: {
        timeoutS: 1,
        execute: async (_, { signal, deadline }) =>
          new Promise((_resolve, reject) => {
            heard.push(deadline.remainingMs())
            signal.addEventListener('abort', () => {
              heard.push((signal.reason as Error).name)
              reject(signal.reason as Error)
            })
          }),
      },
    })
    const running = scene.turn.run([call('polite')])
    await scene.clock.advance(1_000)
    expect([kindsOf(await running), heard]).toEqual([['timeout'], [1_000, 'TimeoutError']])
  })

  it('waits a little for a tool although the turn is over, but asks it to stop', async () => {
    let finish: (value: string) => void = () => undefined
    let isAborted: () => boolean = () => false
    const scene = sceneOf(
      {
        slow: {
          execute: async (_, { signal }) => {
            isAborted = () => signal.aborted
            return new Promise<string>((resolve) => (finish = resolve))
          },
        },
      },
      { turn: { timeoutS: 1 } },
    )
    const running = scene.turn.run([call('slow')])
    await scene.clock.advance(2_000)
    expect(isAborted()).toBe(true)
    finish('just in time')
    expect(kindsOf(await running)).toEqual(['executed'])
  })

  it('does not start anything once the time of the turn is over', async () => {
    let ran = 0
    const scene = sceneOf({ tool: { execute: () => ++ran } }, { turn: { timeoutS: 1 } })
    scene.clock.block(1_000)
    expect(kindsOf(await scene.turn.run([call('tool')]))).toEqual(['denied deadline'])
    expect(ran).toBe(0)
    expect(scene.guard.localSink.last()).toMatchObject({
      action: 'call_denied',
      decisionSource: 'harness:deadline',
    })
  })

  it('blocks a tool of which too many calls were given up and still go on', async () => {
    const scene = sceneOf({ hung: { timeoutS: 1, execute: forever } }, { runtime: { maxAbandonedCalls: 2 } })
    const retryable: unknown[] = []
    for (let times = 0; times < 3; times++) {
      const running = scene.turn.run([call('hung')])
      await scene.clock.advance(1_000)
      const [outcome] = await running
      retryable.push(outcome?.kind === 'timeout' && outcome.retryable)
    }
    expect(retryable).toEqual([true, true, false])
    expect(kindsOf(await scene.turn.run([call('hung')]))).toEqual(['denied blocked'])
  })

  it('honours a tool that says its timeouts are not to be repeated', async () => {
    const scene = sceneOf({ once: { timeoutS: 1, retryOnTimeout: false, execute: forever } })
    const running = scene.turn.run([call('once')])
    await scene.clock.advance(1_000)
    expect(await running).toMatchObject([{ kind: 'timeout', retryable: false }])
  })
})

describe('history', () => {
  const look: RuntimeTool = { sideEffect: 'read', idempotent: true, execute: () => 'seen' }

  it('does not repeat what succeeded, however often it is asked', async () => {
    const scene = sceneOf({ look })
    const outcomes = []
    for (let times = 0; times < 3; times++)
      outcomes.push(...(await scene.turn.run([call('look', { at: 1 })])))
    expect(kindsOf(outcomes)).toEqual(['executed', 'denied duplicate', 'denied duplicate'])
    expect(await countersOf(scene.guard, 'look')).toMatchObject({ attempts: 3, executions: 1 })
  })

  it('repeats what was denied, what failed, and tools that are not idempotent', async () => {
    let fails = true
    const scene = sceneOf({
      look: { ...look, execute: () => (fails ? { error: 'not yet' } : 'seen') },
      roll: { sideEffect: 'read', execute: () => 4 },
    })
    const first = await scene.turn.run([call('look'), call('roll'), call('roll')])
    fails = false
    const second = await scene.turn.run([call('look'), call('roll')])
    expect(kindsOf([...first, ...second])).toEqual([
      'failure',
      'executed',
      'executed',
      'executed',
      'executed',
    ])
  })

  it('allows in the next turn what ran out of allowance in this one', async () => {
    const scene = sceneOf({ look }, { turn: { maxToolCalls: 1 } })
    expect(kindsOf(await scene.turn.run([call('look', { at: 1 }), call('look', { at: 2 })]))).toEqual([
      'executed',
      'denied budget',
    ])
    const next = scene.runtime.startTurn({ sessionId: 's' })
    expect(kindsOf(await next.run([call('look', { at: 2 })]))).toEqual(['executed'])
  })

  it('takes arguments for the same that became the same', async () => {
    const parameters = { type: 'object', properties: { limit: { type: 'integer' } } }
    const scene = sceneOf({ look: { ...look, parameters } })
    const outcomes = await scene.turn.run([
      call('look', { limit: '5' }),
      call('look', { limit: 5 }),
      call('look', { limit: '5' }),
    ])
    expect(kindsOf(outcomes)).toEqual(['executed', 'denied duplicate', 'denied duplicate'])
    expect(outcomes[0]).toMatchObject({ wasCoerced: true })
    expect(scene.guard.localSink.filter('call_executed')).toMatchObject([{ outcome: { wasCoerced: true } }])
  })

  it('does not run the same call beside itself', async () => {
    const scene = sceneOf({ look: { ...look, execute: async () => 'seen', resourceKeys: ['a'] } })
    const [one, two] = await Promise.all([scene.turn.run([call('look')]), scene.turn.run([call('look')])])
    expect(kindsOf([...one, ...two])).toEqual(['executed', 'denied duplicate'])
  })

  it('reads again after a write, when it is told that writes matter', async () => {
    for (const invalidateOnWrite of [false, true]) {
      const save: RuntimeTool = { sideEffect: 'write', resourceKeys: ['vault'], execute: () => 'saved' }
      const tools = { look: { ...look, resourceKeys: ['vault'] }, save }
      const scene = sceneOf(tools, { runtime: { invalidateOnWrite } })
      const outcomes = await scene.turn.run([call('look'), call('save'), call('look')])
      expect(kindsOf(outcomes)[2]).toBe(invalidateOnWrite ? 'executed' : 'denied duplicate')
    }
  })
})

describe('size', () => {
  /** A text whose message is exactly so long. */
  const textFor = (messageLength: number) => 'x'.repeat(messageLength - '{"result":""}'.length)

  it('shows 12,000 characters, and stores 12,001', async () => {
    const scene = sceneOf({ say: { execute: ({ length }) => textFor(length as number) } })
    const [fits, large] = await scene.turn.run([
      call('say', { length: TOOL_MESSAGE_MAX_CHARS }),
      call('say', { length: TOOL_MESSAGE_MAX_CHARS + 1 }),
    ])
    expect(fits?.kind).toBe('executed')
    expect(outcomeToModelContent(fits as ToolOutcome)).toHaveLength(12_000)
    expect(large).toMatchObject({ kind: 'artifact', artifactId: 'art_0', sizeBytes: 12_001 })
    expect(scene.artifacts.drafts.get('art_0')).toMatchObject({ sessionId: 's', toolName: 'say' })
    expect(scene.guard.localSink.last()).toMatchObject({ outcome: { kind: 'artifact', artifactId: 'art_0' } })
    expect(await countersOf(scene.guard, 'say')).toMatchObject({ executions: 2, failuresInARow: 0 })
  })

  it.each([
    ['plain text', 'x'.repeat(30_000)],
    ['text that is escaped', '"\n'.repeat(15_000)],
    ['characters of two units', '😀'.repeat(15_000)],
    ['control characters', '\u0001'.repeat(15_000)],
  ])('cuts %s when it cannot be stored, and says so', async (_, text) => {
    const scene = sceneOf({ say: { execute: () => text } })
    scene.artifacts.isBroken = true
    const [outcome] = await scene.turn.run([call('say')])
    const content = outcomeToModelContent(outcome as ToolOutcome)
    expect(content.length).toBeLessThanOrEqual(TOOL_MESSAGE_MAX_CHARS)
    expect(content.length).toBeGreaterThan(TOOL_MESSAGE_MAX_CHARS - 100)
    const { truncated, original_chars, preview } = JSON.parse(content) as Record<string, unknown>
    const whole = JSON.stringify({ result: text })
    expect([truncated, original_chars]).toEqual([true, whole.length])
    expect(whole.startsWith(preview as string)).toBe(true)
    // Throws for half of a character.
    expect(encodeURIComponent(preview as string)).toBeDefined()
  })

  it('cuts when there is no store, and for tools that ask for it', async () => {
    const say: RuntimeTool = { execute: () => 'x'.repeat(20_000) }
    const without = sceneOf({ say }, { runtime: { artifacts: undefined as never } })
    expect(await without.turn.run([call('say')])).toMatchObject([{ output: { truncated: true } }])
    const scene = sceneOf({ say: { ...say, oversizedOutput: 'truncate' } })
    expect(await scene.turn.run([call('say')])).toMatchObject([{ output: { truncated: true } }])
    expect(scene.artifacts.drafts.size).toBe(0)
  })

  it.each([
    ['nothing', undefined, { result: null }],
    ['null', null, { result: null }],
    ['text', 'hi', { result: 'hi' }],
    ['a list', [1, 2], { result: [1, 2] }],
    ['a date', new Date(0), { result: '1970-01-01T00:00:00.000Z' }],
    ['a mapping', { a: 1 }, { a: 1 }],
  ])('puts %s into a mapping', async (_, value, output) => {
    const scene = sceneOf({ say: { execute: () => value } })
    expect(await scene.turn.run([call('say')])).toMatchObject([{ kind: 'executed', output }])
  })

  it('fails for good when an output cannot be put into words', async () => {
    const loop: Record<string, unknown> = {}
    loop['self'] = loop
    for (const value of [
      { big: 1n },
      loop,
      {
        toJSON: () => {
          throw new Error('no')
        },
      },
    ]) {
      const scene = sceneOf({ say: { execute: () => value } })
      expect(await scene.turn.run([call('say')])).toMatchObject([
        { kind: 'failure', retryable: false, error: 'Tool output is not JSON-serialisable' },
      ])
      expect(await countersOf(scene.guard, 'say')).toMatchObject({ executions: 0, failuresInARow: 1 })
      expect(scene.guard.localSink.last()).toMatchObject({
        action: 'call_failed',
        outcome: { kind: 'failure' },
      })
    }
  })

  it('freezes what the model sees, and leaves the object of the tool alone', async () => {
    const own = { list: [1] }
    const scene = sceneOf({ say: { execute: () => own } })
    const [outcome] = await scene.turn.run([call('say')])
    own.list.push(2)
    expect(outcome).toMatchObject({ output: { list: [1] } })
    const { output } = outcome as ToolExecutionResult
    expect([outcome, output, output['list']].every(Object.isFrozen)).toBe(true)
  })
})

describe('secrets', () => {
  const places: readonly (readonly [string, () => unknown])[] = [
    [
      'across the length of a message',
      () => ({ text: `${'x'.repeat(11_980)} ${secret} ${'y'.repeat(5_000)}` }),
    ],
    ['in the value of a telling field', () => ({ password: 'hunter2-secret', fill: 'x'.repeat(13_000) })],
    ['at the very end', () => ({ text: 'x '.repeat(200_000), last: `Bearer ${secret}` })],
    [
      'in what was thrown',
      () => {
        throw new Error(`cannot connect with ${secret}`)
      },
    ],
    ['in what was reported', () => ({ error: { code: 7, token: 'hunter2-secret', text: secret } })],
  ]

  it.each(places)(
    '%s are not in the artifact, the summary, the message, the record or the state',
    async (_, execute) => {
      const scene = sceneOf({ write: { sideEffect: 'irreversible', execute } })
      const outcomes = await scene.turn.run([call('write')])
      const kept = JSON.stringify([
        outcomes,
        outcomes.map(outcomeToModelContent),
        [...scene.artifacts.drafts.values()],
        scene.turn.state.toolResults,
        scene.guard.localSink.events,
      ])
      expect(kept).not.toContain(secret)
      expect(kept).not.toContain('hunter2-secret')
      expect(kept).toContain('[REDACTED]')
    },
  )

  it('found by a contract are masked before anything is stored, shown or cited', async () => {
    const scene = sceneOf(
      {
        read: {
          sideEffect: 'read',
          execute: (_, { cite }) => {
            cite({ kind: 'web', source: `https://x.example/?key=${secret}` })
            return { text: `${'a'.repeat(12_000)} 078-05-1120` }
          },
        },
      },
      {
        contracts: [post('no-ssn', { 'output.text': { matches: String.raw`\d{3}-\d{2}-\d{4}` } }, 'redact')],
      },
    )
    const [outcome] = await scene.turn.run([call('read')])
    expect(outcome).toMatchObject({ kind: 'artifact' })
    expect(scene.artifacts.drafts.get('art_0')?.text).toContain('[REDACTED]')
    expect(scene.artifacts.drafts.get('art_0')?.text).not.toContain('078-05-1120')
    expect(scene.turn.state.citations).toEqual([{ kind: 'web', source: 'https://x.example/?key=[REDACTED]' }])
    expect(findingsOfOutcome(outcome as ToolOutcome)).toMatchObject([{ contractId: 'no-ssn' }])
  })

  it('that follow a masked one do not take the rest of the text with them', async () => {
    const rest = { after: 'still here', fill: 'z'.repeat(12_000) }
    const scene = sceneOf({ env: { execute: () => ({ text: 'export API_KEY=abcdef', ...rest }) } })
    await scene.turn.run([call('env')])
    expect(JSON.parse(scene.artifacts.drafts.get('art_0')?.text ?? '')).toEqual({
      text: 'export API_KEY=[REDACTED]',
      ...rest,
    })
  })

  it('are kept in by showing nothing when the redactor breaks', async () => {
    class Broken extends RedactionPolicy {
      override redactWhole(): unknown {
        throw new Error('broken')
      }
    }
    const scene = sceneOf(
      { say: { execute: () => secret + 'x'.repeat(12_000) } },
      { guard: { redaction: new Broken() } },
    )
    expect(await scene.turn.run([call('say')])).toMatchObject([
      { kind: 'executed', output: { output_suppressed: true, reason: 'redaction failed' } },
    ])
    expect(scene.artifacts.drafts.size).toBe(0)
  })

  it('are no reason to say that a call did not run: a suppressed output says what it is', async () => {
    const scene = sceneOf(
      { read: { sideEffect: 'read', execute: () => `key ${'x'.repeat(20_000)}` } },
      { contracts: [post('no-keys', { 'output.text': { contains: 'key' } }, 'deny')] },
    )
    expect(await scene.turn.run([call('read')])).toMatchObject([
      { kind: 'executed', output: { output_suppressed: true, reason: 'no-keys found something' } },
    ])
    expect(scene.artifacts.drafts.size).toBe(0)
    expect(await countersOf(scene.guard, 'read')).toMatchObject({ executions: 1 })
  })

  it('or not, warnings reach the model only when they should', async () => {
    const contracts = [post('careful', { 'output.text': { contains: 'key' } }, 'warn')]
    for (const includeWarnings of [false, true]) {
      const scene = sceneOf(
        { read: { sideEffect: 'read', execute: () => 'a key' } },
        { contracts, runtime: { includeWarnings } },
      )
      const [outcome] = await scene.turn.run([call('read')])
      const expected = includeWarnings
        ? { result: 'a key', warnings: [expect.stringContaining('careful')] }
        : { result: 'a key' }
      expect(outcome).toMatchObject({ output: expected })
      expect(findingsOfOutcome(outcome as ToolOutcome)).toMatchObject([{ contractId: 'careful' }])
    }
  })
})

describe('arguments', () => {
  const parameters = { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] }

  it('are judged as they will run: what breaks a contract only after it was fitted is denied', async () => {
    let ran = 0
    const scene = sceneOf(
      { pay: { parameters, execute: () => ++ran } },
      { contracts: [pre('small', { 'args.amount': { gt: 1_000 } })] },
    )
    const [outcome] = await scene.turn.run([call('pay', '{"amount":"5000"}')])
    expect(outcome).toMatchObject({
      kind: 'denied',
      reason: 'pre_hook',
      details: 'small says no',
      policy: { source: 'yaml_precondition', contractId: 'small', tags: [] },
    })
    expect(outcomeToModelContent(outcome as ToolOutcome)).toBe(
      '{"error":"Blocked: small says no","blocked":true}',
    )
    expect(ran).toBe(0)
  })

  it('are repaired at most twice, and run as repaired', async () => {
    const asked: unknown[] = []
    const repairArguments = async (_: unknown, errors: readonly string[], attempt: number) => {
      asked.push([errors, attempt])
      return attempt === 1 ? { amount: 'lots' } : { amount: 7 }
    }
    const seen: unknown[] = []
    const pay: RuntimeTool = { parameters, execute: (args) => seen.push(args) }
    const scene = sceneOf({ pay }, { runtime: { repairArguments } })
    expect(kindsOf(await scene.turn.run([call('pay', '{"amount":')]))).toEqual(['executed'])
    expect(seen).toEqual([{ amount: 7 }])
    expect(asked).toEqual([
      [['arguments are not valid JSON'], 1],
      [['amount must be integer'], 2],
    ])
    const hopeless = sceneOf({ pay }, { runtime: { repairArguments: async () => ({ amount: 'still' }) } })
    expect(await hopeless.turn.run([call('pay', {})])).toMatchObject([
      { kind: 'denied', reason: 'validation', details: 'amount must be integer' },
    ])
  })

  it.each([
    ['gives up', async () => null],
    [
      'throws',
      async () => {
        throw new Error('no')
      },
    ],
  ])('that nobody repairs are denied: the repairer %s', async (_, repairArguments) => {
    const scene = sceneOf({ pay: { parameters, execute: () => 1 } }, { runtime: { repairArguments } })
    expect(kindsOf(await scene.turn.run([call('pay', {})]))).toEqual(['denied validation'])
    expect(await countersOf(scene.guard, 'pay')).toMatchObject({ attempts: 1, executions: 0 })
  })

  it('reach the tool frozen', async () => {
    const scene = sceneOf({
      pay: {
        execute: (args) => {
          ;(args as { amount: number }).amount = 9
        },
      },
    })
    expect(await scene.turn.run([call('pay', { amount: 1 })])).toMatchObject([
      { kind: 'failure', error: expect.stringContaining('read only') },
    ])
  })
})

describe('consent', () => {
  const write: RuntimeTool = { sideEffect: 'write', execute: () => 'written' }

  it('is asked for once, after everything else agreed', async () => {
    const approvals: MemoryApprovalBackend = new MemoryApprovalBackend({
      onRequest: ({ approvalId }) => approvals.approve(approvalId),
    })
    const confirmWrite = vi.fn<() => Promise<boolean>>(async () => true)
    const contracts = [
      approve('ask', { 'tool.name': { equals: 'asked' } }),
      pre('no', { 'args.x': { exists: true } }),
    ]
    const tools = { asked: write, unasked: write, read: { ...write, sideEffect: 'read' as const } }
    const scene = sceneOf(tools, {
      contracts,
      guard: { approvalBackend: approvals },
      runtime: { confirmWrite },
    })
    expect(
      kindsOf(
        await scene.turn.run([call('asked'), call('unasked'), call('read'), call('unasked', { x: 1 })]),
      ),
    ).toEqual(['executed', 'executed', 'executed', 'denied pre_hook'])
    expect(confirmWrite).toHaveBeenCalledTimes(1)
  })

  it('of a person does not lift a boundary: whoever would be denied anyway is not asked about', async () => {
    const onRequest = vi.fn<() => void>()
    const sandbox = { id: 'box', type: 'sandbox', tool: '*', within: ['/workspace'], message: 'outside' }
    const scene = sceneOf(
      { write_file: write },
      {
        contracts: [approve('ask', always), sandbox],
        guard: { approvalBackend: new MemoryApprovalBackend({ onRequest }) },
      },
    )
    expect(await scene.turn.run([call('write_file', { path: '/etc/passwd' })])).toMatchObject([
      { kind: 'denied', reason: 'pre_hook', policy: { contractId: 'box' } },
    ])
    expect(onRequest).not.toHaveBeenCalled()
  })

  it.each([
    ['says no', async () => false],
    ['says something else', async () => 'yes' as never],
    [
      'throws',
      async () => {
        throw new Error('broken')
      },
    ],
  ])('that is not a plain yes is a no: the callback %s', async (_, confirmWrite) => {
    const scene = sceneOf({ write }, { runtime: { confirmWrite } })
    expect(kindsOf(await scene.turn.run([call('write')]))).toEqual(['denied write_denied'])
    expect(scene.guard.localSink.last()).toMatchObject({ decisionSource: 'harness:write_denied' })
  })

  it('that a tool always needs is missing when nobody is there to give it', async () => {
    const scene = sceneOf({ write: { ...write, confirmation: 'always' } })
    expect(kindsOf(await scene.turn.run([call('write')]))).toEqual(['denied write_denied'])
  })

  it('is not asked for where a tool says so', async () => {
    const confirmWrite = vi.fn<() => Promise<boolean>>(async () => false)
    const scene = sceneOf({ write: { ...write, confirmation: 'never' } }, { runtime: { confirmWrite } })
    expect(kindsOf(await scene.turn.run([call('write')]))).toEqual(['executed'])
    expect(confirmWrite).not.toHaveBeenCalled()
  })

  it('refused through a contract is a refused write, without a second event', async () => {
    const approvals: MemoryApprovalBackend = new MemoryApprovalBackend({
      onRequest: ({ approvalId }) => approvals.deny(approvalId, { reason: 'not today' }),
    })
    const scene = sceneOf(
      { write },
      { contracts: [approve('ask', always)], guard: { approvalBackend: approvals } },
    )
    expect(await scene.turn.run([call('write')])).toMatchObject([
      { kind: 'denied', reason: 'write_denied', details: 'not today', policy: { contractId: 'ask' } },
    ])
    expect(actionsOf(scene.guard)).toEqual(['call_approval_requested', 'call_approval_denied'])
  })

  it('that comes after the end of the turn is too late, unless the turn waits for people', async () => {
    for (const pauseBudgetDuringApproval of [false, true]) {
      const confirmWrite = async () => {
        scene.clock.block(10_000)
        return true
      }
      const scene = sceneOf(
        { write },
        { runtime: { confirmWrite, pauseBudgetDuringApproval }, turn: { timeoutS: 5 } },
      )
      expect(kindsOf(await scene.turn.run([call('write')]))).toEqual([
        pauseBudgetDuringApproval ? 'executed' : 'denied deadline',
      ])
    }
  })

  it('of the pre-tool hook comes before arguments are looked at, and fails closed', async () => {
    const answers: readonly (readonly [() => unknown, string])[] = [
      [() => ({ allow: true }), 'denied validation'],
      [() => ({ allow: false, reason: 'not now' }), 'denied pre_hook'],
      [() => undefined, 'denied pre_hook'],
      [
        () => {
          throw new Error('broken')
        },
        'denied pre_hook',
      ],
      [async () => Promise.reject(new Error('broken')), 'denied pre_hook'],
    ]
    for (const [onPreToolUse, expected] of answers) {
      const strict = { ...write, parameters: { type: 'object', required: ['x'] } }
      const scene = sceneOf({ strict }, { runtime: { onPreToolUse: onPreToolUse as never } })
      const outcomes = await scene.turn.run([call('strict')])
      expect(kindsOf(outcomes)).toEqual([expected])
      expect(JSON.stringify(outcomes)).not.toContain('broken')
    }
  })
})

describe('limits', () => {
  it('hold for reads that run together: the last slot goes to one of them', async () => {
    const read: RuntimeTool = { sideEffect: 'read', execute: async () => 'seen' }
    const scene = sceneOf(
      { one: read, two: read, three: read },
      { contracts: [session('two', { max_tool_calls: 2 })] },
    )
    await scene.turn.run([call('one')])
    const outcomes = await scene.turn.run([call('two'), call('three')])
    expect(kindsOf(outcomes)).toEqual(['executed', 'denied pre_hook'])
  })

  it.each([
    ['never', 'write', 4],
    ['writes', 'write', 3],
    ['writes', 'read', 4],
    ['always', 'read', 3],
  ] as const)(
    'count timeouts of %s: of four calls of a %s tool %i run',
    async (countTimeouts, sideEffect, expected) => {
      const scene = sceneOf(
        { deploy: { sideEffect, timeoutS: 1, execute: forever } },
        {
          contracts: [session('three', { max_calls_per_tool: { deploy: 3 } })],
          runtime: { countTimeouts, maxAbandonedCalls: 9 },
        },
      )
      const outcomes: ToolOutcome[] = []
      for (let times = 0; times < 4; times++) {
        const running = scene.turn.run([call('deploy')])
        await scene.clock.advance(1_000)
        outcomes.push(...(await running))
      }
      expect(kindsOf(outcomes).filter((kind) => kind === 'timeout')).toHaveLength(expected)
      expect(await countersOf(scene.guard, 'deploy')).toMatchObject({ attempts: 4, failuresInARow: expected })
    },
  )

  it('on attempts come before every gate of the runtime', async () => {
    const onPreToolUse = vi.fn<() => { allow: boolean }>(() => ({ allow: true }))
    const scene = sceneOf(
      { look: { sideEffect: 'read', execute: () => 1 } },
      { contracts: [session('tries', { max_attempts: 1 })], runtime: { onPreToolUse } },
    )
    const outcomes = await scene.turn.run([call('look'), call('look'), call('nowhere')])
    expect(kindsOf(outcomes)).toEqual(['executed', 'denied pre_hook', 'denied pre_hook'])
    expect(onPreToolUse).toHaveBeenCalledTimes(1)
  })

  it('are not touched by what is denied', async () => {
    const scene = sceneOf(
      { look: { execute: () => 1 } },
      { contracts: [pre('no', always)], turn: { maxToolCalls: 1 } },
    )
    await scene.turn.run([call('look'), call('look')])
    expect(await countersOf(scene.guard, 'look')).toEqual({
      attempts: 2,
      executions: 0,
      toolExecutions: 0,
      failuresInARow: 0,
    })
    expect(scene.turn.budget.snapshot()).toMatchObject({ tool_calls_used: 0 })
  })
})

describe('a failure', () => {
  it('for good blocks the tool for the rest of the turn, and not for the next', async () => {
    const scene = sceneOf({
      dead: {
        execute: () => {
          throw Object.assign(new Error('gone'), { retryable: false })
        },
      },
    })
    expect(kindsOf(await scene.turn.run([call('dead'), call('dead')]))).toEqual(['failure', 'denied blocked'])
    expect([...scene.turn.state.blockedToolNames]).toEqual(['dead'])
    expect(kindsOf(await scene.runtime.startTurn().run([call('dead')]))).toEqual(['failure'])
  })

  it.each([
    [
      'an error that was thrown',
      () => {
        throw new Error('boom')
      },
      'boom',
    ],
    [
      'a text that was thrown',
      () => {
        throw 'boom' as unknown as Error
      },
      'boom',
    ],
    ['a text that starts like an error', () => 'Error: boom', 'Error: boom'],
    ['a mapping that says so', () => ({ is_error: true, message: 'boom' }), 'boom'],
    ['a mapping with an error', () => ({ error: 'boom' }), 'boom'],
    ['a mapping with a structured error', () => ({ error: { message: 'boom' } }), 'boom'],
    ['nothing but the fact', () => ({ is_error: true }), 'Tool reported failure'],
    ['more than anybody reads', () => ({ error: 'x'.repeat(50_000) }), `${'x'.repeat(1_997)}...`],
  ])('is told from %s', async (_, execute, error) => {
    const scene = sceneOf({ tool: { execute } })
    expect(await scene.turn.run([call('tool')])).toMatchObject([{ kind: 'failure', error, retryable: true }])
    expect(await countersOf(scene.guard, 'tool')).toMatchObject({ executions: 0, failuresInARow: 1 })
  })

  it.each([null, undefined, false, ''])('is not an `error` that is %o', async (error) => {
    const scene = sceneOf({ tool: { execute: () => ({ error, rows: 3 }) } })
    expect(kindsOf(await scene.turn.run([call('tool')]))).toEqual(['executed'])
  })

  it('is not an `error` where that is only data', async () => {
    const scene = sceneOf(
      { tool: { execute: () => ({ error: 'E42' }) } },
      { runtime: { errorKeyIsFailure: false } },
    )
    expect(kindsOf(await scene.turn.run([call('tool')]))).toEqual(['executed'])
  })

  it('is a result that the success check cannot judge, for good', async () => {
    const successCheck = () => {
      throw new Error('bug')
    }
    const scene = sceneOf({ tool: { execute: () => 'fine' } }, { guard: { successCheck } })
    expect(await scene.turn.run([call('tool')])).toMatchObject([{ kind: 'failure', retryable: false }])
  })

  it('is a tool nobody knows, whatever it is called', async () => {
    for (const name of [
      'nowhere',
      '',
      '../../etc',
      'a\u0000b',
      'x'.repeat(20_000),
      'constructor',
      '__proto__',
    ]) {
      const scene = sceneOf({ known: { execute: () => 1 } })
      const [outcome] = await scene.turn.run([call(name, {}, 'c')])
      expect(outcome).toMatchObject({
        kind: 'failure',
        callId: 'c',
        toolName: name,
        retryable: false,
        elapsedMs: 0,
      })
      expect(scene.guard.localSink.events).toMatchObject([
        { action: 'call_denied', decisionSource: 'harness:unknown_tool', outcome: { kind: 'failure' } },
      ])
    }
  })

  it('of the guard to judge says nothing of its cause to the model', async () => {
    const backend = {
      get: async () => null,
      set: async () => undefined,
      delete: async () => undefined,
      increment: async () => Promise.reject(new Error('redis at 10.0.0.7 is down')),
    }
    const scene = sceneOf({ tool: { execute: () => 1 } }, { guard: { backend } })
    const [outcome] = await scene.turn.run([call('tool')])
    expect(outcome).toMatchObject({
      kind: 'denied',
      reason: 'pre_hook',
      details: 'The call could not be judged, so it was not run.',
    })
    expect(scene.guard.localSink.last()?.reason).toContain('10.0.0.7')
  })

  it('to record the admission stops the call and costs no allowance', async () => {
    let ran = 0
    const auditSink = {
      emit: () => {
        throw new Error('disk full')
      },
    }
    const scene = sceneOf({ tool: { execute: () => ++ran } }, { guard: { auditSink } })
    expect(kindsOf(await scene.turn.run([call('tool')]))).toEqual(['denied pre_hook'])
    expect(ran).toBe(0)
    expect(scene.turn.budget.snapshot()).toMatchObject({ tool_calls_used: 0 })
  })
})

describe('a cancelled turn', () => {
  it('ends what runs as cancelled, starts nothing else, and writes nothing any more', async () => {
    const scene = sceneOf({ slow: { execute: forever }, next: { execute: () => 1 } })
    const running = scene.turn.run([call('slow'), call('next')])
    await settle()
    scene.turn.cancel(new Error('enough'))
    expect(await running).toMatchObject([
      { kind: 'failure', error: 'Cancelled', retryable: true },
      { kind: 'denied', reason: 'cancelled', details: 'enough' },
    ])
    expect([...scene.turn.state.toolTrace.values()]).toEqual([{ toolName: 'slow', status: 'cancelled' }])
    expect(scene.turn.state.isAcceptingWrites()).toBe(false)
    expect(scene.clock.pendingTimers).toBe(0)
  })

  it('follows the signal of the caller, also one that is aborted already', async () => {
    const controller = new AbortController()
    const tools = { slow: { execute: forever } }
    const scene = sceneOf(tools, { turn: { signal: controller.signal } })
    const running = scene.turn.run([call('slow')])
    await settle()
    controller.abort(new Error('the user left'))
    expect(kindsOf(await running)).toEqual(['failure'])
    const later = sceneOf(tools, { turn: { signal: controller.signal } })
    expect(await later.turn.run([call('slow')])).toMatchObject([
      { reason: 'cancelled', details: 'the user left' },
    ])
  })

  it('is what closing makes of one in which something still runs', async () => {
    const scene = sceneOf({ slow: { execute: forever } })
    const running = scene.turn.run([call('slow')])
    await settle()
    scene.turn.close()
    expect(await running).toMatchObject([{ kind: 'failure', error: 'Cancelled' }])
  })
})

describe('the calls of a step', () => {
  it('run in waves, and their outcomes stand in the order of the calls', async () => {
    const log: string[] = []
    const slowly = (name: string, sideEffect: 'read' | 'write'): RuntimeTool => ({
      sideEffect,
      execute: async () => {
        log.push(`${name} starts`)
        await Promise.resolve()
        log.push(`${name} ends`)
        return name
      },
    })
    const tools = {
      a: slowly('a', 'read'),
      b: slowly('b', 'read'),
      w: slowly('w', 'write'),
      c: slowly('c', 'read'),
    }
    const scene = sceneOf(tools)
    const outcomes = await scene.turn.run([
      call('a', {}, '1'),
      call('b', {}, '2'),
      call('w', {}, '3'),
      call('c', {}, '4'),
    ])
    expect(outcomes.map(({ callId, toolName }) => callId + toolName)).toEqual(['1a', '2b', '3w', '4c'])
    expect(log).toEqual([
      'a starts',
      'b starts',
      'a ends',
      'b ends',
      'w starts',
      'w ends',
      'c starts',
      'c ends',
    ])
    log.length = 0
    const oneByOne = sceneOf(tools, { runtime: { parallel: false } })
    await oneByOne.turn.run([call('a'), call('b')])
    expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends'])
  })

  it('take what nobody declared for irreversible, and run it alone', async () => {
    let running = 0
    let most = 0
    const tool: RuntimeTool = {
      execute: async () => {
        most = Math.max(most, ++running)
        await Promise.resolve()
        running--
      },
    }
    const scene = sceneOf({ a: tool, b: tool })
    await scene.turn.run([call('a'), call('b')])
    expect(most).toBe(1)
  })

  it('may share an id, or have none: each gets its own outcome and its own trace', async () => {
    const scene = sceneOf({ tool: { execute: () => 1 } })
    const broken = [null, { name: 'tool' }, { id: 7, name: 'tool' }] as never[]
    const outcomes = await scene.turn.run([call('tool', {}, 'same'), call('tool', {}, 'same'), ...broken])
    expect(outcomes.map(({ callId }) => callId)).toEqual(['same', 'same', '', '', ''])
    expect(kindsOf(outcomes)).toEqual(['executed', 'executed', 'failure', 'executed', 'executed'])
    expect(scene.turn.state.toolTrace.size).toBe(4)
    expect(new Set(scene.guard.localSink.events.map((event) => event.callId)).size).toBe(5)
  })

  it('carry who they are made for', async () => {
    const turn = {
      principal: { userId: 'u', role: 'analyst' },
      environment: 'staging',
      metadata: { ticket: 7 },
    }
    const contracts = [pre('no-analysts', { 'principal.role': { equals: 'analyst' } })]
    const scene = sceneOf({ tool: { execute: () => 1 } }, { contracts, turn })
    expect(kindsOf(await scene.turn.run([call('tool')]))).toEqual(['denied pre_hook'])
    expect(scene.guard.localSink.last()).toMatchObject({
      environment: 'staging',
      principal: { user_id: 'u' },
      sessionId: 's',
    })
  })
})

describe('a source', () => {
  it('counts only when the call succeeds, and not once it is over', async () => {
    let citeLater: () => void = () => undefined
    const scene = sceneOf({
      good: {
        execute: (_, { cite }) => {
          cite({ kind: 'local', source: 'a.md' })
          citeLater = () => cite({ kind: 'local', source: 'late.md' })
        },
      },
      bad: {
        execute: (_, { cite }) => {
          cite({ kind: 'local', source: 'b.md' })
          throw new Error('boom')
        },
      },
    })
    await scene.turn.run([call('good'), call('bad')])
    citeLater()
    expect(scene.turn.state.citations).toEqual([{ kind: 'local', source: 'a.md' }])
  })
})
