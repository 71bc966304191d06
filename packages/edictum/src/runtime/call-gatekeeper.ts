// The gates of one call, in their order: duplicate, blocked, pre-tool hook, arguments; then, once the contracts agree,
// the turn's time, consent, and the last look before the tool runs.
import type { Refused } from '../guard/denial.js'
import type { CallGates, GateDenial, GateEntry } from '../guard/gates.js'
import type { AuditOutcome } from '../guard/ports/audit-event.js'
import { waitFor } from '../guard/waiting.js'
import type { ToolEnvelope } from '../policy/envelope.js'
import type { CheckedArguments } from './arguments/argument-check.js'
import { type Arguments, noArguments, type ReadArguments, readArguments } from './arguments/read-arguments.js'
import type { DenialReason } from './outcome.js'
import { reasonOf } from './refusal.js'
import { replayKey } from './replay-control.js'
import { longestTimerMs } from './runtime-clock.js'
import { runtimeDefaults, type ToolRuntimeOptions } from './runtime-options.js'
import type { RegisteredTool } from './runtime-tool.js'
import type { ToolCall } from './tool-call.js'
import type { TurnContext } from './turn-context.js'
import { isThenable } from './thenable.js'

/** What the gates share with the rest of the call. */
export interface GatedCall {
  readonly call: ToolCall
  readonly traceId: string
  readonly registered: RegisteredTool
  readonly turn: TurnContext
  readonly options: ToolRuntimeOptions
}

export class CallGatekeeper implements CallGates {
  readonly #gated: GatedCall
  /** What the call is known by in the history of the turn; two when arguments were changed to fit. */
  readonly keys: string[] = []
  args: Arguments = noArguments
  wasCoerced = false
  obstacle: GateDenial | undefined
  enter: (() => Promise<GateEntry>) | undefined
  #hasClaimed = false
  #waitedSince: number | undefined

  /** Goes as far as it can without waiting; the guard asks the rest on its way. */
  constructor(gated: GatedCall) {
    this.#gated = gated
    if (!gated.turn.signal.aborted) this.#prepare()
  }

  get mayWait(): boolean {
    const { registered, turn, options } = this.#gated
    const { confirmation } = registered.tool
    if (turn.budget.isExpired() || confirmation === 'always') return true
    return options.confirmWrite !== undefined && confirmation !== 'never'
  }

  consent(
    envelope: ToolEnvelope,
    needsApproval: boolean,
  ): GateDenial | undefined | Promise<GateDenial | undefined> {
    const { budget } = this.#gated.turn
    const mustConfirm = !needsApproval && this.#needsConfirmation(envelope)
    // With nobody to ask, `depart` looks at the time in a moment.
    if (!needsApproval && !mustConfirm) return undefined
    if (budget.isExpired()) return tooLate
    this.#waitedSince = budget.clock.now()
    return mustConfirm ? this.#confirm(envelope) : undefined
  }

  approvalWaitMs(): number {
    const { turn, options } = this.#gated
    return options.pauseBudgetDuringApproval === true ? Number.POSITIVE_INFINITY : turn.budget.remainingMs()
  }

  depart(): GateDenial | undefined {
    const { turn, options } = this.#gated
    const { budget } = turn
    if (options.pauseBudgetDuringApproval === true && this.#waitedSince !== undefined)
      budget.postpone(budget.clock.now() - this.#waitedSince)
    if (budget.isExpired()) return tooLate
    if (!budget.claimToolCall()) return deny('budget', 'no tool calls are left in this turn')
    this.#hasClaimed = true
    return undefined
  }

  outcomeOf(refused: Refused): AuditOutcome {
    return { kind: 'denied', reason: reasonOf(refused) }
  }

  /** A call that was refused in the end costs no allowance. */
  returnClaim(): void {
    if (this.#hasClaimed) this.#gated.turn.budget.returnToolCall()
  }

  /** The history forgets that the call is under way. */
  close(): void {
    for (const key of this.keys) this.#gated.turn.replay.end(key)
  }

  #prepare(): void {
    const { call, registered, turn, options } = this.#gated
    const read = readArguments(call.arguments)
    if (read.kind === 'read') this.args = read.args
    this.obstacle = (read.kind === 'read' ? this.#claimKey() : undefined) ?? this.#findBlock(registered.name)
    if (this.obstacle !== undefined) return
    if (options.onPreToolUse !== undefined) {
      this.enter = async () => (await this.#askHook()) ?? this.#validate(check(read, registered))
      return
    }
    const checked = check(read, registered)
    const mayRepair = options.repairArguments !== undefined && !turn.budget.isExpired()
    if (isThenable(checked) || (checked.kind === 'invalid' && mayRepair))
      this.enter = async () => this.#validate(checked)
    else this.obstacle = this.#accept(checked)
  }

  #claimKey(): GateDenial | undefined {
    const { registered, turn, options } = this.#gated
    const { name, tool } = registered
    if (!(tool.idempotent ?? options.guard.describeTool(name)?.idempotent ?? false)) return undefined
    const key = replayKey(name, this.args)
    if (this.keys.includes(key)) return undefined
    const duplicate = turn.replay.findDuplicate(key)
    if (duplicate !== undefined) return deny('duplicate', duplicate)
    turn.replay.begin(key)
    this.keys.push(key)
    return undefined
  }

  #findBlock(toolName: string): GateDenial | undefined {
    return this.#gated.turn.state.blockedToolNames.has(toolName)
      ? deny('blocked', 'the tool failed for good earlier in this turn')
      : undefined
  }

  async #askHook(): Promise<GateEntry | undefined> {
    const { call, options } = this.#gated
    try {
      const decision = await this.#inTurn(options.onPreToolUse?.(call, this.args))
      if (decision?.allow === true) return undefined
      if (decision?.allow === false) return refuse(deny('pre_hook', decision.reason ?? ''))
    } catch {
      // What the hook threw is for its owner, not for the agent.
    }
    return refuse(deny('pre_hook', 'the call could not be approved'))
  }

  async #validate(first: CheckedArguments | Promise<CheckedArguments>): Promise<GateEntry> {
    let checked: CheckedArguments
    try {
      checked = await this.#repair(await this.#inTurn(first))
    } catch {
      return refuse(deny('validation', 'the arguments could not be checked'))
    }
    const denial = this.#accept(checked)
    return denial === undefined ? { kind: 'entered', args: this.args } : refuse(denial)
  }

