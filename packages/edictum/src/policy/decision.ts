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
  const before = enforced.filter(({ contractType }) => contractType !== 'postcondition')
  const denying = before.find(({ effect }) => effect !== 'approve')
  if (denying !== undefined) return { verdict: 'deny', decidedBy: denying }
  const [asking] = before
  if (asking !== undefined) return { verdict: 'approve', decidedBy: asking }
  const [after] = enforced
  if (after !== undefined)
    return { verdict: outputVerdicts[result.inspectOutput()?.kind ?? 'untouched'], decidedBy: after }
  const [watching] = fired
  return watching === undefined
    ? { verdict: 'allow', decidedBy: null }
    : { verdict: 'would_deny', decidedBy: watching }
}
