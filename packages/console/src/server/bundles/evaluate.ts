// One simulated call against a bundle nobody has deployed: what would be decided, and why.
import {
  type ContractExplanation,
  type ContractResult,
  decisionOf,
  type Diagnostic,
  type DryRunVerdict,
  Edictum,
  EdictumConfigError,
  loadBundleString,
} from 'edictum'

export interface SimulatedCall {
  readonly toolName: string
  readonly args: Readonly<Record<string, unknown>>
  readonly environment: string
  readonly principal?: Readonly<Record<string, unknown>> | null
  readonly output?: unknown
}

export interface JudgedContract {
  readonly id: string
  readonly type: ContractResult['contractType']
  readonly matched: boolean
  readonly effect: string
  readonly message: string | null
  readonly observed: boolean
  readonly tags: readonly string[]
  readonly policyError: boolean
}

export type Evaluation =
  | {
      readonly ok: true
      readonly verdict: 'allow' | 'deny' | 'approve' | 'warn'
      readonly mode: 'enforce' | 'observe'
      readonly contracts: readonly JudgedContract[]
      readonly decidingContract: string | null
      readonly policyVersion: string
      readonly explanations: readonly ContractExplanation[]
      readonly judgedInMs: number
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] }

/** A guard that judges and does nothing else: what the bundle says about logging is left out. */
export function judgeOnly(text: string): { readonly guard: Edictum; readonly policyVersion: string } {
  const { bundle, policyVersion } = loadBundleString(text)
  return {
    guard: new Edictum({}, { bundle: { ...bundle, observability: {} }, policyVersion }),
    policyVersion,
  }
}

export function evaluateCall(text: string, call: SimulatedCall): Evaluation {
  try {
    const { guard, policyVersion } = judgeOnly(text)
    return {
      ok: true,
      mode: guard.mode,
      policyVersion,
      ...judge(guard, call),
      explanations: explain(guard, call),
      judgedInMs: measure(guard, call),
    }
  } catch (error) {
    if (error instanceof EdictumConfigError) return { ok: false, diagnostics: error.diagnostics }
    throw error
  }
}

export interface Judgement {
  readonly verdict: 'allow' | 'deny' | 'approve' | 'warn'
  readonly decidingContract: string | null
  readonly contracts: readonly JudgedContract[]
}

function judge(guard: Edictum, call: SimulatedCall): Judgement {
  const result = evaluate(guard, call)
  const contracts = result.contracts.map(({ contractId, contractType, passed, ...rest }) => ({
    id: contractId,
    type: contractType,
    matched: !passed,
    effect: rest.effect,
    message: rest.message,
    observed: rest.observed,
    tags: [...rest.tags],
    policyError: rest.policyError,
  }))
  const { verdict, decidedBy } = decisionOf(result)
  return {
    verdict: onTheWire[verdict],
    // One that only observes decides nothing.
    decidingContract: verdict === 'would_deny' ? null : (decidedBy?.contractId ?? null),
    contracts,
  }
}

const onTheWire: Readonly<Record<DryRunVerdict, Judgement['verdict']>> = {
  allow: 'allow',
  would_deny: 'allow',
  approve: 'approve',
  deny: 'deny',
  warn: 'warn',
  redact: 'warn',
  suppress: 'warn',
}

function explain(guard: Edictum, call: SimulatedCall): readonly ContractExplanation[] {
  return evaluate(guard, call).explain()
}

/** Once more, now that everything is compiled: what an agent pays that has made such a call before. */
function measure(guard: Edictum, call: SimulatedCall): number {
  const from = performance.now()
  evaluate(guard, call)
  return Math.round((performance.now() - from) * 1_000) / 1_000
}

function evaluate(guard: Edictum, call: SimulatedCall): ReturnType<Edictum['evaluate']> {
  const { principal, output } = call
  return guard.evaluate(call.toolName, call.args, {
    environment: call.environment,
    ...(principal === undefined ? {} : { principal }),
    ...(output === undefined ? {} : { output }),
  })
}
