// What a dry run comes down to: one word, and the contract it is due to. Follows the guard: deny beats approve, and a
// contract that only observes decides nothing.
import type { ContractResult, EvaluationResult } from './evaluation.js'

/** `would_deny`: only contracts that observe fired. `warn`, `redact` and `suppress` are about the output. */
export type DryRunVerdict = 'allow' | 'would_deny' | 'approve' | 'deny' | 'warn' | 'redact' | 'suppress'

export interface DryRunDecision {
  readonly verdict: DryRunVerdict
  /** The contract that decided; null when none fired. */
  readonly decidedBy: ContractResult | null
}

const outputVerdicts = { untouched: 'warn', redacted: 'redact', suppressed: 'suppress' } as const

/** What would become of the call, and by which contract. */
export function decisionOf(result: EvaluationResult): DryRunDecision {
  const fired = result.contracts.filter(({ passed }) => !passed)
  const enforced = fired.filter(({ observed }) => !observed)
  const decidedBy = firstToDecide(enforced)
  if (decidedBy === undefined) {
    const watching = firstToDecide(fired)
    return watching === undefined
      ? { verdict: 'allow', decidedBy: null }
      : { verdict: 'would_deny', decidedBy: watching }
  }
  if (decidedBy.contractType === 'postcondition')
    return { verdict: outputVerdicts[result.inspectOutput()?.kind ?? 'untouched'], decidedBy }
  return { verdict: decidedBy.effect === 'approve' ? 'approve' : 'deny', decidedBy }
}

/** Before the call something that denies, else something that asks; after it the first that fires. */
function firstToDecide(fired: readonly ContractResult[]): ContractResult | undefined {
  const before = fired.filter(({ contractType }) => contractType !== 'postcondition')
  return before.find(({ effect }) => effect !== 'approve') ?? before[0] ?? fired[0]
}
