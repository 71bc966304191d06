// Test cases put to a guard: what was expected, what would happen, and because of which contract.
import type { ContractCase, Expectation } from '../contracts/cases.js'
import { EdictumConfigError } from '../contracts/config-error.js'
import { decisionOf, type DryRunVerdict } from '../policy/decision.js'
import type { EvaluationResult } from '../policy/evaluation.js'
import type { CallJudge } from './call-judge.js'

export interface CaseResult {
  readonly case: ContractCase
  readonly passed: boolean
  readonly actual: DryRunVerdict | 'error'
  /** The contract that decided; null when none fired. */
  readonly decidedBy: string | null
  /** What the contract says, or why the call could not be judged. */
  readonly message: string | null
  /** Absent when the call could not be judged. */
  readonly result?: EvaluationResult
}

/** Judges every case; one that cannot be judged has failed. */
export function judgeCases(judge: CallJudge, cases: readonly ContractCase[]): readonly CaseResult[] {
  return cases.map((one) => judgeCase(judge, one))
}

function judgeCase(judge: CallJudge, one: ContractCase): CaseResult {
  const { tool, args, environment, principal, metadata, output, session } = one
  try {
    const result = judge.evaluate(tool, args, {
      ...(environment === undefined ? {} : { environment }),
      ...(principal === undefined ? {} : { principal }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(output === undefined ? {} : { output }),
      ...(session === undefined ? {} : { session }),
    })
    const { verdict: actual, decidedBy } = decisionOf(result)
    const isMeant =
      actual === 'allow' || one.matchContract === undefined || decidedBy?.contractId === one.matchContract
    return {
      case: one,
      passed: meets[one.expect].includes(actual) && isMeant,
      actual,
      decidedBy: decidedBy?.contractId ?? null,
      message: decidedBy?.message ?? null,
      result,
    }
  } catch (error) {
    if (!(error instanceof EdictumConfigError)) throw error
    return { case: one, passed: false, actual: 'error', decidedBy: null, message: error.message }
  }
}

/** A contract that only observes lets the call run, so `allow` is met; `observe` wants one to fire. */
const meets: Readonly<Record<Expectation, readonly DryRunVerdict[]>> = {
  allow: ['allow', 'would_deny'],
  observe: ['would_deny'],
  deny: ['deny', 'approve'],
  approve: ['approve'],
  warn: ['warn', 'redact', 'suppress'],
  redact: ['redact'],
  suppress: ['suppress'],
}
