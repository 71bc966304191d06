// The dry run: every matching contract judged against one call, nothing executed, nothing counted, nobody asked.
import type { Mode, PostContract, PreContract, SandboxContract } from '../contracts/bundle.js'
import { contractTypeNames, fire, type Firing, type JudgedContract } from './compiled-contract.js'
import type { Scene } from './conditions/scene.js'
import { type ContractExplanation, explainContract } from './explanation.js'
import { type InspectedOutput, inspect } from './inspect.js'
import type { Policy, ToolPlan } from './policy.js'

export interface ContractResult {
  readonly contractId: string
  readonly contractType: 'precondition' | 'sandbox' | 'session_contract' | 'postcondition'
  readonly passed: boolean
  readonly message: string | null
  readonly tags: readonly string[]
  readonly observed: boolean
  readonly effect: 'deny' | 'approve' | 'warn' | 'redact'
  readonly policyError: boolean
}

export type EvaluationVerdict = 'allow' | 'deny' | 'warn'

/** The answer of a dry run. Results of passing contracts are shared between calls; everything is frozen. */
export class EvaluationResult {
  readonly verdict: EvaluationVerdict
  readonly toolName: string
  readonly contracts: readonly ContractResult[]
  readonly denyReasons: readonly string[]
  readonly warnReasons: readonly string[]
  readonly contractsEvaluated: number
  readonly policyError: boolean
  readonly #onDemand: OnDemand

  constructor(findings: EvaluationFindings, onDemand: OnDemand) {
    this.verdict = findings.verdict
    this.toolName = findings.toolName
    this.contracts = findings.contracts
    this.denyReasons = findings.denyReasons
    this.warnReasons = findings.warnReasons
    this.contractsEvaluated = findings.contracts.length
    this.policyError = findings.policyError
    this.#onDemand = onDemand
  }

  /** Why each contract did or did not fire, leaf by leaf, with the value it saw. Computed on demand. */
  explain(): readonly ContractExplanation[] {
    return this.#onDemand.explain()
  }

  /** The same answer with the results of further contracts counted in. */
  and(results: readonly ContractResult[]): EvaluationResult {
    if (results.length === 0) return this
    const reasons = (isAfter: boolean) =>
      results
        .filter(
          ({ passed, observed, contractType }) =>
            !passed && !observed && (contractType === 'postcondition') === isAfter,
        )
        .map(({ message }) => message ?? '')
    const denyReasons = [...this.denyReasons, ...reasons(false)]
    const warnReasons = [...this.warnReasons, ...reasons(true)]
    return new EvaluationResult(
      {
        verdict: denyReasons.length > 0 ? 'deny' : warnReasons.length > 0 ? 'warn' : 'allow',
        toolName: this.toolName,
        contracts: Object.freeze([...this.contracts, ...results]),
        denyReasons: Object.freeze(denyReasons),
        warnReasons: Object.freeze(warnReasons),
        policyError: this.policyError || results.some(({ policyError }) => policyError),
      },
      this.#onDemand,
    )
  }

  /** What the agent would see of the given output: untouched, redacted or suppressed. Undefined without an output. */
  inspectOutput(): InspectedOutput | undefined {
    return this.#onDemand.inspectOutput()
  }
}

/** Parts of the answer that cost something and are often not wanted. */
interface OnDemand {
  readonly explain: () => readonly ContractExplanation[]
  readonly inspectOutput: () => InspectedOutput | undefined
}

interface EvaluationFindings {
  readonly verdict: EvaluationVerdict
  readonly toolName: string
  readonly contracts: readonly ContractResult[]
  readonly denyReasons: readonly string[]
  readonly warnReasons: readonly string[]
  readonly policyError: boolean
}

const noReasons: readonly string[] = Object.freeze([])

export interface EvaluateContext {
  readonly policy: Policy
  readonly plan: ToolPlan
  /** The guard's mode: in observe mode outputs are shown as they are. */
  readonly mode: Mode
}

