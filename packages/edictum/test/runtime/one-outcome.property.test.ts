// Whatever gates, tools, people and stores do, and in whatever combination: one outcome and one message per call, and
// everything that is kept agrees with it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { ApprovalBackend, AuditEvent } from '../../src/index.js'
import {
  openAiToolMessages,
  outcomeBlocksTool,
  outcomeToModelContent,
  type RuntimeTool,
  type ToolContext,
  type ToolOutcome,
} from '../../src/runtime/index.js'
import { approve, post, pre, session } from '../guard/bundles.js'
import { settle } from '../../src/testing/fake-clock.js'
import { countersOf, type Scene, sceneOf } from './runtimes.js'

const behaviours = [
  'returns',
  'returns much',
  'returns an error',
  'returns nonsense',
  'throws',
  'throws for good',
  'rejects',
  'hangs',
  'settles late',
  'rejects late',
  'blocks',
  'obeys the signal',
] as const
type Behaviour = (typeof behaviours)[number]

const toolTimeoutMs = 1_000

/** How a call can end whose tool behaved like this; any of them may also be cancelled while it runs. */
const endings: Readonly<Record<Behaviour, readonly ToolOutcome['kind'][]>> = {
  returns: ['executed'],
  'returns much': ['artifact', 'executed'],
  'returns an error': ['failure'],
  // A postcondition that cannot read the output suppresses it, and what is said instead can be put into words.
  'returns nonsense': ['failure', 'executed'],
  throws: ['failure'],
  'throws for good': ['failure'],
  rejects: ['failure', 'timeout'],
  hangs: ['timeout'],
  'settles late': ['timeout'],
  'rejects late': ['timeout'],
  blocks: ['timeout'],
  'obeys the signal': ['timeout'],
}

/** A tool that fails when it should have stopped already has stopped. */
const endingsWhenLate: Partial<typeof endings> = {
  throws: ['timeout'],
  'throws for good': ['timeout'],
}

/** What each call's tool was seen to do, by the id the call has on record. */
type Started = Map<string, { readonly behaviour: Behaviour; readonly wasLate: boolean }>

function endingsOf({ behaviour, wasLate }: { behaviour: Behaviour; wasLate: boolean }) {
  return (wasLate ? endingsWhenLate[behaviour] : undefined) ?? endings[behaviour]
}

function behave(behaviour: Behaviour, { signal }: ToolContext, scene: Scene): unknown {
  const after = async (milliseconds: number, act: () => unknown) =>
    new Promise((resolve, reject) => {
      scene.clock.setTimeout(() => {
        try {
          resolve(act())
        } catch (error) {
          reject(error as Error)
        }
      }, milliseconds)
    })
  const fail = () => {
    throw new Error('boom')
  }
  switch (behaviour) {
    case 'returns':
      return { fine: true }
    case 'returns much':
      return 'x'.repeat(13_000)
    case 'returns an error':
      return { error: 'no' }
    case 'returns nonsense':
      return { big: 1n }
    case 'throws':
      return fail()
    case 'throws for good':
      throw Object.assign(new Error('gone'), { retryable: false })
    case 'rejects':
      return after(10, fail)
    case 'hangs':
      return new Promise(() => undefined)
    case 'settles late':
      return after(toolTimeoutMs + 1, () => 'x'.repeat(13_000))
    case 'rejects late':
      return after(toolTimeoutMs + 1, fail)
    case 'blocks':
      scene.clock.block(toolTimeoutMs + 1)
      return 'done'
    case 'obeys the signal':
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
    default:
      return behaviour satisfies never
  }
}

const answers = {
  yes: { approved: true, status: 'approved' },
  no: { approved: false, status: 'denied' },
  nobody: { approved: false, status: 'timeout' },
} as const

const parameters = { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false }
const tools = ['read', 'look', 'write', 'remove'] as const

const someCall = fc.record({
  name: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...tools) },
    { weight: 1, arbitrary: fc.constant('nowhere') },
  ),
  args: fc.constantFrom<unknown>(
    { n: 1 },
    { n: '1' },
    { n: 2 },
    { n: 13 },
    { n: 14 },
    { x: 1 },
    '{"n":1}',
    '{"n":',
    null,
  ),
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  behaviour: fc.constantFrom(...behaviours),
})

const someWorld = fc.record({
  steps: fc.array(fc.array(someCall, { maxLength: 4 }), { minLength: 1, maxLength: 3 }),
  mode: fc.constantFrom('enforce' as const, 'observe' as const),
  hook: fc.constantFrom('none', 'allows', 'denies', 'throws', 'hangs a little'),
  confirmation: fc.constantFrom('none', 'yes', 'no', 'throws', 'takes long'),
  approval: fc.constantFrom<keyof typeof answers>('yes', 'no', 'nobody'),
  repairs: fc.constantFrom('none', 'well', 'badly', 'throws'),
  storeIsBroken: fc.boolean(),
  postcondition: fc.constantFrom('warn', 'redact', 'deny'),
  maxToolCalls: fc.integer({ min: 0, max: 6 }),
  maxAttempts: fc.integer({ min: 1, max: 20 }),
  timeoutS: fc.constantFrom(2, 60),
  cancelAfterMs: fc.option(fc.integer({ min: 0, max: 3_000 }), { nil: undefined }),
})
type World = typeof someWorld extends fc.Arbitrary<infer Shape> ? Shape : never

