// Condition tree → one closure. Resolved at load; evaluating allocates nothing.
import type { Condition, Leaf } from '../../contracts/bundle.js'
import { isOperatorName } from '../../contracts/operators.js'
import { detectorSet } from '../redaction/detectors/detector-set.js'
import { namesSeveralValues } from '../../contracts/selectors.js'
import { compilePathCondition, isPathOperator } from '../sandbox/path-condition.js'
import {
  compileCustomOperator,
  compileOperator,
  type CustomOperator,
  type Judge,
  type Truth,
} from './operators.js'
import type { Scene } from './scene.js'
import { compileSelector, type CustomSelector } from './selectors.js'

/** Whether a condition holds in a scene. */
export type Test = (scene: Scene) => Truth

/** What users add to the language. Kept by the guard, so that a reload compiles with the same words. */
export interface Extensions {
  readonly operators: ReadonlyMap<string, CustomOperator>
  readonly selectors: ReadonlyMap<string, CustomSelector>
}

export function compileCondition(condition: Condition, extensions: Extensions): Test {
  switch (condition.kind) {
    case 'all':
      return all(condition.conditions.map((child) => compileCondition(child, extensions)))
    case 'any':
      return any(condition.conditions.map((child) => compileCondition(child, extensions)))
    case 'not':
      return not(compileCondition(condition.condition, extensions))
    case 'leaf':
      return compileLeaf(condition, extensions)
    default:
      return condition satisfies never
  }
}

/** The first `false` or policy error, left to right, is the answer. */
function all(tests: readonly Test[]): Test {
  return (scene) => {
    for (const test of tests) {
      const truth = test(scene)
      if (truth !== true) return truth
    }
    return true
  }
}

/** The first `true` or policy error, left to right, is the answer. */
function any(tests: readonly Test[]): Test {
  return (scene) => {
    for (const test of tests) {
      const truth = test(scene)
      if (truth !== false) return truth
    }
    return false
  }
}

/** A policy error passes through: negating "cannot be decided" must not yield "does not match". */
function not(test: Test): Test {
  return (scene) => {
    const truth = test(scene)
    return typeof truth === 'boolean' ? !truth : truth
  }
}

export function compileLeaf(leaf: Leaf, extensions: Extensions): Test {
  if (isPathOperator(leaf.operator))
    return compilePathCondition(leaf.operator, leaf.operand as readonly string[])
  const read = compileSelector(leaf.selector, extensions.selectors)
  if (leaf.operator === 'exists') {
    return leaf.operand === true ? (scene) => isPresent(read(scene)) : (scene) => !isPresent(read(scene))
  }
  if (leaf.operator === 'detects' && leaf.selector === 'output.text') {
    const detectors = detectorSet(leaf.operand as readonly string[])
    // The output remembers what was found in it: contracts share one scan, which may have been made with pauses.
    return (scene) => isPresent(read(scene)) && (scene.output?.find(detectors).length ?? 0) > 0
  }
  const judge = compileJudge(leaf, extensions)
  if (namesSeveralValues(leaf.selector)) {
    return (scene) => judgeAny(judge, (read(scene) ?? []) as readonly unknown[])
  }
  return (scene) => {
    const value = read(scene)
    return isPresent(value) ? judge(value) : false
  }
}

/** The same answer as `any` around one condition per value. */
function judgeAny(judge: Judge, values: readonly unknown[]): Truth {
  for (const value of values) {
    const truth = judge(value)
    if (truth !== false) return truth
  }
  return false
}

function compileJudge({ operator, operand }: Leaf, { operators }: Extensions): Judge {
  if (isOperatorName(operator) && operator !== 'exists' && !isPathOperator(operator))
    return compileOperator(operator, operand)
  const custom = operators.get(operator)
  if (custom === undefined) throw new Error(`operator ${operator} was not checked`)
  return compileCustomOperator(operator, custom, operand)
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}
