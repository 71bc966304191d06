// Finds texts of which at least one is in every match, so that most texts can be dismissed without running anything.
import { onlyCodePoint } from './char-set.js'
import type { PatternNode } from './syntax-tree.js'

const maxLiterals = 8
const maxLiteralLength = 64

export function findRequiredLiterals(tree: PatternNode): readonly string[] | undefined {
  const literals = best(requirementOf(tree))
  return literals.length === 0 ? undefined : literals
}

interface Requirement {
  /** The text itself, when the node matches one text only. */
  readonly exact: string | undefined
  /** Texts of which every match contains one; empty when nothing is known. */
  readonly oneOf: readonly string[]
}

const nothing: Requirement = { exact: undefined, oneOf: [] }
const emptyText: Requirement = { exact: '', oneOf: [] }

function best({ exact, oneOf }: Requirement): readonly string[] {
  return exact ? [exact] : oneOf
}

function requirementOf(node: PatternNode): Requirement {
  switch (node.kind) {
    case 'set': {
      const only = onlyCodePoint(node.set)
      return only === undefined ? nothing : { exact: String.fromCodePoint(only), oneOf: [] }
    }
    case 'assert':
    case 'look':
      return emptyText
    case 'sequence':
      return sequenceRequirement(node.items)
    case 'choice': {
      const branches = node.branches.map((branch) => best(requirementOf(branch)))
      if (branches.some((literals) => literals.length === 0)) return nothing
      const oneOf = [...new Set(branches.flat())]
      return oneOf.length > maxLiterals ? nothing : { exact: undefined, oneOf }
    }
    case 'repeat': {
      if (node.min === 0) return node.max === 0 ? emptyText : nothing
      const body = requirementOf(node.body)
      if (body.exact === undefined || body.exact === '') return body
      const copies = Math.min(node.min, Math.ceil(maxLiteralLength / body.exact.length))
      const run = body.exact.repeat(copies)
      return copies === node.max ? { exact: run, oneOf: [] } : { exact: undefined, oneOf: [run] }
    }
    default:
      return node satisfies never
  }
}

function sequenceRequirement(items: readonly PatternNode[]): Requirement {
  let run = ''
  let chosen: readonly string[] = []
  let everyItemExact = true
  for (const item of items) {
    const only = item.kind === 'set' ? onlyCodePoint(item.set) : undefined
    if (only !== undefined) {
      run += String.fromCodePoint(only)
      continue
    }
    const { exact, oneOf } = requirementOf(item)
    if (exact !== undefined) {
      run += exact
      continue
    }
    everyItemExact = false
    if (run !== '') chosen = better(chosen, [run])
    if (oneOf.length > 0) chosen = better(chosen, oneOf)
    run = ''
  }
  if (everyItemExact) return { exact: run, oneOf: [] }
  return { exact: undefined, oneOf: run === '' ? chosen : better(chosen, [run]) }
}

/** The one whose shortest literal is longer, since a longer text is rarer; then the one with fewer literals. */
function better(a: readonly string[], b: readonly string[]): readonly string[] {
  const byLength = shortestOf(a) - shortestOf(b)
  if (byLength !== 0) return byLength > 0 ? a : b
  return a.length <= b.length ? a : b
}

function shortestOf(literals: readonly string[]): number {
  return literals.length === 0 ? 0 : Math.min(...literals.map((literal) => literal.length))
}
