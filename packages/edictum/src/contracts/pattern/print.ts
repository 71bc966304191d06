// Writes a tree for the native engine. The text uses no flag, no shorthand class and no line anchor: those are the
// things on which dialects differ.
import {
  type CharSet,
  areDisjoint,
  asciiWordChars,
  complementOf,
  differenceOf,
  hasManyRanges,
  isSubset,
  onlyCodePoint,
  rangesOf,
  unionOf,
} from './char-set.js'
import {
  type Assertion,
  type PatternNode,
  type RepeatNode,
  type WordAssertion,
  isWordAssertion,
} from './syntax-tree.js'
import { unicodeNotWordChars, unicodeWordChars, wordCategories } from './unicode-words.js'

/** For `new RegExp(…, 'u')`. The loop `cut`, if given, is printed with its minimal count only. */
export function printNative(node: PatternNode, cut?: PatternNode): string {
  const print = (part: PatternNode): string => {
    switch (part.kind) {
      case 'set':
        return printNativeSet(part.set)
      case 'sequence': {
        let text = ''
        for (const [index, item] of part.items.entries()) {
          if (item.kind === 'choice') text += `(?:${print(item)})`
          else if (item.kind === 'assert' && isWordAssertion(item.assertion))
            text += printWordAssertion(item.assertion, {
              before: edgeOf(part.items.slice(0, index), 'end'),
              next: edgeOf(part.items.slice(index + 1), 'start'),
            })
          else text += print(item)
        }
        return text
      }
      case 'choice':
        return part.branches.map(print).join('|')
      case 'repeat': {
        const body = part.body.kind === 'set' ? print(part.body) : `(?:${print(part.body)})`
        return body + printBounds(part === cut ? { ...part, max: part.min } : part)
      }
      case 'assert':
        return isWordAssertion(part.assertion)
          ? printWordAssertion(part.assertion, { before: undefined, next: undefined })
          : nativeAssertions[part.assertion]
      case 'look':
        return `(?${part.direction === 'behind' ? '<' : ''}${part.expectation === 'match' ? '=' : '!'}${print(part.body)})`
      default:
        return part satisfies never
    }
  }
  return print(node)
}

// Positive on purpose: the engine also looks between the halves of a surrogate pair, where every negative one holds.
const nativeAssertions: Readonly<Record<Exclude<Assertion, WordAssertion>, string>> = {
  'text-start': '^',
  'line-start': '(?<=^|\\n)',
  'text-end': '$',
  'line-end': '(?=\\n|$)',
  'final-end': '(?=\\n?$)',
  'ascii-word-boundary': '\\b',
  'no-ascii-word-boundary': '(?:(?<=\\w)(?=\\w)|(?<=^|\\W)(?=\\W|$))',
}

/** What the characters on both sides of a place can be, where the pattern says so. */
interface Sides {
  readonly before: CharSet | undefined
  readonly next: CharSet | undefined
}

/**
 * The engine knows word boundaries of ASCII only. Mostly one side is known to be a word or not, and then the other is
 * all there is to look at: the engine searches much faster for `(?<!…)rm` than for both cases spelled out. The known
 * side is matched as a whole character, so a negative look at the other is safe inside a surrogate pair too.
 */
function printWordAssertion(assertion: WordAssertion, { before, next }: Sides): string {
  const words = unicodeWordChars()
  const word = printNativeSet(words)
  const other = assertion === 'word-boundary' ? '!' : '='
  const same = assertion === 'word-boundary' ? '=' : '!'
  if (next && isSubset(next, words)) {
    // Implied, and what the engine is quickest to reject.
    const quick = other === '!' && isSubset(next, asciiWordChars) ? '\\b' : ''
    return `${quick}(?<${other}${word})`
  }
  if (before && isSubset(before, words)) return `(?${other}${word})`
  if (next && areDisjoint(next, words)) return `(?<${same}${word})`
  if (before && areDisjoint(before, words)) return `(?${same}${word})`
  if (assertion === 'word-boundary') return `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`
  const notWord = printNativeSet(unicodeNotWordChars())
  return `(?:(?<=${word})(?=${word})|(?<=^|${notWord})(?=${notWord}|$))`
}

/** The characters that what the items match can start or end with; undefined if that may be nothing. */
function edgeOf(items: readonly PatternNode[], edge: 'start' | 'end'): CharSet | undefined {
  for (const item of edge === 'start' ? items : items.toReversed()) {
    switch (item.kind) {
      case 'assert':
      case 'look':
        continue
      case 'set':
        return item.set
      case 'sequence':
        if (item.items.length === 0) continue
        return edgeOf(item.items, edge)
      case 'repeat':
        return item.min === 0 ? undefined : edgeOf([item.body], edge)
      case 'choice': {
        let union: CharSet = []
        for (const branch of item.branches) {
          const set = edgeOf([branch], edge)
          if (!set) return undefined
          union = unionOf(union, set)
        }
        return union
      }
      default:
        return item satisfies never
    }
  }
  return undefined
}

export function printBounds({ min, max, preference }: RepeatNode): string {
  const lazy = preference === 'shortest' && min !== max ? '?' : ''
  if (min === 0 && max === Infinity) return `*${lazy}`
  if (min === 1 && max === Infinity) return `+${lazy}`
  if (min === 0 && max === 1) return `?${lazy}`
  if (min === max) return `{${min}}`
  return max === Infinity ? `{${min},}${lazy}` : `{${min},${max}}${lazy}`
}

// The same few sets come back in pattern after pattern.
const printedSets = new WeakMap<CharSet, string>()

function printNativeSet(set: CharSet): string {
  const known = printedSets.get(set)
  if (known !== undefined) return known
  const only = onlyCodePoint(set)
  const text = only === undefined ? printNativeClass(set) : printNativeChar(only)
  printedSets.set(set, text)
  return text
}

function printNativeClass(set: CharSet): string {
  const complement = complementOf(set)
  if (!hasManyRanges(set)) {
    const [sign, ranges] = complement.length < set.length ? ['^', complement] : ['', set]
    return `[${sign}${printRanges(ranges, printNativeChar)}]`
  }
  const inside = printByCategory(set)
  const outside = printByCategory(complement)
  return outside.length < inside.length ? `[^${outside}]` : `[${inside}]`
}

/** Names whole categories, which would be hundreds of ranges. */
function printByCategory(set: CharSet): string {
  let text = ''
  let rest = set
  for (const category of wordCategories()) {
    if (!isSubset(category.set, set)) continue
    text += `\\p{${category.property}}${printRanges(category.recent, printNativeChar)}`
    rest = differenceOf(rest, category.set)
  }
  return text + printRanges(rest, printNativeChar)
}

export function printRanges(set: CharSet, printChar: (codePoint: number) => string): string {
  let text = ''
  for (const [low, high] of rangesOf(set))
    text += low === high ? printChar(low) : `${printChar(low)}-${printChar(high)}`
  return text
}

function printNativeChar(codePoint: number): string {
  if (isPlain(codePoint)) return String.fromCharCode(codePoint)
  // Braces keep two lone surrogates in a row from being read as one character.
  return codePoint < 0x80 ? `\\x${codePoint.toString(16).padStart(2, '0')}` : `\\u{${codePoint.toString(16)}}`
}

export function isPlain(codePoint: number): boolean {
  return (
    (codePoint >= 0x30 && codePoint <= 0x39) ||
    (codePoint >= 0x41 && codePoint <= 0x5a) ||
    (codePoint >= 0x61 && codePoint <= 0x7a) ||
    codePoint === 0x20 ||
    codePoint === 0x5f
  )
}
