import { describe, expect, it } from 'vitest'
import { areDisjoint, hasCodePoint, lastCodePoint, whiteSpace } from './char-set.js'
import { isUnicodeWord, unicodeDigits, unicodeWordChars, wordCategories } from './unicode-words.js'

/** Code points of which the two say different things. */
function differences(a: (codePoint: number) => boolean, b: (codePoint: number) => boolean): string[] {
  const found: string[] = []
  for (let codePoint = 0; codePoint <= lastCodePoint; codePoint++)
    if (a(codePoint) !== b(codePoint)) found.push(codePoint.toString(16))
  return found
}

describe('the table of letters and numbers', () => {
  it.each(wordCategories().map((category) => [category.property, category] as const))(
    'has, with what is recent, the %s of the platform',
    (property, { set, recent }) => {
      const known = new RegExp(`\\p{${property}}`, 'u')
      const printed = (codePoint: number): boolean =>
        known.test(String.fromCodePoint(codePoint)) || hasCodePoint(recent, codePoint)
      // What fails here on a platform with a later Unicode is to be added to the table, as recent.
      expect(differences((codePoint) => hasCodePoint(set, codePoint), printed)).toEqual([])
    },
  )

  it('answers for one character as the set does', () => {
    const words = unicodeWordChars()
    expect(differences((codePoint) => hasCodePoint(words, codePoint), isUnicodeWord)).toEqual([])
    expect(isUnicodeWord(-1)).toBe(false)
  })

  it('counts neither white space nor punctuation as part of a word', () => {
    expect(areDisjoint(unicodeWordChars(), whiteSpace)).toBe(true)
    for (const char of '-.,:;/@#$%&*+=<>"\'()[]{}|~`') expect(isUnicodeWord(char.charCodeAt(0))).toBe(false)
    expect(hasCodePoint(unicodeDigits(), 0x39)).toBe(true)
  })
})
