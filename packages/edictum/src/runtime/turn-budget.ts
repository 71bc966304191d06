// What one turn may use up: time, steps, tool calls, reflections. Every claim checks and counts in one go, with nothing
// awaited in between, so parallel calls cannot both take the last one.
import { EdictumConfigError } from '../contracts/config-error.js'
import { longestTimerMs, type RuntimeClock, systemClock } from './runtime-clock.js'

export interface TurnBudgetOptions {
  /** Seconds the turn may take. @default 60 */
  readonly timeoutS?: number
  /** Generations of the model. @default 6 */
  readonly maxSteps?: number
  /** Calls that really run; denied ones cost nothing. @default maxSteps */
  readonly maxToolCalls?: number
  /** @default 4 */
  readonly maxReflections?: number
  /** For whoever assembles the context; the runtime only carries it. @default 200000 */
  readonly maxContextTokens?: number
  /** Seconds a tool is given even when the turn has less left, unless its own limit is lower. @default 5 */
  readonly toolFloorS?: number
  /** Ends tools with the turn: no floor. @default false */
  readonly strictTurnDeadline?: boolean
  readonly clock?: RuntimeClock
}

/** Seconds one tool may take when it does not say. */
export const defaultToolTimeoutS = 45

export class TurnBudget {
  readonly maxContextTokens: number
  readonly clock: RuntimeClock
  readonly #allowances: {
    readonly steps: Allowance
    readonly toolCalls: Allowance
    readonly reflections: Allowance
  }
  readonly #floorMs: number
  #deadline: number

  private constructor(options: TurnBudgetOptions) {
    const { timeoutS = 60, maxSteps = 6, toolFloorS = 5 } = options
    this.clock = options.clock ?? systemClock
    this.maxContextTokens = checkCount('maxContextTokens', options.maxContextTokens ?? 200_000)
    this.#allowances = {
      steps: new Allowance(checkCount('maxSteps', maxSteps)),
      toolCalls: new Allowance(checkCount('maxToolCalls', options.maxToolCalls ?? maxSteps)),
      reflections: new Allowance(checkCount('maxReflections', options.maxReflections ?? 4)),
    }
    this.#floorMs = options.strictTurnDeadline === true ? 0 : checkSeconds('toolFloorS', toolFloorS) * 1_000
    this.#deadline = this.clock.now() + checkSeconds('timeoutS', timeoutS) * 1_000
  }

  /** @throws EdictumConfigError for a number that makes no sense. */
  static create(options: TurnBudgetOptions = {}): TurnBudget {
    return new TurnBudget(options)
  }

  /** In milliseconds of the clock. */
  get deadline(): number {
    return this.#deadline
  }

  /** 0 when the turn's time is over. */
  remainingS(): number {
    return this.remainingMs() / 1_000
  }

  remainingMs(): number {
    return Math.max(0, this.#deadline - this.clock.now())
  }

  isExpired(): boolean {
    return this.clock.now() >= this.#deadline
  }

  /** When a well-behaved tool has to stop, in milliseconds of the clock: with the turn, or after its own limit. */
  toolDeadline(capS = defaultToolTimeoutS): number {
    return Math.min(this.#deadline, this.clock.now() + checkSeconds('a tool timeout', capS) * 1_000)
  }

  /** How long one tool is waited for. The floor may go beyond the turn, never beyond the tool's own limit. */
  perToolRemainingS(capS = defaultToolTimeoutS): number {
    return Math.min(checkSeconds('a tool timeout', capS), Math.max(this.#floorMs, this.remainingMs()) / 1_000)
  }

  /** When a tool that starts now has to stop, and until when it is waited for, in milliseconds of the clock. */
  toolWindow(capS: number): {
    readonly startedAt: number
    readonly deadline: number
    readonly waitUntil: number
  } {
    const startedAt = this.clock.now()
    const capMs = capS * 1_000
    const leftMs = Math.max(0, this.#deadline - startedAt)
    const deadline = startedAt + Math.min(capMs, leftMs)
    return { startedAt, deadline, waitUntil: startedAt + Math.min(capMs, Math.max(this.#floorMs, leftMs)) }
  }

  claimStep(): boolean {
    return this.#allowances.steps.claim()
  }

  claimToolCall(): boolean {
    return this.#allowances.toolCalls.claim()
  }

  /** For a call that was refused after it had claimed. */
  returnToolCall(): void {
    this.#allowances.toolCalls.giveBack()
  }

  claimReflection(): boolean {
    return this.#allowances.reflections.claim()
  }

  /** Time a person took to answer need not be the agent's. */
  postpone(milliseconds: number): void {
    this.#deadline += Math.max(0, milliseconds)
  }

  snapshot(): Readonly<Record<string, number | boolean>> {
    const { steps, toolCalls, reflections } = this.#allowances
    return {
      remaining_s: this.remainingS(),
      expired: this.isExpired(),
      steps_used: steps.used,
      steps_max: steps.most,
      tool_calls_used: toolCalls.used,
      tool_calls_max: toolCalls.most,
      reflections_used: reflections.used,
      reflections_max: reflections.most,
      max_context_tokens: this.maxContextTokens,
    }
  }
}

class Allowance {
  readonly most: number
  used = 0

  constructor(most: number) {
    this.most = most
  }

  claim(): boolean {
    if (this.used >= this.most) return false
    this.used++
    return true
  }

  giveBack(): void {
    this.used = Math.max(0, this.used - 1)
  }
}

/** @throws EdictumConfigError for what no timer could keep. */
export function checkSeconds(name: string, seconds: number): number {
  if (!(seconds >= 0) || seconds * 1_000 > longestTimerMs) {
    throw EdictumConfigError.of(
      'invalid-option',
      `${name} must be a number of seconds from 0 to ${Math.floor(longestTimerMs / 1_000)}`,
    )
  }
  return seconds
}

function checkCount(name: string, count: number): number {
  if (!Number.isSafeInteger(count) || count < 0) {
    throw EdictumConfigError.of('invalid-option', `${name} must be a whole number of at least 0`)
  }
  return count
}
