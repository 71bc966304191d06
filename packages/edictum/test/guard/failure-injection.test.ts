// What happens when something around the call fails. What is expected is `failures.json`, one row per part and way of
// failing; the page on failures is generated from it.
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import {
  type ApprovalBackend,
  type AuditSink,
  type Edictum,
  type EdictumOptions,
  HookDecision,
  MemoryBackend,
  postcondition,
  precondition,
  sessionContract,
  type StorageBackend,
  Verdict,
} from '../../src/index.js'
import { atomicStepsOf } from '../../src/guard/ports/storage-backend.js'
import { always, approve, guardOf, session } from './bundles.js'

const never = async (): Promise<never> => new Promise<never>(() => undefined)
const throws = (): never => {
  throw new Error('broken')
}
const rejects = async (): Promise<never> => throws()

/** The two atomic steps answer as they should, except where a row says otherwise. */
function storage(broken: Partial<Record<keyof StorageBackend, unknown>>): StorageBackend {
  const memory = new MemoryBackend()
  const { reserve, settle } = atomicStepsOf(memory) ?? {}
  return {
    get: async (key: string) => memory.get(key),
    set: async (key: string, value: string) => memory.set(key, value),
    delete: async (key: string) => memory.delete(key),
    increment: async (key: string, amount?: number) => memory.increment(key, amount),
    reserve,
    settle,
    ...broken,
  } as StorageBackend
}