function sceneFor(world: World, started: Started): Scene {
  const pending: Behaviour[] = world.steps.flat().map(({ behaviour }) => behaviour)
  const execute: RuntimeTool['execute'] = (_, context) => {
    const behaviour = pending.shift() ?? 'returns'
    const { callId } = context.envelope
    expect(started.has(callId)).toBe(false)
    started.set(callId, { behaviour, wasLate: context.deadline.isExpired() })
    return behave(behaviour, context, scene)
  }
  const approvals: ApprovalBackend = {
    requestApproval: async () => ({ approvalId: 'a' }),
    waitForDecision: async () => answers[world.approval],
  }
  const broken = async () => Promise.reject(new Error('broken'))
  const hooks = {
    none: undefined,
    allows: async () => ({ allow: true }),
    denies: async () => ({ allow: false, reason: 'hook' }),
    throws: broken,
    'hangs a little': async () => {
      scene.clock.block(100)
      return { allow: true }
    },
  } as Record<string, (() => Promise<{ allow: boolean }>) | undefined>
  const confirmations = {
    none: undefined,
    yes: async () => true,
    no: async () => false,
    throws: broken,
    'takes long': async () => {
      scene.clock.block(1_500)
      return true
    },
  } as Record<string, (() => Promise<boolean>) | undefined>
  const repairers = {
    none: undefined,
    well: async () => ({ n: 1 }),
    badly: async () => ({ n: 'x' }),
    throws: broken,
  } as Record<string, (() => Promise<Record<string, unknown>>) | undefined>
  const onPreToolUse = hooks[world.hook]
  const confirmWrite = confirmations[world.confirmation]
  const repairArguments = repairers[world.repairs]
  const common = { parameters, timeoutS: toolTimeoutMs / 1_000, execute }
  const scene: Scene = sceneOf(
    {
      read: { ...common, sideEffect: 'read', idempotent: true },
      look: { ...common, sideEffect: 'read', idempotent: true, resourceKeys: ['elsewhere'] },
      write: { ...common, sideEffect: 'write' },
      remove: { ...common, retryOnTimeout: false },
    },
    {
      contracts: [
        pre('no-13', { 'args.n': { equals: 13 } }),
        approve('ask-14', { 'args.n': { equals: 14 } }, { timeout: 1 }),
        post('found', { 'output.text': { contains: 'fine' } }, world.postcondition),
        session('tries', { max_attempts: world.maxAttempts }),
      ],
      guard: { mode: world.mode, approvalBackend: approvals },
      runtime: {
        ...(onPreToolUse === undefined ? {} : { onPreToolUse }),
        ...(confirmWrite === undefined ? {} : { confirmWrite }),
        ...(repairArguments === undefined ? {} : { repairArguments }),
        maxAbandonedCalls: 2,
      },
      turn: { timeoutS: world.timeoutS, maxToolCalls: world.maxToolCalls, toolFloorS: 0.5 },
    },
  )
  scene.artifacts.isBroken = world.storeIsBroken
  return scene
}

const terminal = new Set([
  'call_denied',
  'call_approval_denied',
  'call_approval_timeout',
  'call_executed',
  'call_failed',
])

/** The action that has to be the last of a call with this outcome. */
function expectedEnd(outcome: ToolOutcome): readonly string[] {
  switch (outcome.kind) {
    case 'executed':
    case 'artifact':
      return ['call_executed']
    case 'timeout':
      return ['call_failed']
    case 'failure':
      return ['call_failed', 'call_denied']
    case 'denied':
      return ['call_denied', 'call_approval_denied', 'call_approval_timeout']
    default:
      return outcome satisfies never
  }
}

function checkRecord(events: readonly AuditEvent[], outcome: ToolOutcome): void {
  const before = events.filter(({ action }) => action !== 'late_result_discarded')
  const ends = before.filter(({ action }) => terminal.has(action))
  const last = before.at(-1)
  expect(expectedEnd(outcome)).toContain(last?.action)
  // Nobody answered, which denies; any other terminal event stands alone.
  expect(ends.filter(({ action }) => action !== 'call_approval_timeout').length).toBeLessThanOrEqual(1)
  if (last?.outcome !== undefined) expect(last.outcome.kind).toBe(outcome.kind)
  if (outcome.kind === 'denied' && last?.outcome !== undefined)
    expect(last.outcome.reason).toBe(outcome.reason)
  expect(events.length - before.length).toBeLessThanOrEqual(1)
}

