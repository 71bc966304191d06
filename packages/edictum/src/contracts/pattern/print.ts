// Writes a tree for the native engine and for re2js. Neither text uses a flag, a shorthand class or a line anchor:
// those are the things on which dialects differ.
import { type CharSet, complementOf, onlyCodePoint, rangesOf } from './char-set.js'
import type { Assertion, PatternNode, RepeatNode } from './syntax-tree.js'

/** For `new RegExp(…, 'u')`. The loop `cut`, if given, is printed with its minimal count only. */
export function printNative(node: PatternNode, cut?: PatternNode): string {
  const print = (part: PatternNode): string => {
    switch (part.kind) {
      case 'set':
        return printNativeSet(part.set)
      case 'sequence': {
        let text = ''
        for (const item of part.items) text += item.kind === 'choice' ? `(?:${print(item)})` : print(item)
        return text
      }
      case 'choice':
        return part.branches.map(print).join('|')
      case 'repeat': {
        const body = part.body.kind === 'set' ? print(part.body) : `(?:${print(part.body)})`
        return body + printBounds(part === cut ? { ...part, max: part.min } : part)
      }
      case 'assert':
        return nativeAssertions[part.assertion]
      case 'look':
        return `(?${part.direction === 'behind' ? '<' : ''}${part.expectation === 'match' ? '=' : '!'}${print(part.body)})`
      default:
        return part satisfies never
    }
  }
  return print(node)
}

// Positive on purpose: the engine also looks between the halves of a surrogate pair, where every negative one holds.
const nativeAssertions: Readonly<Record<Assertion, string>> = {
  'text-start': '^',
  'line-start': '(?<=^|\\n)',
  'text-end': '$',
  'line-end': '(?=\\n|$)',
  'final-end': '(?=\\n?$)',
  'word-boundary': '\\b',
  'no-word-boundary': '(?:(?<=\\w)(?=\\w)|(?<=^|\\W)(?=\\W|$))',
}

function printBounds({ min, max, preference }: RepeatNode): string {
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
  const [sign, ranges] = complement.length < set.length ? ['^', complement] : ['', set]
  return `[${sign}${printRanges(ranges, printNativeChar)}]`
}

function printRanges(set: CharSet, printChar: (codePoint: number) => string): string {
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

function isPlain(codePoint: number): boolean {
  return (
    (codePoint >= 0x30 && codePoint <= 0x39) ||
    (codePoint >= 0x41 && codePoint <= 0x5a) ||
    (codePoint >= 0x61 && codePoint <= 0x7a) ||
    codePoint === 0x20 ||
    codePoint === 0x5f
  )
}

/**
 * For re2js, and only to ask whether the pattern occurs: the place before a final line feed is not something re2
 * can assert, so it is consumed instead, which is right where nothing follows. Undefined where something does.
 */
export function printLinear(node: PatternNode): string | undefined {
  let printable = true
  const print = (part: PatternNode, place: 'last' | 'inside'): string => {
    switch (part.kind) {
      case 'set':
        return printLinearSet(part.set)
      case 'sequence':
        return part.items
          .map((item, index) => {
            const text = print(item, index === part.items.length - 1 ? place : 'inside')
            return item.kind === 'choice' ? `(?:${text})` : text
          })
          .join('')
      case 'choice':
        return part.branches.map((branch) => print(branch, place)).join('|')
      case 'repeat': {
        const body = print(part.body, 'inside')
        return (part.body.kind === 'set' ? body : `(?:${body})`) + printBounds(part)
      }
      case 'assert':
        if (part.assertion === 'final-end' && place === 'inside') printable = false
        return linearAssertions[part.assertion]
      case 'look':
        printable = false
        return ''
      default:
        return part satisfies never
    }
  }
  const text = print(node, 'last')
  return printable ? text : undefined
}

const linearAssertions: Readonly<Record<Assertion, string>> = {
  'text-start': '\\A',
  'line-start': '(?m:^)',
  'text-end': '\\z',
  'line-end': '(?m:$)',
  'final-end': '\\n?\\z',
  'word-boundary': '\\b',
  'no-word-boundary': '\\B',
}

function printLinearSet(set: CharSet): string {
  const only = onlyCodePoint(set)
  if (only !== undefined) return printLinearChar(only)
  return set.length === 0 ? '[^\\x{0}-\\x{10ffff}]' : `[${printRanges(set, printLinearChar)}]`
}

function printLinearChar(codePoint: number): string {
  return isPlain(codePoint) ? String.fromCharCode(codePoint) : `\\x{${codePoint.toString(16)}}`
}
