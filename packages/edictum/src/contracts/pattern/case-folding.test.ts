import { describe, expect, it } from 'vitest'
import { foldCase } from './case-folding.js'
import { charSetOf, hasCodePoint, lastCodePoint } from './char-set.js'

describe('folding case', () => {
  it.each([
    ['a', 'aA'],
    ['k', 'kK\u212a'],
    ['\u212a', 'kK\u212a'],
    ['S', 'sS\u017f'],
    ['1', '1'],
    ['_', '_'],
    ['ß', 'ßẞ'],
    ['Ω', 'Ωω\u2126'],
    ['ı', 'ı'],
    ['İ', 'İ'],
    ['𐐀', '𐐀𐐨'],
  ])('%s', (char, family) => {
    const folded = foldCase(charSetOf(char.codePointAt(0) ?? 0))
    for (const member of family) expect(hasCodePoint(folded, member.codePointAt(0) ?? 0)).toBe(true)
    expect(folded.reduce((size, bound, i) => size + (i % 2 === 0 ? 1 - bound : bound), 0)).toBe(
      [...family].length,
    )
  })

  it('reaches from a wide range back to ASCII', () => {
    const folded = foldCase([0x80, lastCodePoint])
    expect(['k', 'K', 's', 'S'].every((char) => hasCodePoint(folded, char.charCodeAt(0)))).toBe(true)
    expect(['a', 'Z', '1', '9'].some((char) => hasCodePoint(folded, char.charCodeAt(0)))).toBe(false)
  })

  it('keeps to a range of ASCII letters and their other case', () => {
    expect(foldCase([0x61, 0x63])).toEqual([0x41, 0x43, 0x61, 0x63])
    expect(foldCase([0x30, 0x5f])).toEqual([0x30, 0x5f, 0x61, 0x7a, 0x17f, 0x17f, 0x212a, 0x212a])
  })

  it('agrees with the platform on every letter of the first planes', () => {
    const disagreements: string[] = []
    for (let codePoint = 0x41; codePoint < 0x10500; codePoint++) {
      if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue
      const char = String.fromCodePoint(codePoint)
      const others = [char.toLowerCase(), char.toUpperCase()].filter((other) => other !== char)
      if (others.length === 0) continue
      const folded = foldCase(charSetOf(codePoint))
      const same = new RegExp(`^\\u{${codePoint.toString(16)}}$`, 'iu')
      for (const other of others) {
        const inSet = [...other].length === 1 && hasCodePoint(folded, other.codePointAt(0) ?? 0)
        if (inSet !== same.test(other)) disagreements.push(`${char} ${other}`)
      }
    }
    expect(disagreements).toEqual([])
  })
})
