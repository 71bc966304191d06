import {
  type CharSet,
  asciiDigits,
  asciiWordChars,
  lastCodePoint,
  notAsciiDigits,
  notAsciiWordChars,
  notWhiteSpace,
  whiteSpace,
} from './char-set.js'
import { type Cursor, type Flags, refuseSyntax, refuseUnsupported } from './parse-cursor.js'
import type { Assertion } from './syntax-tree.js'
import { unicodeDigits, unicodeNotDigits, unicodeNotWordChars, unicodeWordChars } from './unicode-words.js'

export type Escape =
  { readonly codePoint: number } | { readonly set: CharSet } | { readonly assertion: Assertion }

const asciiSets: Readonly<Record<string, CharSet>> = {
  d: asciiDigits,
  D: notAsciiDigits,
  w: asciiWordChars,
  W: notAsciiWordChars,
}

const unicodeSets: Readonly<Record<string, () => CharSet>> = {
  d: unicodeDigits,
  D: unicodeNotDigits,
  w: unicodeWordChars,
  W: unicodeNotWordChars,
}

// A no-break space must not evade a pattern because somebody asked for ASCII words.
const commonSets: Readonly<Record<string, CharSet>> = { s: whiteSpace, S: notWhiteSpace }

const asciiAssertions: Readonly<Record<string, Assertion>> = {
  b: 'ascii-word-boundary',
  B: 'no-ascii-word-boundary',
}

const assertionEscapes: Readonly<Record<string, Assertion>> = {
  A: 'text-start',
  Z: 'text-end',
  b: 'word-boundary',
  B: 'no-word-boundary',
}

const controlEscapes: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }

const hexLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/** Reads the escape at the cursor, which stands on the backslash. */
export function readEscape(cursor: Cursor, flags: Flags, place: 'outside' | 'class'): Escape {
  const { source } = cursor
  const codePoint = source.codePointAt(cursor.at + 1)
  if (codePoint === undefined)
    return refuseSyntax(cursor, {
      message: 'the pattern ends in the middle of an escape, after `\\`',
      hint: 'write `\\\\` for a literal backslash',
    })
  const letter = String.fromCodePoint(codePoint)
  const set = commonSets[letter] ?? (flags.ascii ? asciiSets[letter] : unicodeSets[letter]?.())
  if (set) return advance(cursor, 2, { set })
  const control = place === 'class' && letter === 'b' ? 8 : controlEscapes[letter]
  if (control !== undefined) return advance(cursor, 2, { codePoint: control })
  const assertion = (flags.ascii ? asciiAssertions[letter] : undefined) ?? assertionEscapes[letter]
  if (assertion && place === 'outside') return advance(cursor, 2, { assertion })
  const hexLength = hexLengths[letter]
  if (hexLength !== undefined) return readHexEscape(cursor, hexLength)
  if (letter >= '0' && letter <= '9') return readDigitEscape(cursor, place)
  if (/[A-Za-z]/.test(letter)) return refuseLetter(cursor, letter, place)
  return advance(cursor, 1 + letter.length, { codePoint })
}

function advance(cursor: Cursor, length: number, escape: Escape): Escape {
  cursor.at += length
  return escape
}

function readHexEscape(cursor: Cursor, length: number): Escape {
  const { source } = cursor
  const hex = source.slice(cursor.at + 2, cursor.at + 2 + length)
  const codePoint = /^[0-9A-Fa-f]+$/.test(hex) && hex.length === length ? parseInt(hex, 16) : Infinity
  if (codePoint > lastCodePoint)
    return refuseSyntax(cursor, {
      message: `\`${source.slice(cursor.at, cursor.at + 2)}\` needs ${length} hexadecimal digits of a character`,
      hint: 'write `\\xhh`, `\\uhhhh` or `\\Uhhhhhhhh`',
    })
  return advance(cursor, 2 + length, { codePoint })
}

const octal = /\\(?:0[0-7]{0,2}|[0-7]{3})/y
const classOctal = /\\[0-7]{1,3}/y
const reference = /\\[0-9]{1,2}/y

function readDigitEscape(cursor: Cursor, place: 'outside' | 'class'): Escape {
  const shape = place === 'class' ? classOctal : octal
  shape.lastIndex = cursor.at
  const [text] = shape.exec(cursor.source) ?? []
  if (text === undefined) return refuseReference(cursor, place)
  const codePoint = parseInt(text.slice(1), 8)
  if (codePoint > 0o377)
    return refuseSyntax(cursor, {
      message: `the octal escape \`${text}\` is greater than \`\\377\``,
      hint: 'write the character as `\\uhhhh`',
    })
  return advance(cursor, text.length, { codePoint })
}

function refuseReference(cursor: Cursor, place: 'outside' | 'class'): never {
  reference.lastIndex = cursor.at
  const [text = ''] = reference.exec(cursor.source) ?? []
  if (place === 'class')
    return refuseSyntax(cursor, {
      message: `\`${text}\` is no escape in a character class`,
      hint: 'write the character as `\\xhh`',
    })
  return refuseUnsupported(cursor, {
    message: `the back-reference \`${text}\` is not supported`,
    hint: 'write out what may be repeated, or compare the two values in a custom operator',
  })
}

function refuseLetter(cursor: Cursor, letter: string, place: 'outside' | 'class'): never {
  if (letter === 'p' || letter === 'P')
    return refuseUnsupported(cursor, {
      message: `the property class \`\\${letter}\` is not supported`,
      hint: 'name the characters: `[A-Za-z]` for letters, or a range such as `[\\u00c0-\\u024f]`',
    })
  if (letter === 'N')
    return refuseUnsupported(cursor, {
      message: 'the named character `\\N` is not supported',
      hint: 'write the character itself or its number: `\\u2014`',
    })
  if (letter === 'z' && place === 'outside')
    return refuseSyntax(cursor, {
      message: '`\\z` is no escape of this dialect',
      hint: 'the end of the text is written `\\Z`',
    })
  return refuseSyntax(cursor, {
    message: `\`\\${letter}\` is no escape${place === 'class' ? ' in a character class' : ''}`,
    hint: `write \`${letter}\` for the letter, or \`\\\\${letter}\` for a backslash before it`,
  })
}
