// Limits of a session: those of the bundle's session contracts, each with its own message, and the guard's own, which
// apply where no contract sets one.
import type { SessionContract } from '../contracts/bundle.js'
import { EdictumConfigError } from '../contracts/config-error.js'
import type { CompiledSession } from '../policy/compiled-contract.js'
import type { Scene } from '../policy/conditions/scene.js'
import type { ContractRecord } from '../policy/record.js'
import type { SessionCounters, SessionLimitValues } from './ports/storage-backend.js'

export interface OperationLimits {
  readonly maxAttempts: number
  readonly maxToolCalls: number
  readonly maxCallsPerTool: Readonly<Record<string, number>>
}

/** What a guard enforces when nothing is configured. An explicit limit of a contract replaces the default of its kind. */
export const defaultLimits = { maxAttempts: 500, maxToolCalls: 200 } as const

export type LimitName = 'max_tool_calls' | 'max_attempts' | 'max_calls_per_tool'

export interface LimitDenial {
  readonly source: 'yaml_session' | 'attempt_limit' | 'operation_limit'
  readonly name: string
  readonly reason: string
}

export interface LimitDecision {
  readonly records: readonly ContractRecord[]
  /** Contracts at their limit that only watch. */
  readonly observed: readonly ContractRecord[]
  readonly denial: LimitDenial | undefined
}

const nothing: readonly never[] = Object.freeze([])

/** Attempts before this call, and executions that are done or under way. */
export type CountersBefore = SessionCounters

