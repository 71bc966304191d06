// The parts of a dry run that the policy alone cannot judge: contracts written in code, which answer at once or not at all,
// and limits, for counters that are given.
import { applies } from './applies.js'
import { messageOf } from '../internal/message-of.js'
import type { ToolEnvelope } from '../policy/envelope.js'
import type { ContractResult } from '../policy/evaluation.js'
import type { Scene } from '../policy/conditions/scene.js'
import type { ContractRecord } from '../policy/record.js'
import type { SessionCounts } from './call-judge.js'
import type { CodeContracts } from './code-contracts.js'
import type { SessionLimitRules } from './limits.js'
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

const noTags: readonly string[] = Object.freeze([])

/** Session contracts, then the guard's own limits, which go by the name of the limit. */
export function dryRunSession(
  limits: SessionLimitRules,
  scene: Scene,
  { attempts = 0, toolCalls = 0, callsPerTool = {} }: SessionCounts,
): readonly ContractResult[] {
  const { toolName } = scene.envelope
  const toolExecutions = Object.hasOwn(callsPerTool, toolName) ? (callsPerTool[toolName] ?? 0) : 0
  const before = { attempts, executions: toolCalls, toolExecutions }
  const { records, denial } = limits.judge(before, scene)
  const results = records.map(resultOf)
  // The attempt limit of the guard itself is looked at when a call arrives, before any contract.
  const attempt = denial === undefined ? limits.judgeAttempt(before, scene) : undefined
  const own = denial?.source === 'operation_limit' ? denial : attempt
  return own === undefined
    ? results
    : [...results, resultOf({ name: own.name, type: 'session_contract', passed: false, message: own.reason })]
}

function resultOf({ name, passed, message, metadata, observed }: ContractRecord): ContractResult {
  return Object.freeze({
    contractId: name,
    contractType: 'session_contract',
    passed,
    message,
    tags: (metadata?.['tags'] as readonly string[] | undefined) ?? noTags,
    observed: observed === true,
    effect: 'deny',
    policyError: false,
  })
}
