// @ts-check
import { describe, expect, it } from 'vitest'
import { historyLine, judgeHistory } from './limit-history.mjs'

/** @param {string} events `+a` begins, `a` succeeds, `-a` fails */
const write = (events) =>
  events
    .split(' ')
    .map((event) => {
      if (event.startsWith('+')) return historyLine('begin', event.slice(1))
      return event.startsWith('-') ? historyLine('failure', event.slice(1)) : historyLine('success', event)
    })
    .join('')

describe('judgeHistory', () => {
  it('accepts as many executions as the limit says', () => {
    expect(judgeHistory(write('+a +b a b'), 2)).toEqual({ begun: 2, succeeded: 2, most: 2, faults: [] })
  })

  it('accepts another call for one that failed', () => {
    expect(judgeHistory(write('+a -a +b b'), 1).faults).toEqual([])
  })

  it.each([
    ['one execution too many', '+a +b a b +c c', 2],
    ['a call that begins beside the last one allowed', '+a +b', 1],
    ['a call in place of one that was cut off', '+a +b b', 1],
    ['a call that runs twice', '+a -a +a a', 5],
    ['an end without a beginning', 'a', 5],
  ])('finds %s', (_, events, limit) => {
    expect(judgeHistory(write(events), limit).faults).toHaveLength(1)
  })

  it('finds lines that are torn', () => {
    expect(judgeHistory('begin a\nbegin bbegin c\n', 5).faults).toHaveLength(1)
  })
})