export class SessionLimitRules {
  readonly #enforced: readonly CompiledSession[]
  readonly #all: readonly CompiledSession[]
  readonly #own: {
    readonly maxAttempts?: number
    readonly maxToolCalls?: number
    readonly maxCallsPerTool: ReadonlyMap<string, number>
  }
  readonly #passed: readonly ContractRecord[]
  readonly #valuesByTool = new Map<string, SessionLimitValues>()
  /** The limits in force, contracts and guard taken together. */
  readonly effective: OperationLimits

  constructor(sessions: readonly CompiledSession[], given: Partial<OperationLimits>) {
    this.#all = sessions
    this.#enforced = sessions.filter(({ mode }) => mode === 'enforce')
    const given_ = checkLimits(given)
    const contractSets = (limit: 'maxAttempts' | 'maxToolCalls') =>
      this.#enforced.some(({ contract }) => contract.limits[limit] !== undefined)
    const own = (limit: 'maxAttempts' | 'maxToolCalls') =>
      given_[limit] ?? (contractSets(limit) ? undefined : defaultLimits[limit])
    const maxAttempts = own('maxAttempts')
    const maxToolCalls = own('maxToolCalls')
    this.#own = {
      ...(maxAttempts === undefined ? {} : { maxAttempts }),
      ...(maxToolCalls === undefined ? {} : { maxToolCalls }),
      maxCallsPerTool: new Map(Object.entries(given_.maxCallsPerTool ?? {})),
    }
    this.#passed = Object.freeze(sessions.map(({ contract }) => passed(contract)))
    this.effective = this.#merge()
  }

  /** The lowest limit of each kind, which is all that taking a slot has to know. */
  valuesFor(toolName: string): SessionLimitValues {
    let values = this.#valuesByTool.get(toolName)
    if (values === undefined) {
      const perTool = this.effective.maxCallsPerTool
      values = Object.freeze({
        attempts: this.effective.maxAttempts,
        executions: this.effective.maxToolCalls,
        ...(Object.hasOwn(perTool, toolName) ? { toolExecutions: perTool[toolName] as number } : {}),
      })
      if (this.#valuesByTool.size >= 4_096) this.#valuesByTool.clear()
      this.#valuesByTool.set(toolName, values)
    }
    return values
  }

  /** Whether this attempt is one too many, and who says so: the contract that owns the limit, with its own message. */
  judgeAttempt(before: CountersBefore, scene: Scene): LimitDenial | undefined {
    for (const session of this.#enforced) {
      const limit = session.contract.limits.maxAttempts
      if (limit !== undefined && before.attempts >= limit) return contractDenial(session, scene)
    }
    const limit = this.#own.maxAttempts
    if (limit === undefined || before.attempts < limit) return undefined
    return {
      source: 'attempt_limit',
      name: 'max_attempts',
      reason: `Attempt limit reached (${limit} attempts). The agent may be stuck in a retry loop. Stop and reassess.`,
    }
  }

  /** Judges every session contract in order, then the guard's own limits. */
  judge(before: CountersBefore, scene: Scene): LimitDecision {
    if (this.#all.length === 0) {
      return { records: nothing, observed: nothing, denial: this.#judgeOwn(before, scene.envelope.toolName) }
    }
    const records = [...this.#passed]
    const observed: ContractRecord[] = []
    for (const [position, session] of this.#all.entries()) {
      const limit = reachedLimit(session.contract, before, scene.envelope.toolName)
      if (limit === undefined) continue
      const record = failed(session, limit, session.message(scene))
      records[position] = record
      if (session.mode === 'observe') {
        observed.push(record)
        continue
      }
      const denial = { source: 'yaml_session', name: record.name, reason: record.message ?? '' } as const
      return { records: records.slice(0, position + 1), observed, denial }
    }
    return { records, observed, denial: this.#judgeOwn(before, scene.envelope.toolName) }
  }

  #judgeOwn(before: CountersBefore, toolName: string): LimitDenial | undefined {
    const { maxToolCalls, maxCallsPerTool } = this.#own
    if (maxToolCalls !== undefined && before.executions >= maxToolCalls) {
      return {
        source: 'operation_limit',
        name: 'max_tool_calls',
        reason: `Execution limit reached (${maxToolCalls} calls). Summarize progress and stop.`,
      }
    }
    const limit = maxCallsPerTool.get(toolName)
    if (limit === undefined || before.toolExecutions < limit) return undefined
    return {
      source: 'operation_limit',
      name: `max_calls_per_tool:${toolName}`,
      reason: `Per-tool limit: ${toolName} called ${before.toolExecutions} times (limit: ${limit}).`,
    }
  }

  #merge(): OperationLimits {
    const lowest = (limit: 'maxAttempts' | 'maxToolCalls') =>
      Math.min(
        ...this.#enforced.map(({ contract }) => contract.limits[limit] ?? Infinity),
        this.#own[limit] ?? Infinity,
      )
    const perTool = new Map(this.#own.maxCallsPerTool)
    for (const { contract } of this.#enforced) {
      for (const [tool, limit] of contract.limits.maxCallsPerTool ?? []) {
        perTool.set(tool, Math.min(limit, perTool.get(tool) ?? Infinity))
      }
    }
    return Object.freeze({
      maxAttempts: lowest('maxAttempts'),
      maxToolCalls: lowest('maxToolCalls'),
      maxCallsPerTool: Object.freeze(Object.fromEntries(perTool)),
    })
  }
}

/** Each contract looks at its own three limits, in this order, and speaks with one message. */
export function reachedLimit(
  contract: SessionContract,
  before: CountersBefore,
  toolName: string,
): LimitName | undefined {
  const { maxToolCalls, maxAttempts, maxCallsPerTool } = contract.limits
  if (maxToolCalls !== undefined && before.executions >= maxToolCalls) return 'max_tool_calls'
  if (maxAttempts !== undefined && before.attempts >= maxAttempts) return 'max_attempts'
  const limit = maxCallsPerTool?.get(toolName)
  return limit !== undefined && before.toolExecutions >= limit ? 'max_calls_per_tool' : undefined
}

function contractDenial(session: CompiledSession, scene: Scene): LimitDenial {
  return { source: 'yaml_session', name: session.contract.id, reason: session.message(scene) }
}

function passed(contract: SessionContract): ContractRecord {
  return Object.freeze({ name: contract.id, type: 'session_contract', passed: true, message: null })
}

function failed({ contract, mode }: CompiledSession, limit: LimitName, message: string): ContractRecord {
  return Object.freeze({
    name: contract.id,
    type: 'session_contract',
    passed: false,
    message,
    metadata: Object.freeze({ ...contract.then.metadata, tags: contract.then.tags, limit }),
    ...(mode === 'observe' ? { observed: true as const } : {}),
  })
}

function checkLimits(given: Partial<OperationLimits>): Partial<OperationLimits> {
  const check = (value: unknown, name: string) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
      throw EdictumConfigError.of('invalid-option', `limits.${name} must be a whole number of at least 1`)
    }
  }
  if (given.maxAttempts !== undefined) check(given.maxAttempts, 'maxAttempts')
  if (given.maxToolCalls !== undefined) check(given.maxToolCalls, 'maxToolCalls')
  for (const [tool, limit] of Object.entries(given.maxCallsPerTool ?? {}))
    check(limit, `maxCallsPerTool.${tool}`)
  return given
}
