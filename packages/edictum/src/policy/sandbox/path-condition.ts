// The operators `within` and `not_within`: they judge where paths lead, not how they are spelled.
import type { PolicyError, Truth } from '../conditions/operators.js'
import type { Scene } from '../conditions/scene.js'
import { compileBoundaries } from './boundary.js'
import { knownPaths } from './normal-forms.js'
import { leadsInto, leadsOutOf } from './paths.js'

const tests = { within: leadsInto, not_within: leadsOutOf } as const

export type PathOperator = keyof typeof tests

export function isPathOperator(operator: string): operator is PathOperator {
  return Object.hasOwn(tests, operator)
}

export function compilePathCondition(
  operator: PathOperator,
  folders: readonly string[],
): (scene: Scene) => Truth {
  const boundaries = compileBoundaries(folders)
  if (boundaries === undefined) {
    const detail = `\`${operator}\` names a folder that cannot be found out: a loop, or no permission`
    const unknown: PolicyError = Object.freeze({ kind: 'policy-error', detail })
    return () => unknown
  }
  const test = tests[operator]
  return ({ facts }) => test(knownPaths(facts), boundaries)
}
