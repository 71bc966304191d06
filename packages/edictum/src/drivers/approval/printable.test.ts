import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makePrintable, wrapText } from './printable.js'

describe('makePrintable', () => {
  it.each([
    ['a newline', 'a\nb', 'a\\nb'],
    ['a carriage return', 'a\rb', 'a\\rb'],
    ['a tab', 'a\tb', 'a\\tb'],
    ['a backspace', 'a\bb', 'a\\u{8}b'],
    ['a colour sequence', '\u001b[31mred', '\\u{1b}[31mred'],
    ['a one-byte control sequence introducer', '\u009b2J', '\\u{9b}2J'],
    ['a title sequence', '\u001b]0;title\u0007', '\\u{1b}]0;title\\u{7}'],
    ['a right-to-left override', 'txt.\u202eexe', 'txt.\\u{202e}exe'],
    ['an isolate', '\u2066x\u2069', '\\u{2066}x\\u{2069}'],
    ['an Arabic letter mark', '\u061cx', '\\u{61c}x'],
    ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
    ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
    ['an invisible filler', 'a\u3164b', 'a\\u{3164}b'],
    ['a tag character', 'a\u{e0041}b', 'a\\u{e0041}b'],
    ['a half of a pair', 'a\ud800b', 'a\\u{d800}b'],
    ['a blank that is no space', 'a\u00a0b', 'a\\u{a0}b'],
    ['the fourth accent on one letter', 'e\u0301\u0301\u0301\u0301', 'e\u0301\u0301\u0301\\u{301}'],
  ])('writes out %s', (_what, text, printable) => {
    expect(makePrintable(text)).toBe(printable)
  })

  it.each(['plain text, with punctuation!', 'Grüße aus Köln', '删除所有用户', 'हिन्दी', '🚀', 'cafe\u0301'])(
    'leaves %s as it is',
    (text) => {
      expect(makePrintable(text)).toBe(text)
    },
  )

  it('leaves nothing for a terminal to act on in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(makePrintable(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
      }),
    )
  })
})

describe('wrapText', () => {
  it('breaks lines by columns and counts wide characters as two', () => {
    expect(wrapText('abcdef', 4)).toEqual(['abcd', 'ef'])
    expect(wrapText('删除用户', 4)).toEqual(['删除', '用户'])
    expect(wrapText('', 4)).toEqual([''])
  })

  it('loses nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 20 }), (text, columns) => {
        expect(wrapText(text, columns).join('')).toBe(text)
      }),
    )
  })
})
