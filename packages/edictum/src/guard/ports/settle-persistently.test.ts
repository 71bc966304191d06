import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { rememberSettledSeconds, settlePersistently } from './settle-persistently.js'

describe('settlePersistently', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('sends again until there is an answer', async () => {
    let sent = 0
    const answer = settlePersistently(async () => {
      if (++sent < 4) throw new Error('connection lost')
      return 'counted'
    })
    await vi.runAllTimersAsync()
    expect(await answer).toBe('counted')
    expect(sent).toBe(4)
  })

  it('sends once what the storage will never accept', async () => {
    let sent = 0
    const answer = settlePersistently(async () => {
      sent++
      throw new Error('ERR stored value of execs is not a number')
    })
    await expect(answer).rejects.toThrow('not a number')
    expect(sent).toBe(1)
  })

  it('gives up while the storage still remembers what it has settled', async () => {
    const started = Date.now()
    const answer = settlePersistently(async () => Promise.reject(new Error('connection lost')))
    const [end] = await Promise.all([answer.catch((error: unknown) => error), vi.runAllTimersAsync()])
    expect(end).toEqual(new Error('connection lost'))
    const seconds = (Date.now() - started) / 1_000
    expect(seconds).toBeGreaterThan(20)
    expect(seconds).toBeLessThan(rememberSettledSeconds / 2)
  })
})
