import { createAutomaton } from './automaton.js'
import type { Matcher } from './matcher.js'
import { replaceOccurrences } from './occurrences.js'
import { compileProgram } from './program.js'
import { createSearch } from './search.js'
import type { PatternNode } from './syntax-tree.js'

/** Runs a pattern in linear time without a proof; undefined when it looks around or would cost too much. */
export function createLinearMatcher(tree: PatternNode): Matcher | undefined {
  const program = compileProgram(tree)
  const automaton = program && createAutomaton(program)
  if (!automaton) return undefined
  return {
    test: createSearch(automaton),
    replaceAll: (text, replacement) => replaceOccurrences(automaton, text, replacement),
  }
}
