import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutText, splitDeceptive } from './visible-text.js'

describe('splitDeceptive', () => {
  it('leaves ordinary text of any language as it is', () => {
    for (const text of ['plain', 'line\n\tindented', 'größe', 'שלום', '日本語', '👩‍💻'])
      expect(splitDeceptive(text)).toEqual([{ kind: 'text', text }])
  })

  it('shows what reorders text by its number', () => {
    expect(splitDeceptive('safe\u202Etxt.exe')).toEqual([
      { kind: 'text', text: 'safe' },
      { kind: 'escape', text: 'U+202E' },
      { kind: 'text', text: 'txt.exe' },
    ])
  })

  it('shows control characters, hidden characters and halves of characters by their numbers', () => {
    const shown = splitDeceptive('\u0000\u001b\u200b\ufeff\ud800\u{e0041}').map(({ text }) => text)
    expect(shown).toEqual(['U+0000 U+001B U+200B U+FEFF U+D800 U+E0041'])
  })

  it('makes few pieces of many characters', () => {
    expect(splitDeceptive('\u202e'.repeat(10_000))).toHaveLength(1)
  })

  it('loses no character of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const back = splitDeceptive(text).map(({ kind, text: shown }) =>
          kind === 'text'
            ? shown
            : shown
                .split(' ')
                .map((name) => String.fromCodePoint(Number.parseInt(name.slice(2), 16)))
                .join(''),
        )
        expect(back.join('')).toBe(text)
      }),
    )
  })
})

describe('cutText', () => {
  it('does not cut a character in two', () => {
    expect(cutText('a👍', 2)).toBe('a')
    expect(cutText('a👍', 3)).toBe('a👍')
    expect(cutText('abc', 2)).toBe('ab')
  })
})
