// What a set of calls tries of a bundle: which contracts were judged and fired, and which leaves were seen both ways.
import type { Condition, Contract, ContractBundle, ContractType } from '../contracts/bundle.js'
import { formatPath, type PathStep } from '../contracts/diagnostic.js'
import type { EvaluationResult } from './evaluation.js'
import type { ConditionExplanation } from './explanation.js'

export interface LeafCoverage {
  /** Where in the contract, for example `when.all[0]`. */
  readonly path: string
  readonly selector: string
  readonly operator: string
  readonly operand: unknown
  /** How often it was looked at and true; what could not be decided counts as true. */
  readonly matched: number
  readonly notMatched: number
}

export interface ContractCoverage {
  readonly contractId: string
  readonly type: ContractType
  readonly judged: number
  readonly fired: number
  readonly leaves: readonly LeafCoverage[]
}

type Counts<Kind> = { -readonly [Key in keyof Kind]: Kind[Key] }

/** Counts over any number of dry runs of one bundle. */
export class Coverage {
  readonly #contracts: ReadonlyMap<string, Counts<ContractCoverage>>
  readonly #leaves = new Map<string, Map<string, Counts<LeafCoverage>>>()

  constructor(bundle: ContractBundle) {
    this.#contracts = new Map(
      bundle.contracts
        .filter(({ enabled }) => enabled)
        .map((contract) => [contract.id, this.#empty(contract)]),
    )
  }

  add(result: EvaluationResult): void {
    for (const { contractId, passed } of result.contracts) {
      const contract = this.#contracts.get(contractId)
      if (contract === undefined) continue
      contract.judged++
      if (!passed) contract.fired++
    }
    for (const { contractId, when } of result.explain()) {
      const leaves = this.#leaves.get(contractId)
      if (leaves !== undefined && when !== undefined) count(when, ['when'], leaves)
    }
  }

  report(): readonly ContractCoverage[] {
    return [...this.#contracts.values()]
  }

  #empty(contract: Contract): Counts<ContractCoverage> {
    const leaves = new Map<string, Counts<LeafCoverage>>()
    if ('when' in contract) collect(contract.when, ['when'], leaves)
    this.#leaves.set(contract.id, leaves)
    return {
      contractId: contract.id,
      type: contract.type,
      judged: 0,
      fired: 0,
      leaves: [...leaves.values()],
    }
  }
}

type Path = readonly PathStep[]

function collect(condition: Condition, path: Path, into: Map<string, Counts<LeafCoverage>>): void {
  switch (condition.kind) {
    case 'all':
    case 'any':
      condition.conditions.forEach((child, index) => collect(child, [...path, condition.kind, index], into))
      return
    case 'not':
      collect(condition.condition, [...path, 'not'], into)
      return
    case 'leaf': {
      const { selector, operator, operand } = condition
      const name = formatPath(path)
      into.set(name, { path: name, selector, operator, operand, matched: 0, notMatched: 0 })
      return
    }
    default:
      condition satisfies never
  }
}

function count(node: ConditionExplanation, path: Path, leaves: Map<string, Counts<LeafCoverage>>): void {
  switch (node.kind) {
    case 'all':
    case 'any':
      node.conditions.forEach((child, index) => count(child, [...path, node.kind, index], leaves))
      return
    case 'not':
      count(node.condition, [...path, 'not'], leaves)
      return
    case 'leaf': {
      const leaf = leaves.get(formatPath(path))
      if (leaf === undefined || node.outcome === 'not-reached') return
      if (node.outcome === 'not-matched') leaf.notMatched++
      else leaf.matched++
      return
    }
    default:
      node satisfies never
  }
}
