// One call from the model's wish to exactly one outcome: read `run`, `#execute` and `#conclude` in this order.
import type { Admission, Admitted, CallEnd } from '../guard/call.js'
import type { BeginOptions } from '../guard/call-request.js'
import type { Refused } from '../guard/denial.js'
import type { Finding } from '../guard/findings.js'
import type { CallGates, Conclusion, JudgedEnding } from '../guard/gates.js'
import type { ToolEnding } from '../guard/judge.js'
import { isPromise, type MaybePromise } from '../guard/waiting.js'
import { messageOf } from '../internal/message-of.js'
import { warn } from '../internal/platform.js'
import { suppressedPrefix } from '../policy/inspect.js'
import type { AbandonedCalls } from './abandoned-calls.js'
import type { ArtifactStore } from './artifacts/artifact-store.js'
import { type Arguments, noArguments } from './arguments/read-arguments.js'
import { type BoundedEnding, runBounded } from './bounded-run.js'
import { CallContext } from './call-context.js'
import { CallGatekeeper } from './call-gatekeeper.js'
import { DeadlineToken } from './deadline-token.js'
import { failureText, isErrorResult, isWorthRetrying } from './failure-report.js'
import { finalizeOutput, type Output, suppressedOutput, truncateOutput } from './finalize-output.js'
import {
  outcomeBlocksTool,
  type ToolArtifactReference,
  type ToolExecutionResult,
  type ToolFailure,
  type ToolOutcome,
} from './outcome.js'
import type { Redacted } from './redacted.js'
import { detailsOf, isUnknownTool, policyOf, reasonOf, unknownToolGate } from './refusal.js'
import type { ReplayStatus } from './replay-control.js'
import { runtimeDefaults, type ToolRuntimeOptions } from './runtime-options.js'
import { recordableName, type RegisteredTool } from './runtime-tool.js'
import { storeArtifact } from './store-artifact.js'
import type { ToolCall } from './tool-call.js'
import type { TurnContext } from './turn-context.js'
import type { Citation } from './turn-state.js'

type OwnEnding = Extract<BoundedEnding, { kind: 'returned' | 'threw' }>
type Success = ToolExecutionResult | ToolArtifactReference

const longestCitation = 2_000

/** What postconditions found, kept beside the outcome because the model need not see it. */
const findingsByOutcome = new WeakMap<ToolOutcome, readonly Finding[]>()

/** What the contracts found in the output of a call. */
export function findingsOfOutcome(outcome: ToolOutcome): readonly Finding[] {
  return findingsByOutcome.get(outcome) ?? []
}

export class ToolCallRun {
  readonly #call: ToolCall
  readonly #turn: TurnContext
  readonly #options: ToolRuntimeOptions
  readonly #callIndex: number
  readonly #traceId: string
  readonly #citations: Citation[] = []
  #registered: RegisteredTool | undefined
  #gatekeeper: CallGatekeeper | undefined
  #writes = false
  #elapsedMs = 0
  /** Whether the terminal event is on record; what is late waits for it, so that it comes after it there too. */
  #isOnRecord = false
  #lateReport: (() => void) | undefined

  constructor(call: ToolCall, turn: TurnContext, options: ToolRuntimeOptions) {
    this.#call = call
    this.#turn = turn
    this.#options = options
    this.#callIndex = turn.nextCallIndex()
    this.#traceId = turn.traceIdFor(call.id, this.#callIndex)
  }

  /** Never rejects. */
  async run(registered: RegisteredTool | undefined, abandoned: AbandonedCalls): Promise<ToolOutcome> {
    let outcome: ToolOutcome
    try {
      this.#registered = registered
      outcome =
        registered === undefined ? await this.#refuseUnknown() : await this.#admit(registered, abandoned)
    } catch (error) {
      warn(
        `a call of ${recordableName(this.#call.name)} could not be brought to its end: ${messageOf(error)}`,
      )
      outcome = this.#fail('The call could not be brought to its end.', false)
    }
    this.#commit(outcome)
    return outcome
  }

