// Which events a call leaves behind, case by case: the record is the product, so its order is fixed.
import { describe, expect, it } from 'vitest'

import type { ApprovalBackend, EdictumOptions } from '../../src/index.js'
import { actionsOf, always, approve, guardOf, post, pre, session } from './bundles.js'

const ran = { ran: 1 }
const stopped = { ran: 0 }

function answering(decision: {
  approved: boolean
  status: 'approved' | 'denied' | 'timeout'
  reason?: string
}): ApprovalBackend {
  return {
    requestApproval: async () => ({ approvalId: 'a' }),
    waitForDecision: async () => decision,
  }
}

const granting = answering({ approved: true, status: 'approved' })
const refusing = answering({ approved: false, status: 'denied', reason: 'not today' })
const silent = answering({ approved: true, status: 'timeout' })

interface Case {
  readonly name: string
  readonly contracts: readonly object[]
  readonly options?: EdictumOptions
  readonly returns?: unknown
  readonly events: readonly string[]
  readonly ends: { readonly ran: number }
  readonly error?: string
}

const cases: readonly Case[] = [
  { name: 'allowed and successful', contracts: [], events: ['call_allowed', 'call_executed'], ends: ran },
  {
    name: 'allowed and failed',
    contracts: [],
    returns: 'Error: no',
    events: ['call_allowed', 'call_failed'],
    ends: ran,
    error: 'Error: no',
  },
  {
    name: 'denied',
    contracts: [pre('a', always)],
    events: ['call_denied'],
    ends: stopped,
    error: 'a says no',
  },
  {
    name: 'denied in a guard that observes',
    contracts: [pre('a', always), pre('b', always)],
    options: { mode: 'observe' },
    events: ['call_would_deny', 'call_executed'],
    ends: ran,
  },
  {
    name: 'two observing contracts',
    contracts: [
      { ...pre('a', always), mode: 'observe' },
      { ...pre('b', always), mode: 'observe' },
    ],
    events: ['call_would_deny', 'call_would_deny', 'call_allowed', 'call_executed'],
    ends: ran,
  },
  {
    name: 'an observing session contract at its limit',
    contracts: [session('s', { max_attempts: 1 }, { mode: 'observe' })],
    events: ['call_allowed', 'call_executed', 'call_would_deny', 'call_allowed', 'call_executed'],
    ends: { ran: 2 },
  },
  {
    name: 'approval granted',
    contracts: [approve('a', always)],
    options: { approvalBackend: granting },
    events: ['call_approval_requested', 'call_approval_granted', 'call_executed'],
    ends: ran,
  },
  {
    name: 'approval refused',
    contracts: [approve('a', always)],
    options: { approvalBackend: refusing },
    events: ['call_approval_requested', 'call_approval_denied'],
    ends: stopped,
    error: 'not today',
  },
  {
    name: 'approval timed out, which denies whatever the backend claims',
    contracts: [approve('a', always)],
    options: { approvalBackend: silent },
    events: ['call_approval_requested', 'call_approval_timeout'],
    ends: stopped,
    error: 'a asks',
  },
  {
    name: 'approval timed out, which the contract allows',
    contracts: [approve('a', always, { timeout_effect: 'allow' })],
    options: { approvalBackend: silent },
    events: ['call_approval_requested', 'call_approval_timeout', 'call_executed'],
    ends: ran,
  },
  {
    name: 'approval needed and nobody to ask',
    contracts: [approve('a', always)],
    events: ['call_denied'],
    ends: stopped,
    error: 'no approval backend configured',
  },
  {
    name: 'approval needed twice',
    contracts: [approve('a', always), approve('b', always)],
    options: { approvalBackend: granting },
    events: [
      'call_approval_requested',
      'call_approval_granted',
      'call_approval_requested',
      'call_approval_granted',
      'call_executed',
    ],
    ends: ran,
  },
  {
    name: 'approval asked by a contract in front of one that denies: nobody is asked',
    contracts: [approve('a', always), pre('b', always)],
    options: { approvalBackend: granting },
    events: ['call_denied'],
    ends: stopped,
    error: 'b says no',
  },
  {
    name: 'approval in a guard that observes: nobody is asked',
    contracts: [approve('a', always)],
    options: { approvalBackend: granting, mode: 'observe' },
    events: ['call_would_deny', 'call_executed'],
    ends: ran,
  },
  {
    name: 'approval asked by a contract that observes: nobody is asked',
    contracts: [{ ...approve('a', always), mode: 'observe' }],
    options: { approvalBackend: granting },
    events: ['call_would_deny', 'call_allowed', 'call_executed'],
    ends: ran,
  },
  {
    name: 'a warning about the output',
    contracts: [post('p', { 'output.text': { contains: 'x' } }, 'warn')],
    returns: 'x',
    events: ['call_allowed', 'call_executed'],
    ends: ran,
  },
]

describe('a call', () => {
  it.each(cases)('$name', async ({ contracts, options, returns, events, ends, error }) => {
    const guard = guardOf(contracts, options)
    let runs = 0
    const tool = () => {
      runs++
      return returns
    }
    const attempt = async () => guard.run('T', { x: 1 }, tool)
    const repeat = events.length === 5 && contracts.length === 1 ? 2 : 1
    for (let call = 0; call < repeat; call++) {
      if (error === undefined) await attempt()
      else await expect(attempt()).rejects.toThrow(error)
    }
    expect(actionsOf(guard)).toEqual(events)
    expect(runs).toBe(ends.ran)
    const ids = new Set(guard.localSink.events.map(({ callId, runId }) => `${callId} ${runId}`))
    expect(ids.size).toBe(repeat)
  })
})
