// What each operator means for a value that is there. Missing values never reach these functions.
import { type OperatorName } from '../../contracts/operators.js'
import { compilePattern, type Pattern } from '../../contracts/pattern/pattern.js'
import { detectorSet } from '../redaction/detectors/detector-set.js'
import { detectsInValue } from '../redaction/detect-in-value.js'
import { equalValues } from './equality.js'

/** A condition that cannot be decided. It counts as a match: what cannot be checked is not let through. */
export interface PolicyError {
  readonly kind: 'policy-error'
  readonly detail: string
}

export type Truth = boolean | PolicyError

/** Judges a present value. */
export type Judge = (value: unknown) => Truth

export type CustomOperator = (value: unknown, operand: unknown) => unknown

/** Those that judge a value by itself: not whether it is there, nor where it leads. */
type ValueOperator = Exclude<OperatorName, 'exists' | 'within' | 'not_within'>

type Operators = { readonly [Name in ValueOperator]: (operand: never) => Judge }

const operators = {
  equals: (operand: unknown) => (value) => equalValues(value, operand),
  not_equals: (operand: unknown) => (value) => !equalValues(value, operand),
  in: (operand: readonly unknown[]) => {
    const isMember = compileMembership(operand)
    return (value) => isMember(value)
  },
  not_in: (operand: readonly unknown[]) => {
    const isMember = compileMembership(operand)
    return (value) => !isMember(value)
  },
  contains: (operand: string) => forText('contains', (text) => text.includes(operand)),
  contains_any: (operand: readonly string[]) =>
    forText('contains_any', (text) => operand.some((part) => text.includes(part))),
  starts_with: (operand: string) => forText('starts_with', (text) => text.startsWith(operand)),
  ends_with: (operand: string) => forText('ends_with', (text) => text.endsWith(operand)),
  matches: (operand: string) => {
    const pattern = patternOf(operand)
    return forText('matches', (text) => pattern.test(text))
  },
  matches_any: (operand: readonly string[]) => {
    const patterns = operand.map(patternOf)
    return forText('matches_any', (text) => patterns.some((pattern) => pattern.test(text)))
  },
  detects: (operand: readonly string[]) => {
    const detectors = detectorSet(operand)
    return (value) => detectsInValue(value, detectors)
  },
  gt: (operand: number) => forNumber('gt', (value) => value > operand),
  gte: (operand: number) => forNumber('gte', (value) => value >= operand),
  lt: (operand: number) => forNumber('lt', (value) => value < operand),
  lte: (operand: number) => forNumber('lte', (value) => value <= operand),
} satisfies Operators

/** The judge of a built-in operator with its operand, which the checker has found to be of the right shape. */
export function compileOperator(name: ValueOperator, operand: unknown): Judge {
  return (operators[name] as (operand: unknown) => Judge)(operand)
}

export function compileCustomOperator(name: string, operator: CustomOperator, operand: unknown): Judge {
  return (value) => {
    const answer = operator(value, operand)
    if (typeof answer === 'object' && answer !== null && 'then' in answer) {
      return {
        kind: 'policy-error',
        detail: `custom operator ${name} returned a promise; operators are synchronous`,
      }
    }
    return Boolean(answer)
  }
}

/** The pattern of a checked operand. */
export function patternOf(source: string): Pattern {
  const result = compilePattern(source)
  if (!result.ok) throw new Error(`pattern ${source} was not checked: ${result.problem.message}`)
  return result.pattern
}

function compileMembership(members: readonly unknown[]): (value: unknown) => boolean {
  const scalars = new Set(members.filter((member) => typeof member !== 'object' || member === null))
  const structures = members.filter((member) => typeof member === 'object' && member !== null)
  if (structures.length === 0) return (value) => scalars.has(value) && !Number.isNaN(value)
  return (value) =>
    (scalars.has(value) && !Number.isNaN(value)) ||
    structures.some((structure) => equalValues(value, structure))
}

function forText(operator: TextOperator, test: (text: string) => boolean): Judge {
  const error = needsText[operator]
  return (value) => (typeof value === 'string' ? test(value) : error)
}

function forNumber(operator: NumberOperator, test: (value: number) => boolean): Judge {
  const error = needsNumber[operator]
  return (value) => (typeof value === 'number' ? test(value) : error)
}

type TextOperator = keyof typeof needsText
type NumberOperator = keyof typeof needsNumber

// One of each for all contracts: a bundle may have thousands.
const needsText = wrongTypes(
  ['contains', 'contains_any', 'starts_with', 'ends_with', 'matches', 'matches_any'],
  'text',
)
const needsNumber = wrongTypes(['gt', 'gte', 'lt', 'lte'], 'a number')

function wrongTypes<Name extends string>(names: readonly Name[], wanted: string): Record<Name, PolicyError> {
  const errors = names.map((name): [string, PolicyError] => [
    name,
    Object.freeze({ kind: 'policy-error', detail: `\`${name}\` needs ${wanted}` }),
  ])
  return Object.fromEntries(errors) as Record<Name, PolicyError>
}
