// Before the call: preconditions, then sandboxes. Pure and synchronous: all it needs is in the plan and the scene.
import { fire, type Firing, type JudgedContract } from './compiled-contract.js'
import type { Scene } from './conditions/scene.js'
import type { ToolPlan } from './policy.js'
import { type ContractRecord, failedRecord, isPolicyError, passedRecord } from './record.js'

export type DecisionSource = 'yaml_precondition' | 'yaml_sandbox'

export interface Denial<Source extends string = DecisionSource> {
  readonly source: Source
  readonly name: string
  readonly reason: string
}

/** A contract that lets the call through only if a person agrees. */
export interface ApprovalRequirement {
  readonly source: DecisionSource
  readonly name: string
  readonly message: string
  readonly timeoutSeconds: number
  readonly timeoutEffect: 'deny' | 'allow'
}

export interface StageDecision {
  readonly records: readonly ContractRecord[]
  /** The first enforced denial; judging stopped there. */
  readonly denial: Denial | undefined
  /** Every enforced contract that asks for a person. Empty when something denied: nobody is asked in vain. */
  readonly approvals: readonly ApprovalRequirement[]
  /** Contracts that fired and only watch. */
  readonly observed: readonly ContractRecord[]
  readonly policyError: boolean
}

const nothing: readonly never[] = Object.freeze([])

/** Judges the preconditions of the tool, in order, up to the first enforced denial. */
export function decidePreconditions(plan: ToolPlan, scene: Scene): StageDecision {
  const fired = plan.preconditions.findFiring(scene)
  const passing = passingOf(plan.preconditions.contracts)
  if (fired.length === 0) return passing
  return summarise(passing.records, fired, scene)
}

/** Judges the sandboxes of the tool, in order, up to the first enforced denial. */
export function decideSandboxes(plan: ToolPlan, scene: Scene): StageDecision {
  const passing = passingOf(plan.sandboxes)
  if (plan.sandboxes.length === 0) return passing
  const fired: FiredContract[] = []
  plan.sandboxes.forEach((contract, position) => {
    const firing = fire(contract, scene)
    if (firing !== undefined) fired.push({ contract, position, firing })
  })
  return fired.length === 0 ? passing : summarise(passing.records, fired, scene)
}

interface FiredContract {
  readonly contract: JudgedContract
  readonly position: number
  readonly firing: Firing
}

function summarise(
  passing: readonly ContractRecord[],
  fired: readonly FiredContract[],
  scene: Scene,
): StageDecision {
  const records = [...passing]
  const approvals: ApprovalRequirement[] = []
  const observed: ContractRecord[] = []
  for (const { contract, position, firing } of fired) {
    const message = contract.message(scene)
    const record = failedRecord(contract, firing, message)
    records[position] = record
    if (contract.mode === 'observe') {
      observed.push(record)
      continue
    }
    const asks = approvalTermsOf(contract)
    if (asks === undefined) {
      const judged = records.slice(0, position + 1)
      return {
        records: Object.freeze(judged),
        denial: { source: sourceOf(contract), name: record.name, reason: message },
        approvals: nothing,
        observed,
        policyError: judged.some(isPolicyError),
      }
    }
    approvals.push({ source: sourceOf(contract), name: record.name, message, ...asks })
  }
  return {
    records: Object.freeze(records),
    denial: undefined,
    approvals,
    observed,
    policyError: records.some(isPolicyError),
  }
}

function sourceOf({ contract }: JudgedContract): DecisionSource {
  return contract.type === 'sandbox' ? 'yaml_sandbox' : 'yaml_precondition'
}

/** Undefined when the contract denies outright. */
function approvalTermsOf({
  contract,
}: JudgedContract): Pick<ApprovalRequirement, 'timeoutSeconds' | 'timeoutEffect'> | undefined {
  const terms =
    contract.type === 'sandbox'
      ? contract.outside === 'approve' && contract
      : contract.type === 'pre' && contract.then.effect === 'approve' && contract.then
  return terms === false
    ? undefined
    : { timeoutSeconds: terms.timeoutSeconds, timeoutEffect: terms.timeoutEffect }
}

/** The decision when every contract passes is the same for every call, so it is made once and shared. */
const allPassing = new WeakMap<readonly JudgedContract[], StageDecision>()

function passingOf(contracts: readonly JudgedContract[]): StageDecision {
  let decision = allPassing.get(contracts)
  if (decision === undefined) {
    decision = Object.freeze({
      records: Object.freeze(contracts.map(passedRecord)),
      denial: undefined,
      approvals: nothing,
      observed: nothing,
      policyError: false,
    })
    allPassing.set(contracts, decision)
  }
  return decision
}
