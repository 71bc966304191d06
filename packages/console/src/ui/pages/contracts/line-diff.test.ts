import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffLines } from './line-diff.js'

describe('diffLines', () => {
  it('keeps what is common and marks the rest', () => {
    expect(diffLines('a\nb\nc', 'a\nx\nc\nd').map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'same a',
      'removed b',
      'added x',
      'same c',
      'added d',
    ])
  })

  it('holds both texts whole, whatever they are', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(lines, lines, (left, right) => {
        const diff = diffLines(left.join('\n'), right.join('\n'))
        const side = (other: string): readonly string[] =>
          diff.filter(({ kind }) => kind !== other).map(({ text }) => text)
        expect(side('added')).toEqual(left)
        expect(side('removed')).toEqual(right)
      }),
    )
  })
})
