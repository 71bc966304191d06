import { describe, expect, it } from 'vitest'
import { formatAgo, formatDuration, formatPrecise, formatWhole } from './time-words.js'

describe('formatDuration', () => {
  it('says the largest unit and the one below it', () => {
    expect(formatDuration(0)).toBe('0 s')
    expect(formatDuration(59_400)).toBe('59 s')
    expect(formatDuration(60_000)).toBe('1 min')
    expect(formatDuration(125_000)).toBe('2 min 5 s')
    expect(formatDuration(2 * 3_600_000 + 300_000)).toBe('2 h 5 min')
    expect(formatDuration(3 * 86_400_000)).toBe('3 d')
  })

  it('does not say less than nothing', () => {
    expect(formatDuration(-5_000)).toBe('0 s')
  })
})

describe('formatPrecise', () => {
  it('says no more digits than mean something', () => {
    expect(formatPrecise(0.0124)).toBe('12 µs')
    expect(formatPrecise(3.249)).toBe('3.2 ms')
    expect(formatPrecise(412.6)).toBe('413 ms')
    expect(formatPrecise(65_000)).toBe('1 min 5 s')
  })
})

describe('formatWhole', () => {
  it('does not say that something took no time', () => {
    expect(formatWhole(0)).toBe('under 1 ms')
    expect(formatWhole(12)).toBe('12 ms')
  })
})

describe('formatAgo', () => {
  it('says one unit', () => {
    expect(formatAgo(500)).toBe('now')
    expect(formatAgo(45_000)).toBe('45 s ago')
    expect(formatAgo(7_200_000)).toBe('2 h ago')
  })
})
