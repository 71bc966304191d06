import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesAgent } from './agent-pattern.js'

describe('matchesAgent', () => {
  it.each([
    [null, 'anyone', true],
    ['billing', 'billing', true],
    ['billing', 'billing-1', false],
    ['billing-*', 'billing-1', true],
    ['billing-*', 'billing-', true],
    ['billing-*', 'xbilling-1', false],
    ['*-eu', 'billing-eu', true],
    ['*-eu', 'billing-eu-1', false],
    ['a*b*c', 'a1b2c', true],
    ['a*b*c', 'acb', false],
    ['aa*aa', 'aaa', false],
    ['*', '', true],
  ])('with %j says of %j: %s', (pattern, agent, expected) => {
    expect(matchesAgent(pattern, agent)).toBe(expected)
  })

  it('agrees with a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 })
    const agent = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 })
    fc.assert(
      fc.property(text, agent, (pattern, name) => {
        expect(matchesAgent(pattern, name)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name))
      }),
    )
  })
})
