// Contracts under test, in one line per call, with any test runner: a wrong decision throws, and says why it was made.
import { loadBundle } from '../contracts/load.js'
import { Edictum } from '../edictum.js'
import type { EvaluateCall, EvaluateOptions } from '../guard/call-judge.js'
import { decisionOf, type DryRunDecision, type DryRunVerdict } from '../policy/decision.js'
import type { EvaluationResult } from '../policy/evaluation.js'
import type { ConditionExplanation, ContractExplanation } from '../policy/explanation.js'
import { openJudgingGuard } from './judging-guard.js'

type Arguments = Readonly<Record<string, unknown>>

export interface TestedCall extends EvaluateOptions {
  /** The contract that has to be the one that decides. */
  readonly by?: string
}

/** Where the decision is another one, every method throws a `WrongDecision`. */
export interface ContractTester {
  readonly guard: Edictum
  /** The tool runs, and the agent sees its output as it is. */
  allows(tool: string, args?: Arguments, call?: TestedCall): void
  denies(tool: string, args?: Arguments, call?: TestedCall): void
  /** A person is asked. */
  asks(tool: string, args?: Arguments, call?: TestedCall): void
  /** The tool runs, but a contract that only observes would have denied it. */
  wouldDeny(tool: string, args?: Arguments, call?: TestedCall): void
  /** These three need the `output` of the tool. */
  warns(tool: string, args: Arguments, call: TestedCall): void
  redacts(tool: string, args: Arguments, call: TestedCall): void
  suppresses(tool: string, args: Arguments, call: TestedCall): void
  /** A line for each call, for snapshots: a change of contracts shows as a change of lines. */
  snapshot(calls: readonly EvaluateCall[]): string
}

/** Test runners show `actual` and `expected` side by side. */
export class WrongDecision extends Error {
  override readonly name = 'WrongDecision'
  readonly actual: string
  readonly expected: string

  constructor(message: string, { actual, expected }: { readonly actual: string; readonly expected: string }) {
    super(message)
    this.actual = actual
    this.expected = expected
  }
}

/** @param source a file, files that are layers of one bundle, or a guard */
export function testContracts(source: string | readonly string[] | Edictum): ContractTester {
  const guard = source instanceof Edictum ? source : guardOf([source].flat())
  const expectVerdict =
    (verdict: DryRunVerdict) =>
    (tool: string, args: Arguments = {}, { by, ...options }: TestedCall = {}): void => {
      const result = guard.evaluate(tool, args, options)
      const decision = decisionOf(result)
      const isRight =
        decision.verdict === verdict && (by === undefined || decision.decidedBy?.contractId === by)
      if (isRight) return
      const expected = by === undefined ? words[verdict] : `${words[verdict]} by ${by}`
      const actual = describe(decision)
      const message = `${tool} ${JSON.stringify(args)}: expected ${expected}, but it is ${actual}${explain(result)}`
      throw new WrongDecision(message, { actual, expected })
    }
  return {
    guard,
    allows: expectVerdict('allow'),
    denies: expectVerdict('deny'),
    asks: expectVerdict('approve'),
    wouldDeny: expectVerdict('would_deny'),
    warns: expectVerdict('warn'),
    redacts: expectVerdict('redact'),
    suppresses: expectVerdict('suppress'),
    snapshot: (calls) =>
      calls
        .map(({ tool, args = {}, ...options }) => {
          const decision = decisionOf(guard.evaluate(tool, args, options))
          const message = decision.decidedBy?.message ?? ''
          return `${tool} ${JSON.stringify(args)}: ${describe(decision)}${message === '' ? '' : `: ${message}`}`
        })
        .join('\n'),
  }
}

function guardOf(files: readonly string[]): Edictum {
  return openJudgingGuard(files.map((file) => ({ file, ...loadBundle(file) }))).guard
}

const words: Readonly<Record<DryRunVerdict, string>> = {
  allow: 'allowed',
  deny: 'denied',
  approve: 'asked about',
  would_deny: 'allowed, and would be denied if the contract were enforced',
  warn: 'allowed with a warning',
  redact: 'allowed with its output redacted',
  suppress: 'allowed with its output suppressed',
}

function describe({ verdict, decidedBy }: DryRunDecision): string {
  return decidedBy === null ? words[verdict] : `${words[verdict]} by ${decidedBy.contractId}`
}

function explain(result: EvaluationResult): string {
  if (result.contractsEvaluated === 0) return `\n  no contract is about the tool ${result.toolName}`
  return result
    .explain()
    .flatMap((contract) => [`\n  ${contract.contractId}: ${contract.outcome}`, ...leavesOf(contract)])
    .join('')
}

function leavesOf({ when, detail }: ContractExplanation): readonly string[] {
  if (when !== undefined) return describeLeaves(when)
  return detail === undefined ? [] : [`\n    ${detail}`]
}

function describeLeaves(condition: ConditionExplanation): readonly string[] {
  if (condition.kind === 'not') return describeLeaves(condition.condition)
  if (condition.kind !== 'leaf') return condition.conditions.flatMap(describeLeaves)
  const { selector, operator, operand, outcome } = condition
  const found = condition.value === undefined ? 'nothing there' : `value ${JSON.stringify(condition.value)}`
  return [`\n    ${selector} ${operator} ${JSON.stringify(operand)}: ${outcome}, ${found}`]
}
