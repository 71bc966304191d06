// Regular expressions as contract authors write them, in Python's dialect, and in linear time whatever the text.
// A pattern runs on the platform's engine when `analyse.ts` proves that safe, otherwise on an engine that is linear
// by construction, and is refused when neither can serve.
import { proveLinear } from './analyse.js'
import { reachOf, testInPieces } from './in-pieces.js'
import { createLinearMatcher } from './linear.js'
import type { Matcher } from './matcher.js'
import { createNativeMatcher } from './native.js'
import { parsePattern } from './parse.js'
import type { PatternProblem } from './problem.js'
import { isSmall } from './program.js'
import { createPlainTextMatcher } from './plain-text.js'
import { findRequiredLiterals } from './required-literals.js'
import { type LookNode, type PatternNode, findLook } from './syntax-tree.js'
import { factorChoices } from './word-tree.js'

export type { PatternProblem } from './problem.js'

export interface Pattern {
  /** The pattern as the author wrote it. */
  readonly source: string
  readonly engine: 'native' | 'linear'
  /** Whether the pattern occurs anywhere in the text. Stateless. */
  test(text: string): boolean
  /** The same with pauses, for a text of many megabytes. */
  testInSteps(text: string): Generator<undefined, boolean>
  /** Replaces every non-empty occurrence by the replacement, taken literally. */
  replaceAll(text: string, replacement: string): string
  /** Texts of which at least one is in any text the pattern matches; undefined if none is known. */
  readonly requiredLiterals: readonly string[] | undefined
}

export type PatternResult =
  { readonly ok: true; readonly pattern: Pattern } | { readonly ok: false; readonly problem: PatternProblem }

const maxCached = 4_096
const cache = new Map<string, PatternResult>()

/** Never throws. The same source gives the same pattern as long as it is remembered. */
export function compilePattern(source: string): PatternResult {
  const known = cache.get(source)
  if (known) return known
  const result = compile(source)
  if (cache.size >= maxCached) cache.clear()
  cache.set(source, result)
  return result
}

function compile(source: string): PatternResult {
  const parsed = parsePattern(source)
  if (!parsed.ok) return parsed
  const { tree } = parsed
  // Loading a bundle asks of a pattern only whether it can run; how it runs is settled when it first does.
  if (isSmall(tree)) return { ok: true, pattern: createPattern(source, tree) }
  const runner = chooseRunner(tree)
  if (!runner) return { ok: false, problem: explainRefusal(source, tree) }
  return { ok: true, pattern: createPattern(source, tree, runner) }
}

interface Runner extends Matcher {
  readonly engine: Pattern['engine']
}

function chooseRunner(tree: PatternNode): Runner | undefined {
  const factored = factorChoices(tree)
  const proof = proveLinear(factored)
  if (proof.safe) {
    let linear: Matcher | undefined
    const fallback = (): Matcher | undefined => (linear ??= createLinearMatcher(tree))
    return { engine: 'native', ...createNativeMatcher(factored, { headLoop: proof.headLoop, fallback }) }
  }
  const matcher = createPlainTextMatcher(tree) ?? createLinearMatcher(tree)
  return matcher && { engine: 'linear', ...matcher }
}

function createPattern(source: string, tree: PatternNode, known?: Runner): Pattern {
  let runner = known
  const settle = (): Runner => {
    runner ??= chooseRunner(tree)
    if (!runner) throw new Error(`the pattern was found small and yet cannot run: ${source}`)
    test = runner.test
    return runner
  }
  let test: Matcher['test'] = (text) => settle().test(text)
  let literals: readonly string[] | 'unread' | undefined = 'unread'
  return {
    source,
    get engine() {
      return settle().engine
    },
    test: (text) => test(text),
    testInSteps: (text) => testInPieces(text, { test: settle().test, reach: reachOf(tree) }),
    replaceAll: (text, replacement) => settle().replaceAll(text, replacement),
    get requiredLiterals() {
      if (literals === 'unread') literals = findRequiredLiterals(tree)
      return literals
    },
  }
}

function explainRefusal(source: string, tree: PatternNode): PatternProblem {
  const look = findLook(tree)
  return look ? explainLook(source, look) : explainSize(source)
}

function explainLook(source: string, look: LookNode): PatternProblem {
  const opening = /^\(\?<?[=!]/.exec(source.slice(look.offset))?.[0] ?? ''
  return {
    kind: 'unsupported',
    message: `the look-around \`${opening}\` could take too long here`,
    hint:
      look.expectation === 'match'
        ? 'use two conditions under `all:`, each with its own `matches`'
        : 'use two conditions under `all:`, one with `matches` and one with `not:` around `matches`',
    offset: look.offset,
  }
}

function explainSize(source: string): PatternProblem {
  // A count below this is not what makes a pattern large.
  const counts = [...source.matchAll(/\{\d*,?\d*\}/g)].filter(([bounds]) => highestCount(bounds) >= 10)
  const [largest] = counts.toSorted((a, b) => highestCount(b[0]) - highestCount(a[0]))
  return {
    kind: 'unsupported',
    message: largest
      ? `the repetition \`${largest[0]}\` makes the pattern too large to be run quickly on every text`
      : `the pattern of ${source.length} characters is too large to be run quickly on every text`,
    hint: largest
      ? 'lower the counts in braces, or write `*` or `+` where the exact count does not matter'
      : 'split it into several patterns under `matches_any`',
    offset: largest?.index ?? 0,
  }
}

function highestCount(bounds: string): number {
  return Math.max(...bounds.split(/\D+/).map(Number))
}
