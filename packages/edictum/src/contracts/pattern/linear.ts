import { RE2JS } from 're2js'
import { createAutomaton } from './automaton.js'
import { ascii, hasManyRanges, intersectionOf } from './char-set.js'
import type { Matcher } from './matcher.js'
import { hasOccurrence, replaceOccurrences } from './occurrences.js'
import { printLinear } from './print.js'
import { compileProgram } from './program.js'
import { type PatternNode, isWordAssertion } from './syntax-tree.js'

/** Runs a pattern in linear time without a proof; undefined when it looks around or would cost too much. */
export function createLinearMatcher(tree: PatternNode): Matcher | undefined {
  const program = compileProgram(tree)
  const automaton = program && createAutomaton(program)
  if (!automaton) return undefined
  const slow: Matcher['test'] = (text) => hasOccurrence(automaton, text)
  let lengthRead = 0
  let search: Matcher['test'] = (text) => {
    lengthRead += text.length
    if (lengthRead > preparationLength) search = prepareSearch(tree, slow)
    return slow(text)
  }
  return {
    test: (text) => search(text),
    replaceAll: (text, replacement) => replaceOccurrences(automaton, text, replacement),
  }
}

function prepareSearch(tree: PatternNode, slow: Matcher['test']): Matcher['test'] {
  const fast = createFastSearch(tree)
  if (fast) return fast
  const fastOnAscii = createFastSearch(limitToAscii(tree))
  if (!fastOnAscii) return slow
  return (text) => (beyondAscii.test(text) ? slow(text) : fastOnAscii(text))
}

/** How much text a pattern has to read before it is worth a millisecond of preparation. */
const preparationLength = 65_536

/**
 * re2js is several times faster than the automaton as long as it gets by with the few states it has seen. Where a
 * hostile text could make it build a new one at every character it is a hundred times slower, and is not used.
 */
export function createFastSearch(tree: PatternNode): Matcher['test'] | undefined {
  const engine = compileForRe2(tree)
  return engine && hasFewStates(engine) ? (text) => engine.test(text) : undefined
}

/**
 * What a pattern means in a text of ASCII. Its words and digits are few there, and re2js, which knows no others'
 * boundaries, can look for them.
 */
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

const beyondAscii = /[\u0080-\uffff]/

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

interface LazyState {
  readonly nfaStates: readonly number[]
}

const maxExploration = 20_000
// Values of re2js that it does not export by name.
const textStartFlags = 0b101
const unanchored = 0
const endOfText = -1

/** Builds every state that any text can lead to, and gives up when they get many. */
function hasFewStates(engine: RE2JS): boolean {
  const { dfa, prog } = engine.re2()
  const first: LazyState | null = dfa.makeState([prog.start], textStartFlags, [])
  if (!first) return false
  const states = new Set([first])
  let work = 0
  // A set that grows while it is iterated is iterated to its end.
  for (const state of states) {
    for (let index = 0; index <= dfa.numClasses; index++) {
      work += 8 + state.nfaStates.length
      if (work > maxExploration) return false
      const char = index === dfa.numClasses ? endOfText : index === 0 ? 0 : dfa.classBounds[index - 1]
      const next: LazyState | null = dfa.step(state, index, char, unanchored)
      if (!next) return false
      states.add(next)
    }
  }
  return true
}
