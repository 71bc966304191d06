import { describe, expect, it, vi } from 'vitest'
import { LogSync } from './log-sync.js'

/** A disk that takes as long as the test wants. */
function slowDisk() {
  const trips: { readonly arrive: () => void; readonly fail: (error: Error) => void }[] = []
  const sync = () => new Promise<void>((arrive, fail) => trips.push({ arrive, fail }))
  return { trips, log: new LogSync(sync) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('LogSync', () => {
  it('takes everything committed during one trip to the disk along on the next', async () => {
    const { trips, log } = slowDisk()
    const arrived: string[] = []
    const commit = (name: string) => log.committed().then(() => arrived.push(name))
    const first = commit('first')
    await turn()
    const others = [commit('second'), commit('third')]
    await turn()
    expect(trips).toHaveLength(1)
    trips[0]!.arrive()
    await first
    await turn()
    expect(arrived).toEqual(['first'])
    expect(trips).toHaveLength(2)
    trips[1]!.arrive()
    await Promise.all(others)
    expect(arrived).toEqual(['first', 'second', 'third'])
  })

  it('says what is outstanding until all of it has arrived', async () => {
    const { trips, log } = slowDisk()
    expect(log.outstanding()).toBeUndefined()
    const first = log.committed()
    await turn()
    const second = log.committed()
    expect(log.outstanding()).toBe(second)
    trips[0]!.arrive()
    await first
    expect(log.outstanding()).toBeDefined()
    await turn()
    trips[1]!.arrive()
    await second
    await turn()
    expect(log.outstanding()).toBeUndefined()
  })

  it('trusts a disk that failed once no more', async () => {
    const { trips, log } = slowDisk()
    const first = log.committed()
    await turn()
    const second = log.committed()
    trips[0]!.fail(new Error('EIO'))
    await expect(first).rejects.toThrow('the disk failed')
    await expect(second).rejects.toThrow('the disk failed')
    await expect(log.committed()).rejects.toThrow('the disk failed')
    await expect(log.outstanding()).rejects.toThrow('the disk failed')
    expect(trips).toHaveLength(1)
  })

  it('brings what nobody waits for to the disk by itself, a moment later', async () => {
    const { trips, log } = slowDisk()
    log.committedUnawaited()
    log.committedUnawaited()
    await turn()
    expect(trips).toHaveLength(0)
    await expect.poll(() => trips.length).toBe(1)
  })

  it('takes what nobody waits for along on the trip of whoever comes next', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { trips, log } = slowDisk()
      log.committedUnawaited()
      const next = log.committed()
      await turn()
      log.committedUnawaited()
      trips[0]!.arrive()
      await next
      vi.advanceTimersByTime(20)
      await turn()
      // Once for the two, and once for what came while they were on their way.
      expect(trips).toHaveLength(2)
      vi.advanceTimersByTime(1_000)
      await turn()
      expect(trips).toHaveLength(2)
    } finally {
      vi.useRealTimers()
    }
  })

  it('says that a disk failed under what nobody waited for', async () => {
    const { trips, log } = slowDisk()
    log.committedUnawaited()
    expect(log.failure).toBeUndefined()
    await expect.poll(() => trips.length).toBe(1)
    trips[0]!.fail(new Error('EIO'))
    await turn()
    expect(log.failure?.message).toContain('the disk failed')
    await expect(log.committed()).rejects.toThrow('the disk failed')
  })

  it('leaves the disk alone when it is closed, after what is under way', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { trips, log } = slowDisk()
      const underWay = log.committed()
      await turn()
      log.committedUnawaited()
      const closed = log.close()
      trips[0]!.fail(new Error('EIO'))
      await expect(underWay).rejects.toThrow('the disk failed')
      await closed
      vi.advanceTimersByTime(1_000)
      await turn()
      expect(trips).toHaveLength(1)
    } finally {
      vi.useRealTimers()
    }
  })

  it('does not come back to a log that was closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { trips, log } = slowDisk()
      log.committedUnawaited()
      await log.close()
      vi.advanceTimersByTime(1_000)
      await turn()
      expect(trips).toHaveLength(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