  async #repair(first: CheckedArguments): Promise<CheckedArguments> {
    const { call, registered, turn, traceId, options } = this.#gated
    const { repairArguments: repair } = options
    let checked = first
    while (
      checked.kind === 'invalid' &&
      repair !== undefined &&
      turn.state.repairCount(traceId) < runtimeDefaults.maxRepairAttempts &&
      !turn.budget.isExpired()
    ) {
      const attempt = turn.state.incrementRepair(traceId)
      try {
        const repaired = await this.#inTurn(repair(call, checked.errors, attempt))
        if (repaired === null) break
        checked = await this.#inTurn(check(readArguments(repaired), registered))
        if (checked.kind === 'valid') checked = { ...checked, wasCoerced: true }
      } catch {
        break
      }
    }
    return checked
  }

  #accept(checked: CheckedArguments): GateDenial | undefined {
    if (checked.kind === 'invalid') return deny('validation', checked.errors.join('; '))
    this.wasCoerced = checked.wasCoerced
    if (!checked.wasCoerced) return undefined
    this.args = checked.args
    return this.#claimKey()
  }

  #needsConfirmation({ sideEffect }: ToolEnvelope): boolean {
    const { registered, options } = this.#gated
    const { confirmation = 'writes' } = registered.tool
    if (confirmation !== 'writes') return confirmation === 'always'
    return options.confirmWrite !== undefined && sideEffect !== 'pure' && sideEffect !== 'read'
  }

  async #confirm(envelope: ToolEnvelope): Promise<GateDenial | undefined> {
    const { call, turn, options } = this.#gated
    if (options.confirmWrite === undefined) return deny('write_denied', 'nobody is there to confirm the call')
    try {
      const args = options.guard.redaction.redactArgs(envelope.args)
      const asked = options.confirmWrite({ call, args, envelope, signal: turn.signal })
      const isPaused = options.pauseBudgetDuringApproval === true
      const answer = await this.#inTurn(asked, isPaused ? longestTimerMs : turn.budget.remainingMs())
      return answer === true ? undefined : deny('write_denied', 'the call was not confirmed')
    } catch {
      return turn.budget.isExpired() ? tooLate : deny('write_denied', 'the call could not be confirmed')
    }
  }

  /** Nobody is waited for longer than the turn lasts, or after it was cancelled. */
  async #inTurn<Value>(
    answer: Value | Promise<Value>,
    patienceMs = this.#gated.turn.budget.remainingMs(),
  ): Promise<Value> {
    if (!isThenable(answer)) return answer
    const { signal } = this.#gated.turn
    const milliseconds = Math.max(1, Math.ceil(patienceMs))
    return waitFor(answer as Promise<Value>, { milliseconds, signal, what: 'a gate of the runtime' })
  }
}

function check(
  read: ReadArguments,
  registered: RegisteredTool,
): CheckedArguments | Promise<CheckedArguments> {
  return read.kind === 'read' ? registered.checkArguments(read.args) : { kind: 'invalid', errors: [read.why] }
}

const tooLate = Object.freeze(deny('deadline', 'the time of the turn is over'))

function deny(gate: DenialReason, reason: string): GateDenial {
  return { gate, reason }
}

function refuse(denial: GateDenial): GateEntry {
  return { kind: 'refused', denial }
}
