// One turn: the tool calls of every step of the model, run in waves, each ending in one outcome, in the model's order.
import { checkSessionId } from '../guard/session-id.js'
import { readPrincipal } from '../guard/principal.js'
import { frozenCopy } from '../guard/frozen-data.js'
import type { AbandonedCalls } from './abandoned-calls.js'
import type { ToolOutcome } from './outcome.js'
import { ReplayControl } from './replay-control.js'
import type { CallerOptions } from './runtime-guard.js'
import { runtimeDefaults, type ToolRuntimeOptions } from './runtime-options.js'
import { type RegisteredTool, schedulingClass } from './runtime-tool.js'
import type { ToolCall } from './tool-call.js'
import { ToolCallRun } from './tool-call-run.js'
import { runWave, type Schedulable, scheduleWaves } from './tool-scheduler.js'
import { TurnBudget, type TurnBudgetOptions } from './turn-budget.js'
import type { TurnContext } from './turn-context.js'
import { TurnState } from './turn-state.js'

export interface TurnOptions extends TurnBudgetOptions, CallerOptions {
  /** @default the guard's own session */
  readonly sessionId?: string
  /** Cancels the turn when aborted. */
  readonly signal?: AbortSignal
}

/** What a runtime hands to its turns. */
export interface TurnParts {
  readonly options: ToolRuntimeOptions
  readonly tools: ReadonlyMap<string, RegisteredTool>
  readonly abandoned: AbandonedCalls
}

/** Waits for nothing and disturbs nobody. */
const unknownTool: Schedulable = { safetyClass: 'read_only', resourceKeys: [] }

export class Turn {
  readonly budget: TurnBudget
  readonly state: TurnState
  readonly #parts: TurnParts
  readonly #context: TurnContext
  readonly #controller = new AbortController()
  readonly #cancels = new Set<(reason: Error) => void>()
  readonly #callIds = new Set<string>()
  #calls = 0
  readonly #outerSignal: AbortSignal | undefined
  readonly #onOuterAbort = () => this.cancel(reasonOf(this.#outerSignal))

  /** @throws EdictumConfigError when an option cannot be understood. */
  constructor(parts: TurnParts, options: TurnOptions) {
    this.#parts = parts
    const { guard, clock } = parts.options
    const sessionId = options.sessionId === undefined ? guard.sessionId : checkSessionId(options.sessionId)
    this.budget = TurnBudget.create(clock === undefined ? options : { clock, ...options })
    this.state = new TurnState(sessionId)
    this.#context = {
      sessionId,
      budget: this.budget,
      state: this.state,
      replay: new ReplayControl(),
      signal: this.#controller.signal,
      caller: callerOf(options),
      nextCallIndex: () => this.#calls++,
      traceIdFor: (callId, callIndex) => this.#traceIdFor(callId, callIndex),
      onCancel: (cancel) => {
        this.#cancels.add(cancel)
        return () => this.#cancels.delete(cancel)
      },
    }
    this.#outerSignal = options.signal
    if (options.signal?.aborted === true) this.cancel(reasonOf(options.signal))
    else options.signal?.addEventListener('abort', this.#onOuterAbort, { once: true })
  }

  /** Runs the tool calls of one step of the model. One outcome for each, in the same order; never rejects. */
  async run(calls: readonly ToolCall[]): Promise<ToolOutcome[]> {
    const asked = calls.map(readCall)
    const [only] = asked
    if (only !== undefined && asked.length === 1) return [await this.#runCall(only)]
    const outcomes: ToolOutcome[] = []
    for (const wave of this.#schedule(asked)) {
      const most = this.#parts.options.maxConcurrency ?? runtimeDefaults.maxConcurrency
      // Waves keep the order of the calls, so theirs is the order of the outcomes.
      outcomes.push(...(await runWave(wave, async (call) => this.#runCall(call), most)))
    }
    return outcomes
  }

  #schedule(calls: readonly ToolCall[]): readonly (readonly ToolCall[])[] {
    const isParallel = this.#parts.options.parallel ?? runtimeDefaults.parallel
    return isParallel && calls.length > 1
      ? scheduleWaves(calls, (call) => this.#describe(call))
      : calls.map((call) => [call])
  }

  #runCall(call: ToolCall): Promise<ToolOutcome> {
    const { options, tools, abandoned } = this.#parts
    return new ToolCallRun(call, this.#context, options).run(tools.get(call.name), abandoned)
  }

  /** Gives up: running calls end as cancelled, later ones do not start, and nothing is written any more. */
  cancel(reason: Error = new Error('the turn was cancelled')): void {
    if (this.#controller.signal.aborted) return
    for (const cancel of this.#cancels) cancel(reason)
    this.#controller.abort(reason)
    this.close()
  }

  /** The turn is over: nothing is written any more, and whatever still runs is cancelled. */
  close(): void {
    this.#outerSignal?.removeEventListener('abort', this.#onOuterAbort)
    if (this.#cancels.size > 0) this.cancel(new Error('the turn is over'))
    this.state.closeWrites()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #describe({ name }: ToolCall): Schedulable {
    const registered = this.#parts.tools.get(name)
    if (registered === undefined) return unknownTool
    const descriptor = this.#parts.options.guard.describeTool(name)
    return { safetyClass: schedulingClass(registered, descriptor), resourceKeys: registered.resourceKeys }
  }

  #traceIdFor(callId: string, callIndex: number): string {
    const traceId = this.#callIds.has(callId) || callId === '' ? `${callId}#${callIndex}` : callId
    this.#callIds.add(traceId)
    return traceId
  }
}

/** Whatever a provider sends: a call always has an id and a name, so that its message can be sent back. */
function readCall(call: ToolCall): ToolCall {
  const given = call as Partial<ToolCall> | null | undefined
  const id = typeof given?.id === 'string' ? given.id : ''
  const name = typeof given?.name === 'string' ? given.name : ''
  return { id, name, arguments: given?.arguments }
}

/** Checked once for all calls: a mistake here is the program's, not the model's. */
function callerOf({ principal, environment, metadata, parentCallId, caller }: TurnOptions): CallerOptions {
  if (principal !== undefined) readPrincipal(principal)
  const copied = metadata === undefined ? undefined : frozenCopy(metadata, 'metadata')
  return { principal, environment, metadata: copied, parentCallId, caller }
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason : new Error('the turn was cancelled')
}
