import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { pieceLength } from '../../internal/overlapping-pieces.js'
import { LiteralIndex } from './literal-index.js'

function search(literals: readonly string[], text: string): readonly string[] {
  const found: string[] = []
  new LiteralIndex(literals).search(text, (literal) => found.push(literals[literal] ?? ''))
  return found
}

describe('LiteralIndex', () => {
  it('finds literals that overlap, contain each other and end together', () => {
    expect(search(['he', 'she', 'his', 'hers', 'e'], 'ushers').toSorted()).toEqual(['e', 'he', 'hers', 'she'])
  })

  it('reports a literal once however often it occurs, and again in the next search', () => {
    const index = new LiteralIndex(['ab'])
    let count = 0
    index.search('abababab', () => count++)
    index.search('ab', () => count++)
    expect(count).toBe(2)
  })

  it('finds a literal that begins in one part of a long text and ends in the next', () => {
    const literals = ['needle', 'pin']
    for (let before = pieceLength - 7; before <= pieceLength + 1; before++) {
      const found = new Set<number>()
      const text = `${' '.repeat(before)}needle${' '.repeat(pieceLength)}pin`
      const steps = new LiteralIndex(literals).searchInSteps(text, (literal) => found.add(literal))
      expect([...steps].length).toBeGreaterThan(1)
      expect(found).toEqual(new Set([0, 1]))
    }
  })

  // The shortest literal says how much of a text is passed over.
  it.each([1, 2, 3, 5])('agrees with looking for each literal of at least %i by itself', (minLength) => {
    const word = fc.string({
      unit: fc.constantFrom('a', 'b', 'ä', '😀', '\u0000'),
      minLength,
      maxLength: minLength + 5,
    })
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 1, maxLength: 12 }),
        fc.array(
          fc.oneof(word, fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '😀', '\u0000'), maxLength: 20 })),
        ),
        // A long text is searched in another way.
        fc.constantFrom('', ' '.repeat(5_000)),
        (literals, pieces, filler) => {
          const text = filler + pieces.join('')
          expect(search(literals, text).toSorted()).toEqual(
            literals.filter((literal) => text.includes(literal)).toSorted(),
          )
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('takes time in proportion to the text, not to the number of occurrences', () => {
    const literals = Array.from({ length: 200 }, (_, length) => 'a'.repeat(length + 1))
    const index = new LiteralIndex(literals)
    const text = 'a'.repeat(1_000_000)
    let found = 0
    const started = performance.now()
    index.search(text, () => found++)
    expect(found).toBe(200)
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})