  /** Nothing else can be decided about a tool nobody knows; that it was asked for is counted and on record. */
  async #refuseUnknown(): Promise<ToolOutcome> {
    const toolName = recordableName(this.#call.name)
    const admission = await this.#begin(toolName, noArguments, {
      obstacle: { gate: unknownToolGate, reason: 'there is no tool of this name' },
      mayWait: false,
      consent: () => undefined,
      approvalWaitMs: () => 0,
      depart: () => undefined,
      outcomeOf: (refused) =>
        isUnknownTool(refused) ? { kind: 'failure' } : { kind: 'denied', reason: reasonOf(refused) },
    })
    if (admission.kind === 'admitted') await admission.abandon('there is no tool of this name')
    else if (!isUnknownTool(admission)) return this.#deny(admission)
    return this.#fail(`There is no tool called ${toolName}.`, false)
  }

  async #admit(registered: RegisteredTool, abandoned: AbandonedCalls): Promise<ToolOutcome> {
    const gatekeeper = new CallGatekeeper({
      call: this.#call,
      traceId: this.#traceId,
      registered,
      turn: this.#turn,
      options: this.#options,
    })
    this.#gatekeeper = gatekeeper
    try {
      const admission = await this.#begin(registered.name, gatekeeper.args, gatekeeper)
      if (admission.kind === 'admitted') return await this.#execute(registered, admission, abandoned)
      gatekeeper.returnClaim()
      return this.#deny(admission)
    } finally {
      gatekeeper.close()
    }
  }

  #begin(toolName: string, args: Arguments, gates: CallGates): Promise<Admission> {
    const { caller, sessionId, signal } = this.#turn
    const options: BeginOptions = {
      sessionId,
      environment: caller.environment,
      principal: caller.principal,
      metadata: caller.metadata,
      sideEffect: this.#registered?.sideEffect,
      callId: this.#traceId,
      callIndex: this.#callIndex,
      parentCallId: caller.parentCallId,
      caller: caller.caller,
      toolUseId: this.#call.id,
      signal,
      gates,
    }
    return this.#options.guard.begin({ toolName, args }, options)
  }

  /** The tool's time begins here: what a person took to agree is not part of it. */
  async #execute(
    registered: RegisteredTool,
    admitted: Admitted,
    abandoned: AbandonedCalls,
  ): Promise<ToolOutcome> {
    const { budget, state } = this.#turn
    const { clock } = budget
    const { envelope } = admitted
    this.#writes = envelope.sideEffect !== 'pure' && envelope.sideEffect !== 'read'
    const { startedAt, deadline, waitUntil } = budget.toolWindow(registered.timeoutS)
    const token = new DeadlineToken(deadline, clock)
    const context = new CallContext(envelope, token, (citation) => this.#cite(citation))
    state.setTraceRunning(this.#traceId, registered.name)
    const running = runBounded({
      start: () => registered.tool.execute(envelope.args, context),
      token,
      waitUntil,
      clock,
      onEnd: (decided) => {
        this.#elapsedMs = Math.max(0, Math.round(clock.now() - startedAt))
        this.#endTrace(decided)
      },
      onCancel: (cancel) => this.#turn.onCancel(cancel),
      onAbandoned: () => {
        const forget = abandoned.add(registered.name)
        return () => {
          forget()
          this.#reportLate(admitted)
        }
      },
    })
    const ending = isPromise(running) ? await running : running
    switch (ending.kind) {
      case 'returned':
      case 'threw':
        return await this.#conclude(registered, admitted, ending)
      case 'timeout': {
        const most = this.#options.maxAbandonedCalls ?? runtimeDefaults.maxAbandonedCalls
        const retryable = registered.retryOnTimeout && abandoned.count(registered.name) <= most
        return this.#timeOut(admitted, waitUntil / 1_000, retryable)
      }
      case 'cancelled':
        await admitted.finish({ error: new Error('Cancelled') }, () => ({ outcome: { kind: 'failure' } }))
        this.#markOnRecord()
        return this.#fail('Cancelled', true)
      default:
        return ending satisfies never
    }
  }

  #cite({ kind, source }: Citation): void {
    const { redaction } = this.#options.guard
    if (this.#turn.state.isRunning(this.#traceId))
      this.#citations.push({ kind, source: redaction.redactResult(String(source), longestCitation) })
  }

  #endTrace(ending: BoundedEnding): void {
    const { state } = this.#turn
    if (ending.kind === 'timeout') state.markTraceTimedOut(this.#traceId)
    else if (ending.kind === 'cancelled') state.markTraceCancelled(this.#traceId)
    else state.completeTrace(this.#traceId)
  }

  #reportLate(admitted: Admitted): void {
    // Nobody waits for this; a sink that fails is warned about by the guard.
    const report = () => void admitted.discardLate()
    if (this.#isOnRecord) report()
    else this.#lateReport = report
  }

  #markOnRecord(): void {
    this.#isOnRecord = true
    this.#lateReport?.()
  }

  async #timeOut(admitted: Admitted, deadlineS: number, retryable: boolean): Promise<ToolOutcome> {
    const counts = this.#options.countTimeouts ?? runtimeDefaults.countTimeouts
    const mayHaveHappened = counts === 'always' || (counts === 'writes' && this.#writes)
    const ending: ToolEnding = { error: new Error('timeout'), mayHaveHappened }
    await admitted.finish(ending, () => ({ outcome: { kind: 'timeout' } }))
    this.#markOnRecord()
    const { id: callId, name: toolName } = this.#call
    const elapsedMs = this.#elapsedMs
    return Object.freeze({ kind: 'timeout', callId, toolName, deadlineS, elapsedMs, retryable })
  }

  /** Judged, inspected, redacted, serialised, stored, then counted and recorded, in this order. */
  async #conclude(registered: RegisteredTool, admitted: Admitted, ending: OwnEnding): Promise<ToolOutcome> {
    let success: Success | undefined
    let isTrustworthy = true
    const keep = (finalized: Success | undefined): Conclusion => {
      success = finalized
      if (finalized !== undefined) return this.#recordOf(finalized)
      isTrustworthy = false
      return { outcome: { kind: 'failure' }, fault: 'Tool output is not JSON-serialisable' }
    }
    const end = await admitted.finish(this.#endingOf(ending), (judged) => {
      if (judged.judgement.kind === 'failed') {
        isTrustworthy = !judged.judgement.policyError
        return { outcome: { kind: 'failure' } }
      }
      const finalized = this.#finalize(registered, judged)
      return isPromise(finalized) ? finalized.then(keep) : keep(finalized)
    })
    const outcome = success ?? this.#failureOf(end, isTrustworthy && isWorthRetrying(rawOf(ending)))
    if (end.findings.length > 0) findingsByOutcome.set(outcome, end.findings)
    return outcome
  }

  #endingOf(ending: OwnEnding): ToolEnding {
    if (ending.kind === 'threw') return { error: ending.error }
    const errorsFail = this.#options.errorKeyIsFailure ?? runtimeDefaults.errorKeyIsFailure
    return { output: ending.value, isFailure: errorsFail && isErrorResult(ending.value) }
  }

  #recordOf(success: Success): Conclusion {
    const wasCoerced = this.#gatekeeper?.wasCoerced === true ? { wasCoerced: true } : {}
    return success.kind === 'artifact'
      ? { outcome: { kind: 'artifact', artifactId: success.artifactId, ...wasCoerced } }
      : { outcome: { kind: 'executed', ...wasCoerced } }
  }

  /** Undefined when the output cannot be put into words. */
  #finalize(registered: RegisteredTool, judged: JudgedEnding): MaybePromise<Success | undefined> {
    if (judged.isSuppressed)
      return this.#executed(suppressedOutput(String(judged.shown).slice(suppressedPrefix.length)))
    const { artifacts, guard } = this.#options
    try {
      const finalized = finalizeOutput(judged, guard.redaction)
      if (finalized.kind === 'unserialisable') return undefined
      if (finalized.kind === 'inline') return this.#executed(this.#withWarnings(finalized.output, judged))
      const { text } = finalized
      if (artifacts === undefined || registered.tool.oversizedOutput === 'truncate')
        return this.#executed(truncateOutput(text))
      return this.#store(artifacts, text)
    } catch (error) {
      warn(`an output of ${registered.name} could not be redacted: ${messageOf(error)}`)
      return this.#executed(suppressedOutput('redaction failed'))
    }
  }

  async #store(artifacts: ArtifactStore, text: Redacted<string>): Promise<Success> {
    const { sessionId } = this.#turn
    const { id: callId, name: toolName } = this.#call
    const reference = await storeArtifact(artifacts, { sessionId, toolName, text })
    if (reference === undefined) return this.#executed(truncateOutput(text))
    const { artifactId, summary, sizeBytes } = reference
    return Object.freeze({ kind: 'artifact', callId, toolName, artifactId, summary, sizeBytes })
  }

  #withWarnings(output: Output, { warnings }: JudgedEnding): Output {
    if (this.#options.includeWarnings !== true || warnings.length === 0) return output
    return Object.freeze({ ...output, warnings: Object.freeze([...warnings]) })
  }

  #executed(output: Output): ToolExecutionResult {
    const { id: callId, name: toolName } = this.#call
    const wasCoerced = this.#gatekeeper?.wasCoerced ?? false
    return Object.freeze({
      kind: 'executed',
      callId,
      toolName,
      output,
      elapsedMs: this.#elapsedMs,
      wasCoerced,
    })
  }

  #failureOf(end: CallEnd, retryable: boolean): ToolFailure {
    const text = end.kind === 'failed' ? failureText(end.error, this.#options.guard.redaction) : ''
    return this.#fail(text === '' ? 'Tool reported failure' : text, retryable)
  }

  #fail(error: string, retryable: boolean): ToolFailure {
    const { id: callId, name: toolName } = this.#call
    return Object.freeze({ kind: 'failure', callId, toolName, error, retryable, elapsedMs: this.#elapsedMs })
  }

  #deny(refused: Refused): ToolOutcome {
    const { id: callId, name: toolName } = this.#call
    const policy = policyOf(refused)
    return Object.freeze({
      kind: 'denied',
      callId,
      toolName,
      reason: reasonOf(refused),
      details: detailsOf(refused),
      ...(policy === undefined ? {} : { policy }),
    })
  }

  /** What the turn learns from the outcome: once, for every way a call can end. */
  #commit(outcome: ToolOutcome): void {
    const { state, replay } = this.#turn
    state.recordToolResult(outcome)
    if (outcomeBlocksTool(outcome)) state.blockTool(this.#call.name)
    const resourceKeys = this.#registered?.resourceKeys ?? []
    for (const key of this.#gatekeeper?.keys ?? []) replay.record(key, replayStatusOf(outcome), resourceKeys)
    if (outcome.kind !== 'executed' && outcome.kind !== 'artifact') return
    for (const citation of this.#citations) state.addCitation(citation)
    if (this.#options.invalidateOnWrite === true && this.#writes) replay.forgetReadsOf(resourceKeys)
  }
}

function rawOf(ending: OwnEnding): unknown {
  return ending.kind === 'threw' ? ending.error : ending.value
}

function replayStatusOf({ kind }: ToolOutcome): ReplayStatus {
  switch (kind) {
    case 'executed':
    case 'artifact':
      return 'success'
    case 'failure':
      return 'failure'
    case 'timeout':
      return 'timeout'
    case 'denied':
      return 'denied'
    default:
      return kind satisfies never
  }
}
