import { describe, expect, it } from 'vitest'
import { describePath, measurePath, type PathEvent } from './call-path.js'

const event = (action: string, decisionSource: string | null = null, at = 0): PathEvent => ({
  at,
  action,
  decisionSource,
})

describe('describePath', () => {
  it('shows a call that ran as passed from end to end, without a question nobody asked', () => {
    const path = describePath([event('call_allowed'), event('call_executed')])
    expect(path).toMatchObject({ decide: 'passed', approve: 'not-needed', judge: 'passed', record: 'passed' })
  })

  it('stops where a contract denied, and still is on record', () => {
    const path = describePath([event('call_denied', 'yaml_precondition')])
    expect(path).toMatchObject({
      hooks: 'passed',
      decide: 'stopped',
      approve: 'not-reached',
      judge: 'not-reached',
      record: 'passed',
    })
  })

  it('stops at the step that the source of the decision belongs to', () => {
    expect(describePath([event('call_denied', 'attempt_limit')]).attempt).toBe('stopped')
    expect(describePath([event('call_denied', 'operation_limit')]).reserve).toBe('stopped')
    expect(describePath([event('call_denied', 'hook')]).hooks).toBe('stopped')
  })

  it('stops at the question when the answer was no', () => {
    const path = describePath([event('call_approval_requested'), event('call_approval_denied')])
    expect(path).toMatchObject({ decide: 'passed', approve: 'stopped', reserve: 'not-reached' })
  })

  it('leaves open what no event tells', () => {
    expect(describePath([event('call_allowed')])).toMatchObject({ reserve: 'passed', judge: 'open' })
    expect(describePath([event('call_approval_requested')])).toMatchObject({ approve: 'open', judge: 'open' })
  })
})

const unknown = { waits_ms: {}, tool_ms: null, judgedInMs: null }

describe('measurePath', () => {
  const questioned = [
    event('call_approval_requested', null, 100),
    event('call_approval_granted', null, 5_100),
    event('call_executed', null, 5_350),
  ]

  it('says how long the tool ran, and how long somebody thought about it, from the times of events', () => {
    expect(measurePath(questioned, unknown)).toEqual({
      approve: { ms: 5_000, how: 'between-events' },
      judge: { ms: 250, how: 'between-events' },
    })
  })

  it('prefers what the agent measured', () => {
    const told = { waits_ms: { attempt: 1.5, approve: 4_990.25 }, tool_ms: 240, judgedInMs: 0.012 }
    expect(measurePath(questioned, told)).toEqual({
      attempt: { ms: 1.5, how: 'waited' },
      decide: { ms: 0.012, how: 'judged-again' },
      approve: { ms: 4_990.25, how: 'waited' },
      judge: { ms: 240, how: 'ran' },
    })
  })

  it('says nothing about what has no event at both ends', () => {
    expect(measurePath([event('call_denied', null, 3)], unknown)).toEqual({})
    expect(measurePath([event('call_approval_requested', null, 3)], unknown)).toEqual({})
    expect(
      measurePath([event('call_would_deny', null, 3), event('call_executed', null, 9)], unknown),
    ).toEqual({})
  })
})
