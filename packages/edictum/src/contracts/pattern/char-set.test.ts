import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type CharSet,
  areDisjoint,
  complementOf,
  hasCodePoint,
  intersectionOf,
  isSubset,
  lastCodePoint,
  normaliseRanges,
  unionOf,
  whiteSpace,
} from './char-set.js'

const edge = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.integer({ min: lastCodePoint - 5, max: lastCodePoint }),
)
const set: fc.Arbitrary<CharSet> = fc
  .array(fc.tuple(edge, edge), { maxLength: 5 })
  .map((pairs) => normaliseRanges(pairs.map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)))

const samples = [
  ...Array.from({ length: 44 }, (_, i) => i),
  1000,
  ...[6, 5, 4, 3, 2, 1, 0].map((i) => lastCodePoint - i),
]

function membersOf(chars: CharSet): number[] {
  return samples.filter((sample) => hasCodePoint(chars, sample))
}

describe('sets of characters', () => {
  it('obey the laws of sets', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const inA = new Set(membersOf(a))
        const inB = new Set(membersOf(b))
        expect(membersOf(unionOf(a, b))).toEqual(samples.filter((s) => inA.has(s) || inB.has(s)))
        expect(membersOf(intersectionOf(a, b))).toEqual(samples.filter((s) => inA.has(s) && inB.has(s)))
        expect(membersOf(complementOf(a))).toEqual(samples.filter((s) => !inA.has(s)))
        expect(complementOf(complementOf(a))).toEqual(a)
        expect(areDisjoint(a, b)).toBe(intersectionOf(a, b).length === 0)
        expect(isSubset(a, b)).toBe(unionOf(a, b).join() === b.join())
      }),
    )
  })

  it('keep their ranges sorted and apart', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const union = unionOf(a, b)
        for (let i = 2; i < union.length; i += 2) expect(union[i]).toBeGreaterThan((union[i - 1] ?? 0) + 1)
      }),
    )
  })

  it('count as white space what the platform does', () => {
    const platform = Array.from({ length: 0x10000 }, (_, i) => i).filter((i) =>
      /\s/.test(String.fromCharCode(i)),
    )
    expect(platform.filter((codePoint) => !hasCodePoint(whiteSpace, codePoint))).toEqual([])
    expect(whiteSpace.reduce((size, bound, i) => size + (i % 2 === 0 ? 1 - bound : bound), 0)).toBe(
      platform.length,
    )
  })
})
