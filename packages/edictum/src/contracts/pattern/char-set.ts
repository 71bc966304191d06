// Sets of code points. A set is a flat, sorted list of inclusive ranges `[low, high, low, high, …]`
// whose ranges neither overlap nor touch, so that two equal sets are equal lists.

export type CharSet = readonly number[]

export const lastCodePoint = 0x10ffff

export const noChar: CharSet = []
export const anyChar: CharSet = [0, lastCodePoint]
export const ascii: CharSet = [0, 0x7f]
export const lineFeed: CharSet = [0x0a, 0x0a]
export const asciiDigits: CharSet = [0x30, 0x39]
export const asciiWordChars: CharSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]
export const whiteSpace: CharSet = [
  0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f,
  0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff,
]
export const notAsciiDigits = complementOf(asciiDigits)
export const notAsciiWordChars = complementOf(asciiWordChars)
export const notWhiteSpace = complementOf(whiteSpace)
export const notLineFeed = complementOf(lineFeed)

const asciiSingles: readonly CharSet[] = Array.from({ length: 128 }, (_, codePoint) => [codePoint, codePoint])

export function charSetOf(codePoint: number): CharSet {
  return asciiSingles[codePoint] ?? [codePoint, codePoint]
}

/** Sorts and merges ranges given in any order. */
export function normaliseRanges(ranges: readonly (readonly [number, number])[]): CharSet {
  const sorted = ranges.length > 1 ? ranges.toSorted((a, b) => a[0] - b[0]) : ranges
  const set: number[] = []
  for (const [low, high] of sorted) appendRange(set, low, high)
  return set
}

/** Adds a range that starts no earlier than the last one. */
function appendRange(set: number[], low: number, high: number): void {
  const end = set.length === 0 ? -2 : (set[set.length - 1] ?? 0)
  if (low > end + 1) set.push(low, high)
  else if (high > end) set[set.length - 1] = high
}

export function rangesOf(set: CharSet): (readonly [number, number])[] {
  const ranges: (readonly [number, number])[] = []
  for (let i = 0; i < set.length; i += 2) ranges.push([set[i] ?? 0, set[i + 1] ?? 0])
  return ranges
}

export function unionOf(a: CharSet, b: CharSet): CharSet {
  if (a === b || b.length === 0 || a === anyChar) return a
  if (a.length === 0 || b === anyChar) return b
  const union: number[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (j >= b.length || (i < a.length && (a[i] ?? 0) <= (b[j] ?? 0))) {
      appendRange(union, a[i] ?? 0, a[i + 1] ?? 0)
      i += 2
    } else {
      appendRange(union, b[j] ?? 0, b[j + 1] ?? 0)
      j += 2
    }
  }
  return union
}

export function complementOf(set: CharSet): CharSet {
  const complement: number[] = []
  let next = 0
  for (let i = 0; i < set.length; i += 2) {
    const low = set[i] ?? 0
    if (low > next) complement.push(next, low - 1)
    next = (set[i + 1] ?? 0) + 1
  }
  if (next <= lastCodePoint) complement.push(next, lastCodePoint)
  return complement
}

export function intersectionOf(a: CharSet, b: CharSet): CharSet {
  if (a === b || b === anyChar) return a
  if (a === anyChar) return b
  const intersection: number[] = []
  let i = rangeNotBefore(a, b[0] ?? 0)
  let j = rangeNotBefore(b, a[0] ?? 0)
  while (i < a.length && j < b.length) {
    const low = Math.max(a[i] ?? 0, b[j] ?? 0)
    const endOfA = a[i + 1] ?? 0
    const endOfB = b[j + 1] ?? 0
    if (low <= Math.min(endOfA, endOfB)) intersection.push(low, Math.min(endOfA, endOfB))
    if (endOfA < endOfB) i += 2
    else j += 2
  }
  return intersection
}

export function differenceOf(a: CharSet, b: CharSet): CharSet {
  return intersectionOf(a, complementOf(b))
}

export function areDisjoint(a: CharSet, b: CharSet): boolean {
  if (a.length === 0 || b.length === 0) return true
  // One of the two is often a handful of characters, and the other all letters there are.
  let i = rangeNotBefore(a, b[0] ?? 0)
  let j = rangeNotBefore(b, a[0] ?? 0)
  while (i < a.length && j < b.length) {
    if ((a[i + 1] ?? 0) < (b[j] ?? 0)) i += 2
    else if ((b[j + 1] ?? 0) < (a[i] ?? 0)) j += 2
    else return false
  }
  return true
}

export function isSubset(part: CharSet, whole: CharSet): boolean {
  let j = rangeNotBefore(whole, part[0] ?? 0)
  for (let i = 0; i < part.length; i += 2) {
    while (j < whole.length && (whole[j + 1] ?? 0) < (part[i] ?? 0)) j += 2
    if (j >= whole.length || (whole[j] ?? 0) > (part[i] ?? 0) || (whole[j + 1] ?? 0) < (part[i + 1] ?? 0))
      return false
  }
  return true
}

export function hasCodePoint(set: CharSet, codePoint: number): boolean {
  const range = rangeNotBefore(set, codePoint)
  return range < set.length && (set[range] ?? 0) <= codePoint
}

/** Where the first range stands that ends at the code point or later. */
function rangeNotBefore(set: CharSet, codePoint: number): number {
  let low = 0
  let high = set.length >>> 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((set[2 * middle + 1] ?? 0) < codePoint) low = middle + 1
    else high = middle
  }
  return 2 * low
}

/** The code point of a set that holds exactly one. */
export function onlyCodePoint(set: CharSet): number | undefined {
  return set.length === 2 && set[0] === set[1] ? set[0] : undefined
}

/** Whether the set is one of all scripts. Authors do not write out as many ranges as their digits alone have. */
export function hasManyRanges(set: CharSet): boolean {
  return set.length >= 100
}
