import { describe, expect, it } from 'vitest'

import { ReplayControl, replayKey } from './replay-control.js'

const key = replayKey('read', { path: 'a', options: { limit: 5, deep: true } })

describe('replay control', () => {
  it('knows a call by its tool and arguments, in any key order', () => {
    expect(replayKey('read', { options: { deep: true, limit: 5 }, path: 'a' })).toBe(key)
    expect(replayKey('read', { path: 'b', options: { limit: 5, deep: true } })).not.toBe(key)
    expect(replayKey('write', { path: 'a', options: { limit: 5, deep: true } })).not.toBe(key)
  })

  it.each(['failure', 'timeout', 'denied'] as const)('lets a call be repeated after a %s', (status) => {
    const replay = new ReplayControl()
    replay.record(key, status)
    expect([replay.findDuplicate(key), replay.historySize]).toEqual([undefined, 1])
  })

  it('does not let a success be repeated, whatever happens afterwards', () => {
    const replay = new ReplayControl()
    replay.record(key, 'failure')
    replay.record(key, 'success')
    for (const status of ['denied', 'failure', 'timeout'] as const) replay.record(key, status)
    expect(replay.findDuplicate(key)).toBe('this call has already succeeded in this turn')
    expect(replay.historySize).toBe(1)
  })

  it('does not let a call run beside itself', () => {
    const replay = new ReplayControl()
    replay.begin(key)
    expect(replay.findDuplicate(key)).toBe('the same call is under way')
    replay.end(key)
    expect(replay.findDuplicate(key)).toBe(undefined)
  })

  it('forgets reads of what was written', () => {
    const replay = new ReplayControl()
    replay.record(key, 'success', ['vault'])
    replay.forgetReadsOf(['mail'])
    expect(replay.findDuplicate(key)).toBeDefined()
    replay.forgetReadsOf(['vault'])
    expect(replay.findDuplicate(key)).toBe(undefined)
  })
})
