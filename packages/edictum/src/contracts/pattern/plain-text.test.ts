import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { parsePattern } from './parse.js'
import { compilePattern } from './pattern.js'
import { createPlainTextMatcher } from './plain-text.js'

function matcherOf(source: string) {
  const parsed = parsePattern(source)
  return parsed.ok ? createPlainTextMatcher(parsed.tree) : undefined
}

describe('createPlainTextMatcher', () => {
  it('agrees with the platform on every text', () => {
    const text = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '😀'), maxLength })
    fc.assert(
      fc.property(text(5), text(40), (literal, within) => {
        fc.pre(literal !== '')
        const matcher = matcherOf(literal)
        expect(matcher?.test(within)).toBe(within.includes(literal))
        expect(matcher?.replaceAll(within, '$&')).toBe(within.replaceAll(literal, () => '$&'))
      }),
      { numRuns: 2_000 },
    )
  })

  it.each(['a|b', 'a+', '[ab]', '(?i)a', '^a', ''])('leaves %j to the other engines', (source) => {
    expect(matcherOf(source)).toBeUndefined()
  })

  it('makes the longest pattern there may be usable, also on a text that almost matches everywhere', () => {
    const result = compilePattern('a'.repeat(10_000))
    if (!result.ok) throw new Error(result.problem.message)
    const almost = `${'a'.repeat(9_999)}b`.repeat(100)
    const started = performance.now()
    expect(result.pattern.test(almost)).toBe(false)
    expect(performance.now() - started).toBeLessThan(500)
    expect(result.pattern.test(almost + 'a'.repeat(10_000))).toBe(true)
  })
})
