// Sentences of the seed 001_636f0496583de568.txt (custom tool success detection, guide), each as a test.
import { describe, expect, it } from 'vitest'

import { Edictum, type SuccessCheck } from '../../src/index.js'
import { guardOf, post, session } from '../guard/bundles.js'
import { countersOf, endOf, endsOf } from './calls.js'

type Mapping = Readonly<Record<string, unknown>>

const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const httpSuccessCheck: SuccessCheck = (_, result) =>
  !(isMapping(result) && Number(result['status'] ?? 200) >= 400)

const dbSuccessCheck: SuccessCheck = (toolName, result) => {
  if (toolName !== 'query_users' || !isMapping(result)) return true
  return Array.isArray(result['rows']) && result['rows'].length > 0
}

const unifiedSuccessCheck: SuccessCheck = (_, result) => {
  if (result === null || result === undefined) return false
  if (isMapping(result) && result['ok'] === false) return false
  return !(typeof result === 'string' && result.includes('Traceback'))
}

describe('001_636f0496583de568.txt', () => {
  it('"If your tools return errors differently, Edictum misclassifies failures as successes — and session contracts that depend on accurate counts enforce at the wrong time."', async () => {
    const limited = [session('three', { max_tool_calls: 3 })]
    const failing = () => ({ status: 500, error: 'down' })
    const unaware = guardOf(limited)
    expect(await endsOf(4, async () => unaware.run('http', {}, failing))).toEqual([
      'returned',
      'returned',
      'returned',
      'EdictumDenied',
    ])
    const aware = guardOf(limited, { successCheck: httpSuccessCheck })
    expect(await endsOf(4, async () => aware.run('http', {}, failing))).toEqual(
      Array.from({ length: 4 }, () => 'EdictumToolError'),
    )
    expect(await endsOf(4, async () => aware.run('http', {}, () => ({ status: 200 })))).toEqual([
      'returned',
      'returned',
      'returned',
      'EdictumDenied',
    ])
  })

  it('"REST API tools … return {"status": 500, "error": "..."} on failure. The default heuristic does not catch this"', async () => {
    const failing = () => ({ status: 500, error: '...' })
    expect(await endOf(new Edictum().run('get', {}, failing))).toBe('returned')
    expect(await endOf(new Edictum({ successCheck: httpSuccessCheck }).run('get', {}, failing))).toBe(
      'EdictumToolError',
    )
  })

  it('"Database tools … your domain considers "no rows found" a failure for certain operations."', async () => {
    const guard = new Edictum({ successCheck: dbSuccessCheck })
    const nothing = () => ({ rows: [] })
    expect(await endOf(guard.run('query_users', {}, nothing))).toBe('EdictumToolError')
    expect(await endOf(guard.run('query_logs', {}, nothing))).toBe('returned')
    expect(await endOf(guard.run('query_users', {}, () => ({ rows: [1] })))).toBe('returned')
  })

  it.each([
    ['{"ok": false, "message": "..."}', { ok: false, message: '...' }],
    ['traceback strings', 'Traceback (most recent call last)'],
    ['null on failure', null],
  ])('"One success_check function normalizes all of them": %s', async (_, result) => {
    expect(await endOf(new Edictum().run('T', {}, () => result))).toBe('returned')
    const guard = new Edictum({ successCheck: unifiedSuccessCheck })
    expect(await endOf(guard.run('T', {}, () => result))).toBe('EdictumToolError')
  })

  it('"if a failed tool call is counted as successful, session contracts tracking "max 3 successful executions" count wrong"', async () => {
    const guard = guardOf([session('three', { max_tool_calls: 3 })])
    let calls = 0
    const flaky = () => (++calls % 2 === 0 ? 'fine' : 'Error: flaky')
    const ends = await endsOf(7, async () => guard.run('T', {}, flaky))
    // Three successes among failures, and only then the limit.
    expect(ends).toEqual([
      'EdictumToolError',
      'returned',
      'EdictumToolError',
      'returned',
      'EdictumToolError',
      'returned',
      'EdictumDenied',
    ])
  })

  it('"success_check feeds INTO session contracts … It does not overlap with on_deny (governance decisions)"', async () => {
    const denied: string[] = []
    const guard = new Edictum({ successCheck: () => false, onDeny: (_, reason) => denied.push(reason) })
    expect(await endOf(guard.run('T', {}, () => 'fine'))).toBe('EdictumToolError')
    expect(denied).toEqual([])
    expect(await countersOf(guard, 'T')).toMatchObject({ execs: null, consecFail: '1' })
  })

  it('"It does not overlap with … postconditions (output validation)": both look at a failed result', async () => {
    const guard = guardOf([post('p', { 'output.text': { contains: 'secret' } }, 'warn')], {
      successCheck: () => false,
    })
    await endOf(guard.run('T', {}, () => 'a secret'))
    expect(guard.localSink.last()).toMatchObject({
      action: 'call_failed',
      toolSuccess: false,
      postconditionsPassed: false,
    })
  })
})