export function evaluate({ policy, plan, mode }: EvaluateContext, scene: Scene): EvaluationResult {
  const judged = judgedContracts(plan, scene)
  const { redaction } = policy.options
  const onDemand: OnDemand = {
    explain: () => judged.contracts.map((contract) => explainContract(contract, scene, policy.options)),
    inspectOutput: () =>
      scene.output === undefined
        ? undefined
        : inspect(plan, scene, { sideEffect: scene.envelope.sideEffect, mode, redaction }).output,
  }
  const fired = findFiring(plan, scene)
  const findings =
    fired.length === 0
      ? {
          verdict: 'allow' as const,
          contracts: judged.passed,
          denyReasons: noReasons,
          warnReasons: noReasons,
          policyError: false,
        }
      : summarise(judged.passed, fired, scene)
  return new EvaluationResult({ toolName: plan.toolName, ...findings }, onDemand)
}

interface FiredAt {
  readonly contract: JudgedContract
  readonly at: number
  readonly firing: Firing
}

/** In the order of the list of results: preconditions, sandboxes, then postconditions when there is an output. */
function findFiring(plan: ToolPlan, scene: Scene): readonly FiredAt[] {
  const before = plan.preconditions.findFiring(scene)
  const after = scene.output === undefined ? [] : plan.postconditions.findFiring(scene)
  if (before.length === 0 && after.length === 0 && plan.sandboxes.length === 0) return []
  const fired: FiredAt[] = before.map(({ contract, position, firing }) => ({
    contract,
    at: position,
    firing,
  }))
  const sandboxStart = plan.preconditions.contracts.length
  plan.sandboxes.forEach((contract, index) => {
    const firing = fire(contract, scene)
    if (firing !== undefined) fired.push({ contract, at: sandboxStart + index, firing })
  })
  const postStart = sandboxStart + plan.sandboxes.length
  for (const { contract, position, firing } of after)
    fired.push({ contract, at: postStart + position, firing })
  return fired
}

function summarise(passed: readonly ContractResult[], fired: readonly FiredAt[], scene: Scene) {
  const contracts = [...passed]
  const denyReasons: string[] = []
  const warnReasons: string[] = []
  let policyError = false
  for (const { contract, at, firing } of fired) {
    const message = contract.message(scene)
    const isError = firing.kind === 'policy-error'
    policyError ||= isError
    contracts[at] = Object.freeze({ ...describe(contract), passed: false, message, policyError: isError })
    if (contract.mode === 'observe') continue
    if (contract.contract.type === 'post') warnReasons.push(message)
    else denyReasons.push(message)
  }
  const verdict: EvaluationVerdict =
    denyReasons.length > 0 ? 'deny' : warnReasons.length > 0 ? 'warn' : 'allow'
  return {
    verdict,
    contracts: Object.freeze(contracts),
    denyReasons: Object.freeze(denyReasons),
    warnReasons: Object.freeze(warnReasons),
    policyError,
  }
}

interface Judged {
  readonly contracts: readonly JudgedContract[]
  readonly passed: readonly ContractResult[]
}

/** The lists are the same for every call of a tool, so they are made once per plan and shared. */
const judgedBefore = new WeakMap<ToolPlan, Judged>()
const judgedAfter = new WeakMap<ToolPlan, Judged>()

function judgedContracts(plan: ToolPlan, scene: Scene): Judged {
  const known = scene.output === undefined ? judgedBefore : judgedAfter
  let judged = known.get(plan)
  if (judged === undefined) {
    const contracts: JudgedContract[] = [
      ...plan.preconditions.contracts,
      ...plan.sandboxes,
      ...(scene.output === undefined ? [] : plan.postconditions.contracts),
    ]
    const passed = Object.freeze(
      contracts.map((contract) =>
        Object.freeze({ ...describe(contract), passed: true, message: null, policyError: false }),
      ),
    )
    judged = { contracts, passed }
    known.set(plan, judged)
  }
  return judged
}

function describe({
  contract,
  mode,
}: JudgedContract): Pick<ContractResult, 'contractId' | 'contractType' | 'tags' | 'observed' | 'effect'> {
  return {
    contractId: contract.id,
    contractType: contractTypeNames[contract.type],
    tags: tagsOf(contract),
    observed: mode === 'observe',
    effect: contract.type === 'sandbox' ? contract.outside : contract.then.effect,
  }
}

function tagsOf(contract: PreContract | PostContract | SandboxContract): readonly string[] {
  return contract.type === 'sandbox' ? noReasons : contract.then.tags
}
