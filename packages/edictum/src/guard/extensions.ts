// Operators and selectors that users add. Checked before any bundle is loaded, so a clash cannot half-load one.
import { EdictumConfigError } from '../contracts/config-error.js'
import { isOperatorName } from '../contracts/operators.js'
import { selectorPrefixes } from '../contracts/selectors.js'
import type { Extensions } from '../policy/conditions/condition.js'
import type { CustomOperator } from '../policy/conditions/operators.js'
import type { CustomSelector } from '../policy/conditions/selectors.js'

export interface CustomOptions {
  /** Operators beside the built-in ones: name → (value, operand) => boolean. A throw fails closed. */
  readonly customOperators?: Readonly<Record<string, CustomOperator>>
  /** Selector prefixes beside the built-in ones: prefix → (envelope) => mapping. A throw fails closed. */
  readonly customSelectors?: Readonly<Record<string, CustomSelector>>
}

/** @throws EdictumConfigError naming every clash or every entry that is not a function. */
export function readExtensions({ customOperators = {}, customSelectors = {} }: CustomOptions): Extensions {
  const prefixes = new Set<string>(selectorPrefixes)
  return {
    operators: readFunctions<CustomOperator>(
      customOperators,
      'custom operator',
      (name) => isOperatorName(name) || ['all', 'any', 'not'].includes(name),
    ),
    selectors: readFunctions<CustomSelector>(customSelectors, 'custom selector', (name) =>
      prefixes.has(name),
    ),
  }
}

function readFunctions<Kind>(
  given: Readonly<Record<string, Kind>>,
  what: string,
  isTaken: (name: string) => boolean,
): ReadonlyMap<string, Kind> {
  const names = Object.keys(given).toSorted()
  const taken = names.filter(isTaken)
  if (taken.length > 0) {
    throw EdictumConfigError.of(
      'invalid-option',
      `${what} names are taken by built-in ones: ${taken.join(', ')}`,
    )
  }
  const wrong = names.filter((name) => typeof given[name] !== 'function')
  if (wrong.length > 0) {
    throw EdictumConfigError.of('invalid-option', `${what}s must be functions: ${wrong.join(', ')}`)
  }
  return new Map(Object.entries(given))
}
