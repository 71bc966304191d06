// Contracts written in code, as part of a dry run: judged at once or not at all.
import { applies } from './applies.js'
import { messageOf } from '../internal/message-of.js'
import type { ToolEnvelope } from '../policy/envelope.js'
import type { ContractResult } from '../policy/evaluation.js'
import type { CodeContracts } from './code-contracts.js'
import { type CodePostcondition, type CodePrecondition, Verdict } from './verdict.js'
import { disown, isPromise } from './waiting.js'

type Judged = CodePrecondition | CodePostcondition

export function dryRunCode(
  code: CodeContracts,
  envelope: ToolEnvelope,
  output: unknown,
): readonly ContractResult[] {
  const isAfter = output !== undefined && output !== null
  const contracts: readonly (Judged & { readonly matches: (name: string) => boolean })[] = [
    ...code.preconditions,
    ...(isAfter ? code.postconditions : []),
  ]
  return contracts
    .filter((contract) => contract.matches(envelope.toolName) && applies(contract, envelope))
    .map((contract) => judge(contract, envelope, output))
}

function judge(contract: Judged, envelope: ToolEnvelope, output: unknown): ContractResult {
  const common = {
    contractId: contract.name,
    contractType: contract.kind,
    tags: Object.freeze([]),
    observed: contract.mode === 'observe',
    effect: contract.effect,
  } as const
  try {
    const verdict =
      contract.kind === 'precondition' ? contract.check(envelope) : contract.check(envelope, output)
    if (isPromise(verdict)) disown(verdict)
    if (!(verdict instanceof Verdict))
      throw new TypeError('a contract must answer a dry run with a verdict, at once')
    return Object.freeze({ ...common, passed: verdict.passed, message: verdict.message, policyError: false })
  } catch (error) {
    const message = messageOf(error)
    return Object.freeze({ ...common, passed: false, message, policyError: true })
  }
}
