// @ts-check
import { describe, expect, it } from 'vitest'
import { formatCount, readCount } from './test-count.mjs'

describe('readCount', () => {
  it('reads back what formatCount writes', () => {
    const stdout = `noise\n${formatCount({ passed: 12, failed: 3 })}\n`
    expect(readCount({ ok: false, stdout })).toEqual({ passed: 12, failed: 3 })
  })

  it('takes the last line when there are several', () => {
    expect(readCount({ ok: true, stdout: '1 passed, 0 failed\n2 passed, 0 failed\n' })).toEqual({
      passed: 2,
      failed: 0,
    })
  })

  it('counts a program that ended badly as failed, whatever it printed', () => {
    expect(readCount({ ok: false, stdout: '5 passed, 0 failed\n' })).toEqual({ passed: 5, failed: 1 })
    expect(readCount({ ok: false, stdout: '' })).toEqual({ passed: 0, failed: 1 })
  })

  it('counts a program that proved nothing as failed', () => {
    expect(readCount({ ok: true, stdout: '0 passed, 0 failed\n' })).toEqual({ passed: 0, failed: 1 })
    expect(readCount({ ok: true, stdout: 'all is well: 5 passed, 0 failed, honestly\n' })).toEqual({
      passed: 0,
      failed: 1,
    })
  })
})
