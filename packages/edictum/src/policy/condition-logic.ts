// What can be said about a condition without a call: whether it holds always or never, and whether it implies another.
// Everything here is careful: `unknown` and `false` where a proof is missing.
import type { Condition, Leaf } from '../contracts/bundle.js'
import { selectorPrefixes } from '../contracts/selectors.js'
import { canonicalJson } from '../internal/canonical-json.js'

export type Constancy = 'always' | 'never' | 'unknown'

export function constancyOf(condition: Condition): Constancy {
  switch (condition.kind) {
    case 'leaf':
      return leafConstancy(condition)
    case 'not':
      return negated(constancyOf(condition.condition))
    case 'all': {
      const parts = condition.conditions.map(constancyOf)
      if (parts.includes('never') || contradicts(condition.conditions)) return 'never'
      return parts.every((part) => part === 'always') ? 'always' : 'unknown'
    }
    case 'any': {
      const parts = condition.conditions.map(constancyOf)
      if (parts.includes('always') || exhausts(condition.conditions)) return 'always'
      return parts.every((part) => part === 'never') ? 'never' : 'unknown'
    }
    default:
      return condition satisfies never
  }
}

function negated(constancy: Constancy): Constancy {
  return constancy === 'always' ? 'never' : constancy === 'never' ? 'always' : 'unknown'
}

const principalFields = new Set(['user_id', 'service_id', 'org_id', 'role', 'ticket_ref', 'claims'])

/** A selector that never finds anything. Prefixes that are registered in code are not known here, and so not judged. */
function isAlwaysMissing(selector: string): boolean {
  const [root = '', first] = selector.split('.')
  if (root === 'environment' || selector === 'paths' || selector === 'hosts') return false
  if (first === undefined) return selectorPrefixes.some((prefix) => prefix === root)
  return root === 'principal' && !principalFields.has(first)
}

const neverMissing = new Set(['environment', 'tool.name'])

function leafConstancy({ selector, operator, operand }: Leaf): Constancy {
  if (operator === 'exists' && neverMissing.has(selector)) return operand === true ? 'always' : 'never'
  if (isAlwaysMissing(selector)) return operator === 'exists' && operand === false ? 'always' : 'never'
  if (operator === 'equals' && operand === null) return 'never'
  if (!neverMissing.has(selector)) return 'unknown'
  const isAnything =
    ((operator === 'contains' || operator === 'starts_with' || operator === 'ends_with') && operand === '') ||
    (operator === 'matches' && /^\^?(?:\.[*+]\$?)?$/.test(String(operand)))
  return isAnything ? 'always' : 'unknown'
}

/** Two of the conditions cannot hold at once. */
function contradicts(conditions: readonly Condition[]): boolean {
  return conditions.some((one, index) => conditions.slice(index + 1).some((other) => excludes(one, other)))
}

/** One of the conditions is the opposite of another. */
function exhausts(conditions: readonly Condition[]): boolean {
  return conditions.some((one) =>
    conditions.some((other) => one.kind === 'not' && isSame(one.condition, other) && isTotal(other)),
  )
}

/** Undecidable is neither true nor false; only what is decided for every value has an opposite. */
function isTotal(condition: Condition): boolean {
  return condition.kind === 'leaf' && ['exists', 'equals', 'in'].includes(condition.operator)
}

function excludes(one: Condition, other: Condition): boolean {
  if (one.kind === 'not' && isTotal(one.condition) && implies(other, one.condition)) return true
  if (other.kind === 'not' && isTotal(other.condition) && implies(one, other.condition)) return true
  if (one.kind !== 'leaf' || other.kind !== 'leaf' || one.selector !== other.selector) return false
  return leafExcludes(one, other) || leafExcludes(other, one)
}

function leafExcludes(one: Leaf, other: Leaf): boolean {
  if (one.operator === 'exists' && one.operand === false)
    return !(other.operator === 'exists' && other.operand === false)
  const [members, others] = [membersOf(one), membersOf(other)]
  if (members !== undefined && others !== undefined) return ![...members].some((member) => others.has(member))
  const [least, most] = [bound(one, 'least'), bound(other, 'most')]
  if (least === undefined || most === undefined) return false
  return least.value > most.value || (least.value === most.value && (least.isOpen || most.isOpen))
}

/** The only values that match, written down; undefined when there is no such list. */
function membersOf({ operator, operand }: Leaf): ReadonlySet<string> | undefined {
  if (operator === 'equals') return new Set([canonicalJson(operand)])
  return operator === 'in' ? new Set((operand as readonly unknown[]).map(canonicalJson)) : undefined
}

interface Bound {
  readonly value: number
  readonly isOpen: boolean
}

function bound({ operator, operand }: Leaf, end: 'least' | 'most'): Bound | undefined {
  const [open, closed] = end === 'least' ? ['gt', 'gte'] : ['lt', 'lte']
  if (operator !== open && operator !== closed) return undefined
  return { value: operand as number, isOpen: operator === open }
}

/** Whether every call that meets the first condition also meets the second. */
export function implies(one: Condition, other: Condition): boolean {
  if (isSame(one, other)) return true
  if (one.kind === 'any') return one.conditions.every((part) => implies(part, other))
  if (other.kind === 'all') return other.conditions.every((part) => implies(one, part))
  if (other.kind === 'any' && other.conditions.some((part) => implies(one, part))) return true
  if (one.kind === 'all' && one.conditions.some((part) => implies(part, other))) return true
  return (
    one.kind === 'leaf' && other.kind === 'leaf' && one.selector === other.selector && leafImplies(one, other)
  )
}

function leafImplies(one: Leaf, other: Leaf): boolean {
  const [members, others] = [membersOf(one), membersOf(other)]
  if (members !== undefined && others !== undefined) return [...members].every((member) => others.has(member))
  const texts = (leaf: Leaf, alone: string, several: string): readonly string[] | undefined =>
    leaf.operator === alone
      ? [leaf.operand as string]
      : leaf.operator === several
        ? (leaf.operand as readonly string[])
        : undefined
  const [contained, wanted] = [
    texts(one, 'contains', 'contains_any'),
    texts(other, 'contains', 'contains_any'),
  ]
  if (contained !== undefined && wanted !== undefined)
    return contained.every((text) => wanted.some((part) => text.includes(part)))
  const [patterns, others_] = [texts(one, 'matches', 'matches_any'), texts(other, 'matches', 'matches_any')]
  if (patterns !== undefined && others_ !== undefined) return patterns.every((one_) => others_.includes(one_))
  if (one.operator === other.operator && (one.operator === 'starts_with' || one.operator === 'ends_with')) {
    const [longer, shorter] = [one.operand as string, other.operand as string]
    return one.operator === 'starts_with' ? longer.startsWith(shorter) : longer.endsWith(shorter)
  }
  return boundImplies(one, other)
}

function boundImplies(one: Leaf, other: Leaf): boolean {
  for (const end of ['least', 'most'] as const) {
    const [mine, theirs] = [bound(one, end), bound(other, end)]
    if (mine === undefined || theirs === undefined) continue
    const isInside = end === 'least' ? mine.value > theirs.value : mine.value < theirs.value
    return isInside || (mine.value === theirs.value && (mine.isOpen || !theirs.isOpen))
  }
  return false
}

function isSame(one: Condition, other: Condition): boolean {
  return canonicalJson(one) === canonicalJson(other)
}
