// What happens when something around the call fails. One row per port and way of failing; the table in the docs is this one.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import {
  type ApprovalBackend,
  type AuditSink,
  type Edictum,
  type EdictumOptions,
  HookDecision,
  MemoryBackend,
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

interface Row {
  readonly part: string
  readonly fails: string
  readonly options: EdictumOptions
  readonly contracts?: readonly object[]
  /** How often the tool ran, how the call ended for the caller, and the one terminal event. */
  readonly ran: 0 | 1
  readonly ends: 'returns' | 'EdictumDenied' | 'EdictumToolError'
  readonly terminal:
    'call_denied' | 'call_executed' | 'call_failed' | 'call_approval_denied' | 'call_approval_timeout'
  readonly source?: string
}

const asking = [approve('ask', always, { timeout: 1 })]
const denied = { ran: 0, ends: 'EdictumDenied', terminal: 'call_denied' } as const

const rows: readonly Row[] = [
  {
    part: 'storage, first step',
    fails: 'throws',
    options: { backend: storage({ reserve: throws }) },
    ...denied,
    source: 'storage_error',
  },
  {
    part: 'storage, first step',
    fails: 'rejects',
    options: { backend: storage({ reserve: rejects }) },
    ...denied,
    source: 'storage_error',
  },
  {
    part: 'storage, first step',
    fails: 'never answers',
    options: { backend: storage({ reserve: never }) },
    ...denied,
    source: 'storage_error',
  },
  {
    part: 'storage, first step',
    fails: 'answers nonsense',
    options: { backend: storage({ reserve: async () => ({}) }) },
    ...denied,
    source: 'storage_error',
  },
  {
    part: 'storage, first step',
    fails: 'counts in NaN',
    options: {
      backend: storage({
        reserve: () => ({ counters: { attempts: Number.NaN }, slot: { kind: 'taken', id: '1' } }),
      }),
    },
    ...denied,
    source: 'storage_error',
  },
  {
    part: 'wrapped storage',
    fails: 'cannot increment',
    options: { backend: wrapped('increment', rejects) },
    ...denied,
    source: 'storage_error',
  },
  {
    part: 'wrapped storage',
    fails: 'cannot read',
    options: { backend: wrapped('batchGet', rejects) },
    ...denied,
    source: 'storage_error',
  },
  {
    part: 'wrapped storage',
    fails: 'never answers',
    options: { backend: wrapped('increment', never) },
    ...denied,
    source: 'storage_error',
  },
  {
    part: 'storage, settling',
    fails: 'rejects',
    options: { backend: storage({ settle: rejects }) },
    ran: 1,
    ends: 'returns',
    terminal: 'call_executed',
  },
  {
    part: 'storage, settling',
    fails: 'never answers',
    options: { backend: storage({ settle: never }) },
    ran: 1,
    ends: 'returns',
    terminal: 'call_executed',
  },
  {
    part: 'approval request',
    fails: 'throws',
    contracts: asking,
    options: { approvalBackend: approvals(throws, throws) },
    ...denied,
  },
  {
    part: 'approval request',
    fails: 'rejects',
    contracts: asking,
    options: { approvalBackend: approvals(rejects, throws) },
    ...denied,
  },
  {
    part: 'approval request',
    fails: 'never answers',
    contracts: asking,
    options: { approvalBackend: approvals(never, throws) },
    ...denied,
  },
  {
    part: 'approval request',
    fails: 'answers nonsense',
    contracts: asking,
    options: { approvalBackend: approvals(async () => undefined, throws) },
    ...denied,
  },
  {
    part: 'approval decision',
    fails: 'rejects',
    contracts: asking,
    options: { approvalBackend: approvals(filed, rejects) },
    ...denied,
  },
  {
    part: 'approval decision',
    fails: 'never answers',
    contracts: asking,
    options: { approvalBackend: approvals(filed, never) },
    ran: 0,
    ends: 'EdictumDenied',
    terminal: 'call_approval_timeout',
  },
  {
    part: 'approval decision',
    fails: 'answers nonsense',
    contracts: asking,
    options: { approvalBackend: approvals(filed, async () => 'yes') },
    ...denied,
  },
  {
    part: 'approval decision',
    fails: 'says approved without a status',
    contracts: asking,
    options: { approvalBackend: approvals(filed, async () => ({ approved: true })) },
    ran: 0,
    ends: 'EdictumDenied',
    terminal: 'call_approval_denied',
  },
  {
    part: 'approval decision',
    fails: 'is still pending',
    contracts: asking,
    options: { approvalBackend: approvals(filed, async () => ({ approved: true, status: 'pending' })) },
    ...denied,
  },
  {
    part: 'audit sink, before the call',
    fails: 'throws',
    options: { auditSink: sink(throws) },
    ...denied,
    source: 'audit_error',
  },
  {
    part: 'audit sink, before the call',
    fails: 'rejects',
    options: { auditSink: sink(rejects) },
    ...denied,
    source: 'audit_error',
  },
  {
    part: 'audit sink, before the call',
    fails: 'never answers',
    options: { auditSink: sink(never) },
    ...denied,
    source: 'audit_error',
  },
  {
    part: 'audit sink, after the call',
    fails: 'rejects',
    options: { auditSink: sink(failingFrom(2, rejects)) },
    ran: 1,
    ends: 'returns',
    terminal: 'call_executed',
  },
  {
    part: 'audit sink, after the call',
    fails: 'never answers',
    options: { auditSink: sink(failingFrom(2, never)) },
    ran: 1,
    ends: 'returns',
    terminal: 'call_executed',
  },
  {
    part: 'before-hook',
    fails: 'throws',
    options: { hooks: [{ phase: 'before', tool: '*', callback: throws }] },
    ...denied,
    source: 'hook',
  },
  {
    part: 'before-hook',
    fails: 'never answers',
    options: { hooks: [{ phase: 'before', tool: '*', callback: never }] },
    ...denied,
    source: 'hook',
  },
  {
    part: 'before-hook',
    fails: 'answers nonsense',
    options: { hooks: [{ phase: 'before', tool: '*', callback: (() => true) as never }] },
    ...denied,
    source: 'hook',
  },
  {
    part: 'before-hook',
    fails: 'has a filter that throws',
    options: {
      hooks: [{ phase: 'before', tool: '*', callback: () => HookDecision.deny('no'), when: throws }],
    },
    ...denied,
    source: 'hook',
  },
  {
    part: 'after-hook',
    fails: 'throws',
    options: { hooks: [{ phase: 'after', tool: '*', callback: throws }] },
    ran: 1,
    ends: 'returns',
    terminal: 'call_executed',
  },
  {
    part: 'after-hook',
    fails: 'never answers',
    options: { hooks: [{ phase: 'after', tool: '*', callback: never }] },
    ran: 1,
    ends: 'returns',
    terminal: 'call_executed',
  },
  {
    part: 'contract in code',
    fails: 'throws',
    options: { contracts: [precondition('*', throws)] },
    ...denied,
    source: 'precondition',
  },
  {
    part: 'contract in code',
    fails: 'never answers',
    options: { contracts: [precondition('*', never)] },
    ...denied,
    source: 'precondition',
  },
  {
    part: 'contract in code',
    fails: 'answers nonsense',
    options: { contracts: [precondition('*', (() => true) as never)] },
    ...denied,
    source: 'precondition',
  },
  {
    part: 'contract in code',
    fails: 'has a filter that throws',
    options: { contracts: [precondition('*', () => Verdict.fail('no'), { when: throws })] },
    ...denied,
    source: 'precondition',
  },
  {
    part: 'session contract in code',
    fails: 'rejects',
    options: { contracts: [sessionContract(rejects)] },
    ...denied,
    source: 'session_contract',
  },
  {
    part: 'operator of the user',
    fails: 'throws',
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
    ...denied,
    source: 'yaml_precondition',
  },
  {
    part: 'principal resolver',
    fails: 'throws',
    options: { principalResolver: throws },
    ...denied,
    source: 'principal_error',
  },
  {
    part: 'success check',
    fails: 'throws',
    options: { successCheck: throws },
    ran: 1,
    ends: 'EdictumToolError',
    terminal: 'call_failed',
  },
  {
    part: 'success check',
    fails: 'answers with a promise',
    options: { successCheck: (async () => true) as never },
    ran: 1,
    ends: 'EdictumToolError',
    terminal: 'call_failed',
  },
  {
    part: 'onDeny and onAllow',
    fails: 'throw',
    options: { onAllow: throws, onDeny: throws },
    ran: 1,
    ends: 'returns',
    terminal: 'call_executed',
  },
]

/** Fine at first, broken from the n-th event on. */
function failingFrom(first: number, fail: () => Promise<never>): () => Promise<void> | void {
  let events = 0
  return () => (++events >= first ? fail() : undefined)
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
    '$part $fails: the tool runs $ran times, $terminal',
    async ({ options, contracts = [], ran, ends, terminal, source }) => {
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
      expect(terminals.map(({ action }) => action)).toEqual([terminal])
      if (source !== undefined) expect(terminals[0]?.decisionSource).toBe(source)
      await new Promise<void>((resolve) => setTimeout(resolve, 30))
      expect(unhandled).toEqual([])
      if (ends === 'EdictumDenied') await expectNoLeak(guard)
    },
  )

  it('lets the call through in observe mode, and says so', async () => {
    for (const { options, contracts = [], part, fails } of rows.filter(({ ran }) => ran === 0)) {
      const guard = guardOf(contracts, { portTimeoutMs: 20, codeTimeoutMs: 20, ...options, mode: 'observe' })
      expect(await guard.run('T', { x: 1 }, () => 'ran'), `${part} ${fails}`).toBe('ran')
    }
  })
})

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
