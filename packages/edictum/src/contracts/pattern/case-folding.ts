// Case-insensitivity is resolved here, once, into plain sets: no engine is ever asked to ignore case, so none can
// disagree. Two characters are equal when Unicode simple case folding maps them to the same one.
import { type CharSet, charSetOf, hasCodePoint, normaliseRanges, rangesOf, unionOf } from './char-set.js'

const lastFoldedCodePoint = 0x1ffff
const kelvinSign = 0x212a
const longS = 0x17f

/** Adds every other-case form of the members. */
export function foldCase(set: CharSet): CharSet {
  const last = set[set.length - 1] ?? 0
  return last < 0x80 ? foldAscii(set) : foldUnicode(set)
}

const foldedAscii: CharSet[] = []

export function foldCodePoint(codePoint: number): CharSet {
  if (codePoint >= 0x80) return foldCase(charSetOf(codePoint))
  return (foldedAscii[codePoint] ??= foldAscii(charSetOf(codePoint)))
}

function foldAscii(set: CharSet): CharSet {
  const added: (readonly [number, number])[] = []
  for (const [low, high] of rangesOf(set)) {
    addShifted(added, [Math.max(low, 0x41), Math.min(high, 0x5a)], 0x20)
    addShifted(added, [Math.max(low, 0x61), Math.min(high, 0x7a)], -0x20)
  }
  if (added.length === 0) return set
  const folded = unionOf(set, normaliseRanges(added))
  if (hasCodePoint(folded, 0x6b)) added.push([kelvinSign, kelvinSign])
  if (hasCodePoint(folded, 0x73)) added.push([longS, longS])
  return unionOf(set, normaliseRanges(added))
}

function addShifted(
  added: (readonly [number, number])[],
  [low, high]: readonly [number, number],
  by: number,
): void {
  if (low <= high) added.push([low + by, high + by])
}

function foldUnicode(set: CharSet): CharSet {
  const added: (readonly [number, number])[] = []
  for (const family of caseFamilies()) {
    if (family.some((member) => hasCodePoint(set, member)))
      for (const member of family) added.push([member, member])
  }
  return unionOf(set, normaliseRanges(added))
}

let knownFamilies: readonly (readonly number[])[] | undefined

/** Groups of two or more characters that differ only in case. Built on first use: few patterns need it. */
function caseFamilies(): readonly (readonly number[])[] {
  knownFamilies ??= buildCaseFamilies()
  return knownFamilies
}

function buildCaseFamilies(): readonly (readonly number[])[] {
  const familyOf = new Map<string, Set<string>>()
  // The platform exposes simple case folding only through matching, hence the back-reference.
  const foldsAlike = /^(.)\1$/iu
  for (const char of casedCharacters()) {
    for (const other of [char.toLowerCase(), char.toUpperCase()]) {
      if (other === char || !foldsAlike.test(char + other)) continue
      const family = new Set([char, other, ...(familyOf.get(char) ?? []), ...(familyOf.get(other) ?? [])])
      for (const member of family) familyOf.set(member, family)
    }
  }
  return [...new Set(familyOf.values())].map((family) =>
    [...family].map((member) => member.codePointAt(0) ?? 0),
  )
}

function casedCharacters(): readonly string[] {
  let all = ''
  for (let start = 0; start <= lastFoldedCodePoint; start += 0x800) {
    if (start >= 0xd800 && start <= 0xdfff) continue
    all += String.fromCodePoint(...Array.from({ length: 0x800 }, (_, i) => start + i))
  }
  return all.match(/\p{Changes_When_Casemapped}/gu) ?? []
}
