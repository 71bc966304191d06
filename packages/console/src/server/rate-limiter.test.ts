import { describe, expect, it } from 'vitest'
import { RateLimiter } from './rate-limiter.js'

describe('RateLimiter', () => {
  const limit = { perSecond: 10, burst: 20 }

  it('lets a burst pass, then says how long to wait', () => {
    const limiter = new RateLimiter(limit)
    expect(limiter.take('a', { cost: 20, now: 0 })).toBe(0)
    expect(limiter.take('a', { cost: 5, now: 0 })).toBe(0.5)
    expect(limiter.take('a', { cost: 5, now: 500 })).toBe(0)
  })

  it('keeps callers apart', () => {
    const limiter = new RateLimiter(limit)
    limiter.take('a', { cost: 20, now: 0 })
    expect(limiter.take('b', { cost: 20, now: 0 })).toBe(0)
  })

  it('lets something larger than the burst pass when nothing else was asked', () => {
    const limiter = new RateLimiter(limit)
    expect(limiter.take('a', { cost: 1_000, now: 0 })).toBe(0)
    expect(limiter.take('a', { cost: 1, now: 0 })).toBeGreaterThan(0)
  })

  it('gives back what turned out to cost nothing', () => {
    const limiter = new RateLimiter(limit)
    limiter.take('a', { cost: 20, now: 0 })
    limiter.giveBack('a', 20)
    expect(limiter.take('a', { cost: 20, now: 0 })).toBe(0)
  })

  it('forgets nobody who still has to wait', () => {
    const limiter = new RateLimiter(limit)
    limiter.take('a', { cost: 20, now: 0 })
    limiter.forgetFull(1_000)
    expect(limiter.take('a', { cost: 20, now: 1_000 })).toBe(1)
  })
})
