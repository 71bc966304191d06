// Whether a pattern occurs in a long text, found out with pauses: piece by piece, where a match can only be short.
import { overlappingPieces, pieceLength } from '../../internal/overlapping-pieces.js'
import type { Matcher } from './matcher.js'
import { type Assertion, type PatternNode, widthOf } from './syntax-tree.js'

/** Both halves of a surrogate pair. */
const longestCharacter = 2

/**
 * How much text, in code units, decides whether there is a match in it: the match itself and the character on either
 * side. Infinity when the pattern can ask for more than that.
 */
export function reachOf(tree: PatternNode): number {
  return looksFar(tree) ? Infinity : (widthOf(tree).max + 2) * longestCharacter
}

/**
 * At the end of a piece there may seem to be a match where the text goes on, so a match in a piece is only a reason to
 * look at the whole; but what matches in the whole lies with all that decides it in some piece.
 */
export function* testInPieces(
  text: string,
  { test, reach }: { readonly test: Matcher['test']; readonly reach: number },
  length = pieceLength,
): Generator<undefined, boolean> {
  if (text.length <= length || reach > length) return test(text)
  for (const { start, end } of overlappingPieces(text, reach, length)) {
    if (test(text.slice(start, end))) return test(text)
    yield
  }
  return false
}

const farAssertions: ReadonlySet<Assertion> = new Set(['text-start', 'text-end', 'final-end'])

function looksFar(node: PatternNode): boolean {
  switch (node.kind) {
    case 'set':
      return false
    case 'look':
      return true
    case 'assert':
      return farAssertions.has(node.assertion)
    case 'repeat':
      return looksFar(node.body)
    case 'sequence':
      return node.items.some(looksFar)
    case 'choice':
      return node.branches.some(looksFar)
    default:
      return node satisfies never
  }
}