async function live(world: World): Promise<void> {
  const started: Started = new Map()
  const scene = sceneFor(world, started)
  const { guard, turn, clock, artifacts } = scene
  const outcomes: ToolOutcome[] = []
  const calls = world.steps.map((step) => step.map(({ id, name, args }) => ({ id, name, arguments: args })))
  if (world.cancelAfterMs !== undefined) clock.setTimeout(() => turn.cancel(), world.cancelAfterMs)
  for (const step of calls) {
    let ended: readonly ToolOutcome[] | undefined
    const running = turn.run(step).then((result) => (ended = result))
    for (let times = 0; ended === undefined && times < 40; times++) await clock.advance(500)
    const got = await running
    expect(got.map(({ callId, toolName }) => [callId, toolName])).toEqual(
      step.map(({ id, name }) => [id, name]),
    )
    const messages = openAiToolMessages(got)
    expect(messages.map((message) => message.tool_call_id)).toEqual(step.map(({ id }) => id))
    for (const { content } of messages) expect(typeof JSON.parse(content)).toBe('object')
    outcomes.push(...got)
  }
  await clock.advance(5_000)
  await settle()

  const byCall = new Map<string, AuditEvent[]>()
  for (const event of guard.localSink.events) {
    byCall.set(event.callId, [...(byCall.get(event.callId) ?? []), event])
  }
  const order = [...byCall.values()].toSorted((a, b) => (a[0]?.callIndex ?? 0) - (b[0]?.callIndex ?? 0))
  expect(order).toHaveLength(outcomes.length)
  for (const [index, outcome] of outcomes.entries()) {
    const events = order[index] ?? []
    checkRecord(events, outcome)
    const tool = started.get(events[0]?.callId ?? '')
    if (tool === undefined) expect(['denied', 'failure']).toContain(outcome.kind)
    else if (outcome.kind !== 'failure' || outcome.error !== 'Cancelled')
      expect(endingsOf(tool)).toContain(outcome.kind)
    expect(Object.isFrozen(outcome)).toBe(true)
    expect(outcomeToModelContent(outcome).length).toBeLessThanOrEqual(12_000)
  }

  const ran = outcomes.filter(({ kind }) => kind === 'executed' || kind === 'artifact')
  const writesTimedOut = outcomes.filter(
    ({ kind, toolName }) => kind === 'timeout' && ['write', 'remove'].includes(toolName),
  )
  let attempts = 0
  for (const name of tools) {
    const counters = await countersOf(guard, name)
    attempts = counters.attempts
    const counted = [...ran, ...writesTimedOut].filter(({ toolName }) => toolName === name)
    expect(counters.toolExecutions).toBe(counted.length)
    expect(counters.executions).toBe(ran.length + writesTimedOut.length)
  }
  expect(attempts).toBe(outcomes.length)
  // Calls of one wave are stored in the order they end, not in the order they were made.
  expect([...artifacts.drafts.keys()].toSorted()).toEqual(
    outcomes.flatMap((outcome) => (outcome.kind === 'artifact' ? [outcome.artifactId] : [])).toSorted(),
  )
  expect(turn.state.running).toBe(0)
  expect(started.size).toBeLessThanOrEqual(world.maxToolCalls)
  expect(turn.budget.snapshot()['tool_calls_used']).toBe(started.size)
  if (world.cancelAfterMs === undefined) {
    expect(turn.state.toolResults).toEqual(expect.arrayContaining(outcomes))
    expect([...turn.state.blockedToolNames].toSorted()).toEqual(
      [...new Set(outcomes.filter(outcomeBlocksTool).map(({ toolName }) => toolName))].toSorted(),
    )
  }
}

/** One call blocks until the turn is over, the next one throws when it is its turn. */
const lateThrow: World = {
  steps: [
    [
      { name: 'write', args: { n: 1 }, id: 'a', behaviour: 'obeys the signal' },
      { name: 'look', args: { n: 1 }, id: 'b', behaviour: 'blocks' },
      { name: 'read', args: { n: 1 }, id: 'c', behaviour: 'throws' },
    ],
  ],
  mode: 'enforce',
  hook: 'none',
  confirmation: 'none',
  approval: 'yes',
  repairs: 'none',
  storeIsBroken: false,
  postcondition: 'warn',
  maxToolCalls: 4,
  maxAttempts: 6,
  timeoutS: 2,
  cancelAfterMs: undefined,
}

describe('any combination of gates, tools, people and time', () => {
  it(
    'ends in exactly one outcome and one message per call, and all records agree',
    { timeout: 120_000 },
    async () => {
      await fc.assert(fc.asyncProperty(someWorld, live), { numRuns: 300, examples: [[lateThrow]] })
    },
  )
})
