// Whether a tool is denied whatever its arguments may be, so that it need not be offered at all. Doubt means no: a tool
// that is offered is still judged when it is called.
import type { Mode } from '../contracts/bundle.js'
import type { EvaluationResult } from '../policy/evaluation.js'
import type { ConditionExplanation } from '../policy/explanation.js'
import type { CallGuard } from './passage.js'
import type { PrincipalInput } from './principal.js'

/** A guard that can also judge a call without running it. */
export interface DryRunGuard extends CallGuard {
  readonly mode: Mode
  evaluate(
    toolName: string,
    args: Readonly<Record<string, unknown>>,
    options: { readonly principal?: PrincipalInput | null; readonly environment?: string },
  ): EvaluationResult
}

export function isDeniedOutright(
  guard: DryRunGuard,
  toolName: string,
  options: { readonly principal?: PrincipalInput | null; readonly environment?: string },
): boolean {
  if (guard.mode === 'observe') return false
  const result = guard.evaluate(toolName, {}, options)
  if (result.verdict !== 'deny') return false
  const denying = new Set(
    result.contracts
      .filter(({ passed, observed, effect }) => !passed && !observed && effect === 'deny')
      .map(({ contractId }) => contractId),
  )
  // Without a principal of its own a call gets the guard's, which a dry run does not know.
  const known = options.principal === undefined ? withoutPrincipal : [...withoutPrincipal, 'principal']
  return result
    .explain()
    .some(
      ({ contractId, when }) =>
        denying.has(contractId) && when !== undefined && truthOf(when, known) === true,
    )
}

const withoutPrincipal = ['environment', 'tool', 'env']

/** Undefined where the arguments could make a difference. */
function truthOf(condition: ConditionExplanation, known: readonly string[]): boolean | undefined {
  switch (condition.kind) {
    case 'leaf': {
      if (!known.includes(condition.selector.split('.', 1)[0] ?? '')) return undefined
      if (condition.outcome === 'matched') return true
      return condition.outcome === 'not-matched' ? false : undefined
    }
    case 'not': {
      const truth = truthOf(condition.condition, known)
      return truth === undefined ? undefined : !truth
    }
    case 'all':
    case 'any': {
      const deciding = condition.kind === 'any'
      const truths = condition.conditions.map((child) => truthOf(child, known))
      if (truths.includes(deciding)) return deciding
      return truths.includes(undefined) ? undefined : !deciding
    }
    default:
      return condition satisfies never
  }
}
