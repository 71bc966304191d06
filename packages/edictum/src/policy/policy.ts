// A bundle compiled once: immutable, indexed by tool. A call looks at the contracts that can match its tool and no others.
import type {
  Condition,
  ContractBundle,
  Mode,
  PostContract,
  PreContract,
  SandboxContract,
  ToolDescriptor,
} from '../contracts/bundle.js'
import {
  compileJudged,
  type CompileContext,
  type CompiledSession,
  compileSession,
  type JudgedContract,
} from './compiled-contract.js'
import type { Extensions } from './conditions/condition.js'
import type { RedactionPolicy } from './redaction/redaction-policy.js'
import { type Stage, StageIndex } from './stage.js'
import { compileGlob, type GlobMatcher, isGlob } from './tool-glob.js'

export interface PolicyOptions {
  readonly extensions: Extensions
  readonly redaction: RedactionPolicy
}

/** What one tool name meets: computed at the first call of the tool and kept. */
export interface ToolPlan {
  readonly toolName: string
  readonly descriptor: ToolDescriptor | undefined
  readonly preconditions: Stage<JudgedContract<PreContract>>
  readonly sandboxes: readonly JudgedContract<SandboxContract>[]
  readonly postconditions: Stage<JudgedContract<PostContract>>
  /** A postcondition asks where paths lead: to be looked at before the tool can change it. */
  readonly asksForPaths: boolean
  /** A postcondition reads the output as one text, which may be long. */
  readonly readsOutputText: boolean
}

/** The policy a bundle enforces, and the one its shadow contracts would be, if it has any. */
export function compileBundle(
  bundle: ContractBundle,
  options: PolicyOptions,
): { readonly policy: Policy; readonly candidates: Policy | undefined } {
  const shadows = bundle.contracts.filter(({ shadow }) => shadow === true)
  const enforced =
    shadows.length === 0 ? bundle.contracts : bundle.contracts.filter(({ shadow }) => shadow !== true)
  return {
    policy: new Policy({ ...bundle, contracts: enforced }, options),
    candidates: shadows.length === 0 ? undefined : new Policy({ ...bundle, contracts: shadows }, options),
  }
}

/** Tool names come from a model, so the memory of plans is bounded; a forgotten plan is only computed again. */
const keptPlans = 4_096

function mentions(condition: Condition, selector: string): boolean {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.conditions.some((child) => mentions(child, selector))
    case 'not':
      return mentions(condition.condition, selector)
    case 'leaf':
      return condition.selector === selector
    default:
      return condition satisfies never
  }
}

export class Policy {
  readonly mode: Mode
  readonly options: PolicyOptions
  readonly sessions: readonly CompiledSession[]
  readonly #preconditions: StageIndex<JudgedContract<PreContract>>
  readonly #postconditions: StageIndex<JudgedContract<PostContract>>
  readonly #sandboxes: readonly {
    readonly contract: JudgedContract<SandboxContract>
    readonly tools: readonly GlobMatcher[]
  }[]
  readonly #tools: ReadonlyMap<string, ToolDescriptor>
  readonly #toolGlobs: readonly { readonly matches: GlobMatcher; readonly descriptor: ToolDescriptor }[]
  readonly #plans = new Map<string, ToolPlan>()

  constructor(bundle: ContractBundle, options: PolicyOptions) {
    this.mode = bundle.defaults.mode
    this.options = options
    const context: CompileContext = { ...options, defaultMode: bundle.defaults.mode }
    const preconditions: JudgedContract<PreContract>[] = []
    const postconditions: JudgedContract<PostContract>[] = []
    const sandboxes: JudgedContract<SandboxContract>[] = []
    const sessions: CompiledSession[] = []
    bundle.contracts.forEach((contract, order) => {
      if (!contract.enabled) return
      switch (contract.type) {
        case 'pre':
          preconditions.push(compileJudged(contract, order, context))
          return
        case 'post':
          postconditions.push(compileJudged(contract, order, context))
          return
        case 'sandbox':
          sandboxes.push(compileJudged(contract, order, context))
          return
        case 'session':
          sessions.push(compileSession(contract, order, context))
          return
        default:
          contract satisfies never
      }
    })
    this.sessions = sessions
    this.#preconditions = new StageIndex(preconditions, options.extensions.selectors)
    this.#postconditions = new StageIndex(postconditions, options.extensions.selectors)
    this.#sandboxes = sandboxes.map((contract) => ({
      contract,
      tools: contract.contract.tools.map(compileGlob),
    }))
    this.#tools = bundle.tools
    this.#toolGlobs = [...bundle.tools]
      .filter(([name]) => isGlob(name))
      .map(([name, descriptor]) => ({ matches: compileGlob(name), descriptor }))
    for (const name of this.#preconditions.toolNames()) this.planFor(name)
    for (const name of this.#postconditions.toolNames()) this.planFor(name)
  }

  planFor(toolName: string): ToolPlan {
    const known = this.#plans.get(toolName)
    if (known !== undefined) return known
    const postconditions = this.#postconditions.stageFor(toolName)
    const asksFor = (selector: string) =>
      postconditions.contracts.some(({ contract }) => mentions(contract.when, selector))
    const plan: ToolPlan = {
      toolName,
      descriptor: this.#descriptorOf(toolName),
      preconditions: this.#preconditions.stageFor(toolName),
      sandboxes: this.#sandboxes
        .filter(({ tools }) => tools.some((matches) => matches(toolName)))
        .map(({ contract }) => contract),
      postconditions,
      asksForPaths: asksFor('paths'),
      readsOutputText: asksFor('output.text'),
    }
    if (this.#plans.size >= keptPlans) this.#plans.clear()
    this.#plans.set(toolName, plan)
    return plan
  }

  /** An exact name wins; otherwise the first glob in the bundle that matches. */
  #descriptorOf(toolName: string): ToolDescriptor | undefined {
    return this.#tools.get(toolName) ?? this.#toolGlobs.find(({ matches }) => matches(toolName))?.descriptor
  }
}
