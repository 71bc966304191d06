import { afterEach, describe, expect, it, vi } from 'vitest'
import { newRequestKey } from './request-key.js'
import { recognised } from './server-client.js'

describe('newRequestKey', () => {
  afterEach(() => vi.useRealTimers())

  it('is a UUID of version 7', () => {
    expect(newRequestKey()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('is what the client sends', () => {
    expect(recognised()).toMatchObject({
      idempotencyKey: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    })
  })

  it('sorts by time', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const keys = [0, 1, 255, 1_700_000_000_000, 1_700_000_000_001, 2_000_000_000_000].map((now) => {
      vi.setSystemTime(now)
      return newRequestKey()
    })
    expect(keys.toSorted()).toEqual(keys)
  })

  it('is not the same twice within a millisecond', () => {
    expect(new Set(Array.from({ length: 10_000 }, newRequestKey)).size).toBe(10_000)
  })
})
