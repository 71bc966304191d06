// An engine written by others, to compare ours with: patterns printed for re2js, as far as it can express them.
import { RE2JS } from 're2js'
import {
  ascii,
  type CharSet,
  hasManyRanges,
  intersectionOf,
  onlyCodePoint,
} from '../src/contracts/pattern/char-set.js'
import { isPlain, printBounds, printRanges } from '../src/contracts/pattern/print.js'
import {
  type Assertion,
  isWordAssertion,
  type PatternNode,
  type WordAssertion,
} from '../src/contracts/pattern/syntax-tree.js'

export function compileForRe2(tree: PatternNode): RE2JS | undefined {
  const source = printLinear(tree)
  if (source === undefined) return undefined
  try {
    return RE2JS.compile(source)
  } catch {
    // Its limits on counts and sizes are lower than ours.
    return undefined
  }
}

/** What a pattern means in a text of ASCII: re2js knows no word boundaries of other scripts. */
export function limitToAscii(node: PatternNode): PatternNode {
  switch (node.kind) {
    case 'set':
      return hasManyRanges(node.set) ? { kind: 'set', set: intersectionOf(node.set, ascii) } : node
    case 'assert':
      return isWordAssertion(node.assertion)
        ? { kind: 'assert', assertion: asciiAssertions[node.assertion] }
        : node
    case 'sequence':
      return { kind: 'sequence', items: node.items.map(limitToAscii) }
    case 'choice':
      return { kind: 'choice', branches: node.branches.map(limitToAscii) }
    case 'repeat':
    case 'look':
      return { ...node, body: limitToAscii(node.body) }
    default:
      return node satisfies never
  }
}

const asciiAssertions = {
  'word-boundary': 'ascii-word-boundary',
  'no-word-boundary': 'no-ascii-word-boundary',
} as const

/**
 * Only to ask whether the pattern occurs: the place before a final line feed is not something re2
 * can assert, so it is consumed instead, which is right where nothing follows. Undefined where something does.
 */
function printLinear(node: PatternNode): string | undefined {
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
        if (isWordAssertion(part.assertion) || (part.assertion === 'final-end' && place === 'inside')) {
          printable = false
          return ''
        }
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

const linearAssertions: Readonly<Record<Exclude<Assertion, WordAssertion>, string>> = {
  'text-start': '\\A',
  'line-start': '(?m:^)',
  'text-end': '\\z',
  'line-end': '(?m:$)',
  'final-end': '\\n?\\z',
  'ascii-word-boundary': '\\b',
  'no-ascii-word-boundary': '\\B',
}

function printLinearSet(set: CharSet): string {
  const only = onlyCodePoint(set)
  if (only !== undefined) return printLinearChar(only)
  return set.length === 0 ? '[^\\x{0}-\\x{10ffff}]' : `[${printRanges(set, printLinearChar)}]`
}

function printLinearChar(codePoint: number): string {
  return isPlain(codePoint) ? String.fromCharCode(codePoint) : `\\x{${codePoint.toString(16)}}`
}
