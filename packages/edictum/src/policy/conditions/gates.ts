// A gate is a cheap necessary condition on one selector: while all gates of a contract are closed, its condition is
// false for certain. Gates never decide; they only say which contracts have to be evaluated at all.
import type { Condition, Leaf } from '../../contracts/bundle.js'
import { isNormalForm, selectorPrefixes } from '../../contracts/selectors.js'
import type { Pattern } from '../../contracts/pattern/pattern.js'
import { patternOf } from './operators.js'

export type Gate = { readonly selector: string } & (
  | { readonly kind: 'present' }
  | { readonly kind: 'missing' }
  /** Opens on one of these values. */
  | { readonly kind: 'equals'; readonly values: readonly Scalar[] }
  /** Opens when one of these occurs in the text, or the value is not text. Any text the pattern matches holds one. */
  | { readonly kind: 'literals'; readonly literals: readonly string[]; readonly pattern?: Pattern }
  /** Opens when the pattern matches the text, or the value is not text. */
  | { readonly kind: 'pattern'; readonly pattern: Pattern }
  /** Opens above or below a number, or when the value is not a number. */
  | { readonly kind: 'above' | 'below'; readonly limit: number }
)

export type Scalar = string | number | boolean

/** How many contracts a gate would open together with; a rarer gate saves more work. */
export type GatePrice = (gate: Gate) => number

/** The gates of a condition: it can only hold, or fail to be decided, when one of them opens. Undefined: always possible. */
export function gatesOf(condition: Condition, price: GatePrice): readonly Gate[] | undefined {
  switch (condition.kind) {
    case 'leaf':
      return gatesOfLeaf(condition)
    case 'any': {
      const gates: Gate[] = []
      for (const child of condition.conditions) {
        const below = gatesOf(child, price)
        if (below === undefined) return undefined
        gates.push(...below)
      }
      return gates
    }
    case 'all':
      return cheapestOf(condition.conditions, price)
    case 'not':
      return undefined
    default:
      return condition satisfies never
  }
}

/**
 * Any child of `all` may stand for the whole, as long as no child before it can end in a policy error: an error on the
 * left wins over a `false` on the right.
 */
function cheapestOf(conditions: readonly Condition[], price: GatePrice): readonly Gate[] | undefined {
  let best: readonly Gate[] | undefined
  let bestPrice = Infinity
  for (const child of conditions) {
    const gates = gatesOf(child, price)
    const cost = gates === undefined ? Infinity : gates.reduce((sum, gate) => sum + price(gate), 0)
    if (cost < bestPrice) {
      best = gates
      bestPrice = cost
    }
    if (canFail(child)) break
  }
  return best
}

const neverFailing = new Set(['exists', 'equals', 'not_equals', 'in', 'not_in'])

function canFail(condition: Condition): boolean {
  switch (condition.kind) {
    case 'leaf':
      return !neverFailing.has(condition.operator) || canThrow(condition.selector)
    case 'not':
      return canFail(condition.condition)
    case 'all':
    case 'any':
      return condition.conditions.some(canFail)
    default:
      return condition satisfies never
  }
}

const builtInPrefixes = new Set<string>(selectorPrefixes)

function prefixOf(selector: string): string {
  const dot = selector.indexOf('.')
  return dot === -1 ? selector : selector.slice(0, dot)
}

/** Custom selectors and results of tools run code that is not ours; a normal form may be one nobody can know. */
function canThrow(selector: string): boolean {
  const prefix = prefixOf(selector)
  return prefix === 'result' || prefix === 'output' || !builtInPrefixes.has(prefix) || isNormalForm(selector)
}

function gatesOfLeaf(leaf: Leaf): readonly Gate[] | undefined {
  const { selector, operator, operand } = leaf
  const prefix = prefixOf(selector)
  if (!builtInPrefixes.has(prefix)) return undefined
  switch (operator) {
    case 'exists':
      return [{ selector, kind: operand === true ? 'present' : 'missing' }]
    case 'equals':
      return [equalsGate(selector, [operand])]
    case 'in':
      return [equalsGate(selector, operand as readonly unknown[])]
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      return [literalsGate(selector, [operand as string])]
    case 'contains_any':
      return [literalsGate(selector, operand as readonly string[])]
    case 'matches':
      return [patternGate(selector, operand as string)]
    case 'matches_any':
      return (operand as readonly string[]).map((pattern) => patternGate(selector, pattern))
    case 'gt':
    case 'gte':
      return [{ selector, kind: 'above', limit: operand as number }]
    case 'lt':
    case 'lte':
      return [{ selector, kind: 'below', limit: operand as number }]
    case 'within':
    case 'not_within':
      // They also judge words that are only possibly paths, and those are no value of `paths`.
      return undefined
    default:
      return [{ selector, kind: 'present' }]
  }
}

function equalsGate(selector: string, operands: readonly unknown[]): Gate {
  const values = operands.filter(isScalar)
  return values.length === operands.length
    ? { selector, kind: 'equals', values }
    : { selector, kind: 'present' }
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function literalsGate(selector: string, literals: readonly string[]): Gate {
  return literals.includes('') ? { selector, kind: 'present' } : { selector, kind: 'literals', literals }
}

function patternGate(selector: string, source: string): Gate {
  const pattern = patternOf(source)
  return pattern.requiredLiterals === undefined || pattern.requiredLiterals.includes('')
    ? { selector, kind: 'pattern', pattern }
    : { selector, kind: 'literals', literals: pattern.requiredLiterals, pattern }
}
