// A value that makes one leaf of a condition true or false, where one can be named.
import type { LeafExplanation } from '../policy/explanation.js'

export type LeafValue = { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'absent' }

const absent: LeafValue = { kind: 'absent' }

type Namer = (operand: never, current: unknown) => readonly [whenTrue: unknown, whenFalse: unknown]

/** Both values for each operator; undefined where nobody can say without knowing the rest of the call. */
const namers: Readonly<Record<string, Namer>> = {
  exists: (operand: boolean) => (operand ? ['x', absent] : [absent, 'x']),
  equals: (operand: unknown) => [operand, other(operand)],
  not_equals: (operand: unknown) => [other(operand), operand],
  in: (operand: readonly unknown[]) => [operand[0], absent],
  not_in: (operand: readonly unknown[]) => [undefined, operand[0]],
  contains: (operand: string, current) => [operand, textWithout(current, [operand])],
  contains_any: (operand: readonly string[], current) => [operand[0], textWithout(current, operand)],
  starts_with: (operand: string) => [operand, ''],
  ends_with: (operand: string) => [operand, ''],
  gt: (operand: number) => [operand + 1, operand],
  gte: (operand: number) => [operand, operand - 1],
  lt: (operand: number) => [operand - 1, operand],
  lte: (operand: number) => [operand, operand + 1],
}

export function valueFor(leaf: LeafExplanation, becomes: boolean): LeafValue | undefined {
  const name = Object.hasOwn(namers, leaf.operator) ? namers[leaf.operator] : undefined
  if (name === undefined) return undefined
  const [whenTrue, whenFalse] = name(leaf.operand as never, leaf.value)
  const named = becomes ? whenTrue : whenFalse
  if (named === undefined) return undefined
  return named === absent ? absent : { kind: 'value', value: named }
}

function other(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 1
  return typeof value === 'string' ? `not-${value}` : 'other'
}

/** Undefined when what is left contains one of them again. */
function textWithout(text: unknown, parts: readonly string[]): string | undefined {
  if (typeof text !== 'string') return undefined
  const left = parts.reduce((rest, part) => (part === '' ? rest : rest.replaceAll(part, '')), text)
  return parts.some((part) => left.includes(part)) ? undefined : left
}