/** Around the memory backend, as a user would write it: everything passes, one method fails. */
function wrapped(method: keyof StorageBackend, answer: unknown): StorageBackend {
  return new Proxy<StorageBackend>(new MemoryBackend(), {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target)
      return key === method ? answer : typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

function sink(emit: unknown): AuditSink {
  return { emit } as AuditSink
}

function approvals(requestApproval: unknown, waitForDecision: unknown): ApprovalBackend {
  return { requestApproval, waitForDecision } as ApprovalBackend
}

const filed = async () => ({ approvalId: 'a' })

/** One row of `failures.json`, which the page on failures shows. */
interface Row {
  readonly part: string
  readonly fails: string
  /** How often the tool ran, how the call ended for the caller, the one terminal event and who is named in it. */
  readonly ran: 0 | 1
  readonly ends: 'returns' | 'EdictumDenied' | 'EdictumToolError'
  readonly event: string
  readonly source: string | null
}

interface Setup {
  readonly options: EdictumOptions
  readonly contracts?: readonly object[]
}

const rows = JSON.parse(readFileSync(new URL('failures.json', import.meta.url), 'utf8')) as readonly Row[]

const asking = [approve('ask', always, { timeout: 1 })]

/** How each row of the table is brought about. */
const setups: Readonly<Record<string, Setup>> = {
  'storage, first step | throws': {
    options: { backend: storage({ reserve: throws }) },
  },
  'storage, first step | rejects': {
    options: { backend: storage({ reserve: rejects }) },
  },
  'storage, first step | never answers': {
    options: { backend: storage({ reserve: never }) },
  },
  'storage, first step | answers nonsense': {
    options: { backend: storage({ reserve: async () => ({}) }) },
  },
  'storage, first step | counts in NaN': {
    options: {
      backend: storage({
        reserve: () => ({ counters: { attempts: Number.NaN }, slot: { kind: 'taken', id: '1' } }),
      }),
    },
  },
  'wrapped storage | never answers': {
    options: { backend: wrapped('increment', never) },
  },
  'wrapped storage | cannot increment': {
    options: { backend: wrapped('increment', rejects) },
  },
  'wrapped storage | cannot read': {
    options: { backend: wrapped('batchGet', rejects) },
  },
  'storage, settling | throws': {
    options: { backend: storage({ settle: throws }) },
  },
  'storage, settling | rejects': {
    options: { backend: storage({ settle: rejects }) },
  },
  'storage, settling | never answers': {
    options: { backend: storage({ settle: never }) },
  },
  'storage, settling | answers nonsense': {
    options: { backend: storage({ settle: async () => ({}) }) },
  },
  'approval request | throws': {
    contracts: asking,
    options: { approvalBackend: approvals(throws, throws) },
  },
  'approval request | rejects': {
    contracts: asking,
    options: { approvalBackend: approvals(rejects, throws) },
  },
  'approval request | never answers': {
    contracts: asking,
    options: { approvalBackend: approvals(never, throws) },
  },
  'approval request | answers nonsense': {
    contracts: asking,
    options: { approvalBackend: approvals(async () => undefined, throws) },
  },
  'approval decision | throws': {
    contracts: asking,
    options: { approvalBackend: approvals(filed, throws) },
  },
  'approval decision | rejects': {
    contracts: asking,
    options: { approvalBackend: approvals(filed, rejects) },
  },
  'approval decision | never answers': {
    contracts: asking,
    options: { approvalBackend: approvals(filed, never) },
  },
  'approval decision | answers nonsense': {
    contracts: asking,
    options: { approvalBackend: approvals(filed, async () => 'yes') },
  },
  'approval decision | says approved without a status': {
    contracts: asking,
    options: { approvalBackend: approvals(filed, async () => ({ approved: true })) },
  },
  'approval decision | is still pending': {
    contracts: asking,
    options: { approvalBackend: approvals(filed, async () => ({ approved: true, status: 'pending' })) },
  },
  'audit sink, before the call | throws': {
    options: { auditSink: sink(throws) },
  },
  'audit sink, before the call | rejects': {
    options: { auditSink: sink(rejects) },
  },
  'audit sink, before the call | never answers': {
    options: { auditSink: sink(never) },
  },
  'audit sink, after the call | throws': {
    options: { auditSink: sink(failingFrom(2, throws)) },
  },
  'audit sink, after the call | rejects': {
    options: { auditSink: sink(failingFrom(2, rejects)) },
  },
  'audit sink, after the call | never answers': {
    options: { auditSink: sink(failingFrom(2, never)) },
  },
  'before-hook | throws': {
    options: { hooks: [{ phase: 'before', tool: '*', callback: throws }] },
  },
  'before-hook | rejects': {
    options: { hooks: [{ phase: 'before', tool: '*', callback: rejects }] },
  },
  'before-hook | never answers': {
    options: { hooks: [{ phase: 'before', tool: '*', callback: never }] },
  },
  'before-hook | answers nonsense': {
    options: { hooks: [{ phase: 'before', tool: '*', callback: (() => true) as never }] },
  },
  'before-hook | has a filter that throws': {
    options: {
      hooks: [{ phase: 'before', tool: '*', callback: () => HookDecision.deny('no'), when: throws }],
    },
  },
  'after-hook | throws': {
    options: { hooks: [{ phase: 'after', tool: '*', callback: throws }] },
  },
  'after-hook | rejects': {
    options: { hooks: [{ phase: 'after', tool: '*', callback: rejects }] },
  },
  'after-hook | never answers': {
    options: { hooks: [{ phase: 'after', tool: '*', callback: never }] },
  },
  'contract in code | throws': {
    options: { contracts: [precondition('*', throws)] },
  },
  'contract in code | rejects': {
    options: { contracts: [precondition('*', rejects)] },
  },
  'contract in code | never answers': {
    options: { contracts: [precondition('*', never)] },
  },
  'contract in code | answers nonsense': {
    options: { contracts: [precondition('*', (() => true) as never)] },
  },
  'contract in code | has a filter that throws': {
    options: { contracts: [precondition('*', () => Verdict.fail('no'), { when: throws })] },
  },
  'session contract in code | throws': {
    options: { contracts: [sessionContract(throws)] },
  },
  'session contract in code | rejects': {
    options: { contracts: [sessionContract(rejects)] },
  },
  'session contract in code | never answers': {
    options: { contracts: [sessionContract(never)] },
  },
  'session contract in code | answers nonsense': {
    options: { contracts: [sessionContract((() => true) as never)] },
  },
  'postcondition in code | throws': {
    options: { contracts: [postcondition('*', throws)] },
  },
  'postcondition in code | rejects': {
    options: { contracts: [postcondition('*', rejects)] },
  },
  'postcondition in code | never answers': {
    options: { contracts: [postcondition('*', never)] },
  },
  'postcondition in code | answers nonsense': {
    options: { contracts: [postcondition('*', (() => true) as never)] },
  },
  'operator of the user | throws': {
    contracts: [
      {
        id: 'c',
        type: 'pre',
        tool: '*',
        when: { 'tool.name': { mine: 1 } },
        then: { effect: 'deny', message: 'm' },
      },
    ],
    options: { customOperators: { mine: throws } },
  },
  'principal resolver | throws': {
    options: { principalResolver: throws },
  },
  'principal resolver | rejects': {
    options: { principalResolver: rejects as never },
  },
  'principal resolver | answers nonsense': {
    options: { principalResolver: (() => 'root') as never },
  },
  'principal resolver | answers with a promise': {
    options: { principalResolver: (async () => ({ role: 'admin' })) as never },
  },
  'success check | throws': {
    options: { successCheck: throws },
  },
  'success check | rejects': {
    options: { successCheck: rejects as never },
  },
  'success check | never answers': {
    options: { successCheck: never as never },
  },
  'success check | answers with a promise': {
    options: { successCheck: (async () => true) as never },
  },
  'onDeny and onAllow | throw': {
    options: { onAllow: throws, onDeny: throws },
  },
  'onDeny and onAllow | reject': {
    options: { onAllow: rejects as never, onDeny: rejects as never },
  },
}

/** Fine at first, broken from the n-th event on. */
function failingFrom(first: number, fail: () => Promise<never> | never): () => Promise<void> | void {
  let events = 0
  return () => (++events >= first ? fail() : undefined)
}

function backwards(): () => number {
  let now = 1_000_000
  return () => (now -= 1_000)
}

const terminalActions = new Set([
  'call_denied',
  'call_executed',
  'call_failed',
  'call_approval_denied',
  'call_approval_timeout',
])

describe('when a part fails', () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  beforeEach(() => {
    unhandled.length = 0
    process.on('unhandledRejection', note)
  })
  afterEach(() => {
    process.off('unhandledRejection', note)
  })

  it.each(rows)(
    '$part $fails: the tool runs $ran times, $event',
    async ({ ran, ends, event, source, ...row }) => {
      const { options, contracts = [] } = setupOf(row)
      const guard = guardOf([...contracts, session('s', { max_tool_calls: 1_000 })], {
        portTimeoutMs: 20,
        codeTimeoutMs: 20,
        ...options,
      })
      let runs = 0
      const end = await guard
        .run('T', { x: 1 }, () => ++runs)
        .then(
          () => 'returns',
          (error: unknown) => (error as Error).name,
        )
      expect({ runs, end }).toEqual({ runs: ran, end: ends })
      const terminals = guard.localSink.events.filter(({ action }) => terminalActions.has(action))
      expect(terminals.map(({ action, decisionSource }) => [action, decisionSource])).toEqual([
        [event, source],
      ])
      await new Promise<void>((resolve) => setTimeout(resolve, 30))
      expect(unhandled).toEqual([])
      if (ends === 'EdictumDenied') await expectNoLeak(guard)
    },
  )

  it.each([
    ['stands still', () => 5],
    ['runs backwards', backwards()],
    ['says nonsense', () => Number.NaN],
  ])('the clock %s: the call has taken no time', async (_, now) => {
    const guard = guardOf([])
    vi.spyOn(performance, 'now').mockImplementation(now)
    onTestFinished(() => void vi.restoreAllMocks())
    expect(await guard.run('T', {}, () => 'ran')).toBe('ran')
    expect(guard.localSink.last()).toMatchObject({ action: 'call_executed', durationMs: 0 })
  })

  it('has a row for everything that is made to fail here', () => {
    expect(Object.keys(setups)).toEqual(rows.map(({ part, fails }) => `${part} | ${fails}`))
  })

  it('lets the call through in observe mode, and says so', async () => {
    for (const row of rows.filter(({ ran }) => ran === 0)) {
      const { options, contracts = [] } = setupOf(row)
      const guard = guardOf(contracts, { portTimeoutMs: 20, codeTimeoutMs: 20, ...options, mode: 'observe' })
      expect(await guard.run('T', { x: 1 }, () => 'ran'), `${row.part} ${row.fails}`).toBe('ran')
    }
  })
})

function setupOf({ part, fails }: Pick<Row, 'part' | 'fails'>): Setup {
  const setup = setups[`${part} | ${fails}`]
  if (setup === undefined) throw new Error(`nothing makes ${part} fail like this: ${fails}`)
  return setup
}

/** A refused call must not keep a slot: the counters of a fresh look show none held. */
async function expectNoLeak(guard: Edictum): Promise<void> {
  const steps = guard.backend instanceof MemoryBackend ? atomicStepsOf(guard.backend) : undefined
  const look = await steps?.reserve({
    sessionId: guard.sessionId,
    toolName: 'T',
    attempt: 'counted',
    slot: 'leave',
    limits: {},
    leaseSeconds: 1,
  })
  expect(look?.counters.executions ?? 0).toBe(0)
}
