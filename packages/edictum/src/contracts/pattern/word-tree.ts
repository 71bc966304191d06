// Turns long lists of words into a tree of their common beginnings, so that a backtracking engine follows one
// branch instead of trying every word.
import { type CharSet, areDisjoint } from './char-set.js'
import { type ChoiceNode, type PatternNode, type SetNode, emptyNode } from './syntax-tree.js'

/** The same pattern, with branches that begin alike put together wherever that keeps their order of preference. */
export function factorChoices(node: PatternNode): PatternNode {
  switch (node.kind) {
    case 'set':
    case 'assert':
      return node
    case 'sequence':
      return { kind: 'sequence', items: node.items.map(factorChoices) }
    case 'repeat':
    case 'look':
      return { ...node, body: factorChoices(node.body) }
    case 'choice':
      return factorBranches(node)
    default:
      return node satisfies never
  }
}

function factorBranches({ branches }: ChoiceNode): PatternNode {
  const factored: PatternNode[] = []
  let run: Word[] = []
  for (const branch of branches) {
    const word = readWord(branch)
    if (word) run.push(word)
    else {
      factored.push(...factorRun(run), factorChoices(branch))
      run = []
    }
  }
  factored.push(...factorRun(run))
  const [only] = factored
  return factored.length === 1 && only ? only : { kind: 'choice', branches: factored }
}

interface Word {
  readonly head: SetNode
  readonly tail: PatternNode
}

function readWord(branch: PatternNode): Word | undefined {
  if (branch.kind === 'set') return { head: branch, tail: emptyNode }
  const [head, ...rest] = branch.kind === 'sequence' ? branch.items : []
  return head?.kind === 'set' ? { head, tail: { kind: 'sequence', items: rest } } : undefined
}

function factorRun(words: readonly Word[]): PatternNode[] {
  const groups: { readonly head: SetNode; readonly tails: PatternNode[] }[] = []
  for (const { head, tail } of words) {
    const group = groups.find((other) => areEqual(other.head.set, head.set))
    if (group) group.tails.push(tail)
    else groups.push({ head, tails: [tail] })
  }
  // Branches may change places only if no text can begin two of them.
  if (!areAllDisjoint(groups.map(({ head }) => head.set)))
    return words.map(({ head, tail }) => prepend(head, factorChoices(tail)))
  return groups.map(({ head, tails }) => {
    const [only] = tails
    return prepend(
      head,
      factorChoices(tails.length === 1 && only ? only : { kind: 'choice', branches: tails }),
    )
  })
}

function prepend(head: SetNode, tail: PatternNode): PatternNode {
  return { kind: 'sequence', items: tail.kind === 'sequence' ? [head, ...tail.items] : [head, tail] }
}

function areEqual(a: CharSet, b: CharSet): boolean {
  return a === b || (a.length === b.length && a.every((value, index) => value === b[index]))
}

function areAllDisjoint(sets: readonly CharSet[]): boolean {
  return sets.every((set, index) => sets.slice(index + 1).every((other) => areDisjoint(set, other)))
}

/**
 * How many characters a backtracking engine compares, at most, to find out which word of a tree stands at a place:
 * at each fork it looks at all branches and can follow one. Undefined if the node is not such a tree.
 */
export function countComparisons(node: PatternNode): number | undefined {
  if (node.kind === 'set') return 1
  if (node.kind === 'choice') return compareBranches(node)
  if (node.kind !== 'sequence') return undefined
  const last = node.items.at(-1)
  if (node.items.some((item) => item.kind !== 'set' && item !== last)) return undefined
  if (!last || last.kind === 'set') return node.items.length
  const rest = countComparisons(last)
  return rest === undefined || last.kind !== 'choice' ? undefined : node.items.length - 1 + rest
}

function compareBranches({ branches }: ChoiceNode): number | undefined {
  let deepest = 0
  const heads: CharSet[] = []
  for (const branch of branches) {
    const comparisons = countComparisons(branch)
    if (comparisons === undefined || branch.kind === 'choice') return undefined
    deepest = Math.max(deepest, comparisons)
    const head = readWord(branch)?.head
    if (head) heads.push(head.set)
  }
  return areAllDisjoint(heads) ? branches.length + deepest : undefined
}
