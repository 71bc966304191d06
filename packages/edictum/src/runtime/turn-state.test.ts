import { describe, expect, it } from 'vitest'

import type { ToolOutcome } from './outcome.js'
import { TurnState } from './turn-state.js'

const result: ToolOutcome = {
  kind: 'executed',
  callId: 'c',
  toolName: 'T',
  output: {},
  elapsedMs: 0,
  wasCoerced: false,
}

describe('the state of a turn', () => {
  it('starts empty and open', () => {
    const state = new TurnState('s')
    expect(state.isAcceptingWrites()).toBe(true)
    expect([...state.toolTrace, ...state.toolResults, ...state.blockedToolNames, ...state.citations]).toEqual(
      [],
    )
    expect(state.tokens).toEqual({ input: 0, output: 0, cacheRead: 0, cacheCreation: 0 })
  })

  it('lets a running call complete, once', () => {
    const state = new TurnState('s')
    state.setTraceRunning('t', 'T')
    expect([state.isRunning('t'), state.running]).toEqual([true, 1])
    expect([state.completeTrace('t'), state.completeTrace('t')]).toEqual([true, false])
    expect([state.toolTrace.get('t')?.status, state.running]).toEqual(['complete', 0])
  })

  it('does not let a call complete after it was given up', () => {
    const state = new TurnState('s')
    state.setTraceRunning('t', 'T')
    expect([state.markTraceTimedOut('t'), state.completeTrace('t'), state.markTraceCancelled('t')]).toEqual([
      true,
      false,
      false,
    ])
    expect(state.toolTrace.get('t')?.status).toBe('timed_out')
  })

  it('knows nothing of calls that never ran', () => {
    expect(new TurnState('s').completeTrace('t')).toBe(false)
  })

  it('is sealed when the turn is over', () => {
    const state = new TurnState('s')
    state.setTraceRunning('t', 'T')
    state.closeWrites()
    expect([state.completeTrace('t'), state.isRunning('t'), state.isAcceptingWrites()]).toEqual([
      false,
      false,
      false,
    ])
    state.blockTool('T')
    state.recordToolResult(result)
    state.addCitation({ kind: 'web', source: 'x' })
    state.addTokens({ input: 1 })
    state.setTraceRunning('u', 'T')
    expect([...state.toolResults, ...state.blockedToolNames, ...state.citations]).toEqual([])
    expect([state.tokens.input, state.toolTrace.size]).toEqual([0, 1])
  })

  it('counts repairs by call', () => {
    const state = new TurnState('s')
    expect([state.incrementRepair('a'), state.incrementRepair('a'), state.incrementRepair('b')]).toEqual([
      1, 2, 1,
    ])
    expect([state.repairCount('a'), state.repairCount('c')]).toEqual([2, 0])
  })

  it('adds up tokens and keeps every source once', () => {
    const state = new TurnState('s')
    state.addTokens({ input: 3, output: 1 })
    state.addTokens({ input: 2, cacheRead: 5, cacheCreation: 1 })
    state.addCitation({ kind: 'local', source: 'a.md' })
    state.addCitation({ kind: 'local', source: 'a.md' })
    state.addCitation({ kind: 'web', source: 'a.md' })
    expect(state.tokens).toEqual({ input: 5, output: 1, cacheRead: 5, cacheCreation: 1 })
    expect(state.citations).toEqual([
      { kind: 'local', source: 'a.md' },
      { kind: 'web', source: 'a.md' },
    ])
  })

  it('lets exactly one of many endings win', async () => {
    const state = new TurnState('s')
    state.setTraceRunning('t', 'T')
    const endings = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        await Promise.resolve()
        return index % 2 === 0 ? state.completeTrace('t') : state.markTraceTimedOut('t')
      }),
    )
    expect(endings.filter(Boolean)).toHaveLength(1)
  })
})
