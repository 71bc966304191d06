import { describe, expect, it } from 'vitest'

import { EdictumConfigError } from '../contracts/config-error.js'
import { FakeClock } from '../testing/fake-clock.js'
import { DeadlineExpired, DeadlineToken } from './deadline-token.js'
import { TurnBudget, type TurnBudgetOptions } from './turn-budget.js'

function budgetOf(options: TurnBudgetOptions = {}) {
  const clock = new FakeClock()
  return { clock, budget: TurnBudget.create({ clock, ...options }) }
}

describe('a turn budget', () => {
  it('ends after its time', async () => {
    const { clock, budget } = budgetOf({ timeoutS: 10 })
    expect([budget.remainingS(), budget.isExpired(), budget.deadline]).toEqual([10, false, 11_000])
    clock.block(10_000)
    expect([budget.remainingS(), budget.isExpired()]).toEqual([0, true])
  })

  it('has 60 seconds, 6 steps, as many tool calls and 4 reflections unless told otherwise', () => {
    expect(budgetOf().budget.snapshot()).toEqual({
      remaining_s: 60,
      expired: false,
      steps_used: 0,
      steps_max: 6,
      tool_calls_used: 0,
      tool_calls_max: 6,
      reflections_used: 0,
      reflections_max: 4,
      max_context_tokens: 200_000,
    })
    expect(budgetOf({ maxSteps: 3 }).budget.snapshot()).toMatchObject({ tool_calls_max: 3 })
  })

  it('gives out each allowance exactly as often as it has it', () => {
    const { budget } = budgetOf({ maxSteps: 2, maxToolCalls: 1, maxReflections: 0 })
    expect([budget.claimStep(), budget.claimStep(), budget.claimStep()]).toEqual([true, true, false])
    expect([budget.claimToolCall(), budget.claimToolCall()]).toEqual([true, false])
    expect(budget.claimReflection()).toBe(false)
    budget.returnToolCall()
    expect(budget.claimToolCall()).toBe(true)
  })

  it.each([
    // turn left, cap, expected wait
    [60, 45, 45],
    [30, 45, 30],
    [1, 45, 5],
    [0, 45, 5],
    [60, 3, 3],
    [1, 3, 3],
  ])('with %i s left waits for a tool capped at %i s for %i s', (left, cap, wait) => {
    const { clock, budget } = budgetOf({ timeoutS: 60 })
    clock.block(60_000 - left * 1_000)
    expect(budget.perToolRemainingS(cap)).toBe(wait)
  })

  it('has no floor when the turn is strict', () => {
    const { clock, budget } = budgetOf({ timeoutS: 10, strictTurnDeadline: true })
    clock.block(9_000)
    expect(budget.perToolRemainingS()).toBe(1)
  })

  it('tells a tool to stop with the turn, or after its cap', () => {
    const { budget } = budgetOf({ timeoutS: 10 })
    expect([budget.toolDeadline(45), budget.toolDeadline(2)]).toEqual([11_000, 3_000])
  })

  it('can be given the time back that a person took', () => {
    const { clock, budget } = budgetOf({ timeoutS: 10 })
    clock.block(8_000)
    budget.postpone(8_000)
    expect(budget.remainingS()).toBe(10)
  })

  it.each([
    { timeoutS: Number.NaN },
    { timeoutS: -1 },
    { timeoutS: Infinity },
    { maxSteps: 1.5 },
    { maxToolCalls: -1 },
  ])('refuses %o', (options) => {
    expect(() => budgetOf(options)).toThrow(EdictumConfigError)
  })
})

describe('a deadline token', () => {
  it('expires with the turn or after the cap, whichever is first', () => {
    const { clock, budget } = budgetOf({ timeoutS: 10 })
    const short = DeadlineToken.fromBudget(budget, 2)
    const long = DeadlineToken.fromBudget(budget, 45)
    clock.block(2_000)
    expect([short.isExpired(), long.isExpired(), long.remainingMs()]).toEqual([true, false, 8_000])
    expect(() => short.throwIfExpired()).toThrow(DeadlineExpired)
    expect(() => long.throwIfExpired()).not.toThrow()
  })

  it('is over at once when cancelled, and says so through its signal', () => {
    const { budget } = budgetOf()
    const token = DeadlineToken.fromBudget(budget)
    const { signal } = token
    expect([signal.aborted, token.isExpired()]).toEqual([false, false])
    const reason = new Error('enough')
    token.cancel(reason)
    token.cancel()
    expect([signal.aborted, signal.reason, token.isExpired(), token.remainingMs()]).toEqual([
      true,
      reason,
      true,
      0,
    ])
    expect(() => token.throwIfExpired()).toThrow('enough')
  })

  it('has an aborted signal also for whoever asks late', () => {
    const token = DeadlineToken.fromBudget(budgetOf().budget)
    token.cancel()
    expect(token.signal.reason).toBeInstanceOf(DeadlineExpired)
  })
})
