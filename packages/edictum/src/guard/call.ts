// One call through ten steps. Read `begin` and `finish` top to bottom and you have read the life of a call; every step
// is the file of its name. A step that has nothing to wait for answers at once, and then nobody waits.
import { warn } from '../internal/platform.js'
import type { ToolEnvelope } from '../policy/envelope.js'
import { cut } from '../policy/redaction/redaction-policy.js'
import { approve, objectionOf } from './approve.js'
import { attempt } from './attempt.js'
import type { CallRequest } from './call-request.js'
import { decide, decideByBundle, isClear } from './decide.js'
import type { Denial, Refused } from './denial.js'
import { enter } from './enter.js'
import type { EdictumToolError } from './errors.js'
import { type Finding, findingsOf } from './findings.js'
import { GuardedCall } from './guarded-call.js'
import type { GuardParts, GuardState } from './guard-parts.js'
import { beginFollowing, endFollowing } from './follow.js'
import { type Conclude, denialOf } from './gates.js'
import { askHooks } from './hooks.js'
import { inspect } from './inspect.js'
import { judge, type ToolEnding } from './judge.js'
import { tell } from './notify.js'
import { AuditAction } from './ports/audit-event.js'
import { emitQuietly, recordAdmission, recordDenial, recordEnd } from './record.js'
import { reserve } from './reserve.js'
import { type InspectedEnd, responseOf, shownBy, toolErrorOf, visible, withFault } from './response.js'
import { release, settle, settlementOf } from './settle.js'
import { snapshot } from './snapshot.js'
import { abortError, isPromise } from './waiting.js'

export type Admission = Admitted | Refused

/** The call may run. Exactly one of `finish` and `abandon` must follow. */
export interface Admitted {
  readonly kind: 'admitted'
  readonly envelope: ToolEnvelope
  /**
   * Tells how the tool ended. Judges it, inspects the output, counts and records. What `conclude` answers is part of the
   * record.
   */
  finish(ending: ToolEnding, conclude?: Conclude): Promise<CallEnd>
  /** The tool will not run after all. Gives the slot back and records why. */
  abandon(reason?: string): Promise<void>
  /** After `finish`: a tool that was given up has ended after all. On record; nothing else comes of it. */
  discardLate(): Promise<void>
}

export type CallEnd = {
  readonly findings: readonly Finding[]
  readonly warnings: readonly string[]
  readonly postconditionsPassed: boolean
  readonly outputSuppressed: boolean
} & (
  | { readonly kind: 'executed'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: EdictumToolError }
)

/** Steps 1 to 6. Whatever goes wrong on the way is a refusal; nothing lets a call through by failing. */
export async function begin(parts: GuardParts, state: GuardState, request: CallRequest): Promise<Admission> {
  const { gates } = request.options
  let call = new GuardedCall(parts, state, snapshot(parts, state, request))
  if (gates?.enter !== undefined && gates.obstacle === undefined)
    call = await enter(call, request, gates.enter)
  beginFollowing(call)
  const isEnforcing = parts.mode === 'enforce'
  // The pure part of step 4 needs no counters and comes first, so that a doomed call never holds a slot; a call that
  // nothing else can refuse takes its slot in the trip that counts the attempt.
  const verdict = decideByBundle(call)
  const attempted = attempt(call, isClear(call, verdict) ? 'take' : 'leave')
  let denial = isPromise(attempted) ? await call.waitIn('attempt', attempted) : attempted
  if (denial === undefined && parts.hooks.hasBefore(call.envelope.toolName))
    denial = await call.waitIn('hooks', askHooks(call))
  if (denial === undefined) {
    const decided = decide(call, verdict)
    denial = isPromise(decided) ? await call.waitIn('decide', decided) : decided
  }
  if (denial?.isBinding === true) return refuse(call, denial)
  const asks = call.approvals.length > 0
  if (gates !== undefined && (denial === undefined || !isEnforcing)) {
    const asked = gates.consent(call.envelope, asks && isEnforcing)
    const refusal = isPromise(asked) ? await call.waitIn('approve', asked) : asked
    if (refusal !== undefined) return refuse(call, denialOf(refusal))
  }
  if (denial === undefined && asks)
    denial = isEnforcing ? await call.waitIn('approve', approve(call)) : objectionOf(call)
  if (call.slotId === undefined && (denial === undefined || !isEnforcing)) {
    const reserved = reserve(call)
    const unavailable = isPromise(reserved) ? await call.waitIn('reserve', reserved) : reserved
    denial ??= unavailable
  }
  // Giving up is the caller's own decision, not the contracts': it holds in every mode.
  const refusal = cancellationOf(call) ?? (isEnforcing ? denial : undefined) ?? departureOf(call)
  if (refusal !== undefined) return refuse(call, refusal)
  const recorded = recordAdmission(call, { wouldDeny: denial, wasAsked: asks && isEnforcing })
  const failure = isPromise(recorded) ? await call.waitIn('record', recorded) : recorded
  const late = cancellationOf(call) ?? (isEnforcing ? failure : undefined)
  if (late !== undefined) return refuse(call, late)
  if (failure !== undefined) warn(failure.reason)
  if (denial !== undefined) {
    call.admittedAs = 'would_deny'
    call.objection = parts.redaction.redactBashCommand(denial.reason)
  }
  return new AdmittedCall(call)
}

async function refuse(call: GuardedCall, denial: Denial): Promise<Refused> {
  const { envelope, parts } = call
  const { source, name, policyError = false } = denial
  const reason = parts.redaction.redactBashCommand(denial.reason)
  const released = release(call)
  if (isPromise(released)) await call.waitIn('settle', released)
  const refused: Refused = {
    kind: 'refused',
    envelope,
    reason,
    decisionSource: source,
    decisionName: name,
    policyError,
    lacksConsent: denial.lacksConsent === true,
    tags: tagsOf(call, name),
    policyVersion: call.state.policyVersion,
    ...(denial.pause === undefined ? {} : { pause: denial.pause }),
  }
  const recorded = recordDenial(call, denial, refused)
  if (isPromise(recorded)) await recorded
  const { onDeny } = parts
  if (onDeny !== undefined && denial.pause === undefined) tell('onDeny', () => onDeny(envelope, reason, name))
  endFollowing(call, { action: 'denied', reason })
  return refused
}

class AdmittedCall implements Admitted {
  readonly kind = 'admitted'
  readonly envelope: ToolEnvelope
  readonly #call: GuardedCall
  readonly #startedAt: number
  #isOver = false

  constructor(call: GuardedCall) {
    const { parts, envelope } = call
    const { onAllow } = parts
    if (onAllow !== undefined) tell('onAllow', () => onAllow(envelope))
    this.envelope = envelope
    this.#call = call
    this.#startedAt = parts.clock.elapsed()
  }

  /** Steps 7 to 10. The tool has run; from here on nothing may hide how it ended. */
  async finish(ending: ToolEnding, conclude?: Conclude): Promise<CallEnd> {
    this.#end()
    const call = this.#call
    const { parts } = call
    const durationMs = Math.max(0, Math.round(parts.clock.elapsed() - this.#startedAt)) || 0
    const judged = judge(call.envelope.toolName, ending, parts.successCheck)
    const judgedResponse = responseOf(judged)
    const inspected = inspect(call, judgedResponse)
    const found = {
      judgement: judged,
      response: judgedResponse,
      inspection: isPromise(inspected) ? await call.waitIn('inspect', inspected) : inspected,
    }
    const concluding = conclude?.(shownBy(found))
    const conclusion = isPromise(concluding) ? await call.waitIn('inspect', concluding) : concluding
    const { judgement, response, inspection } = withFault(found, conclusion?.fault)
    const settled = settle(call, settlementOf(ending, judgement))
    const counters = isPromise(settled) ? await call.waitIn('settle', settled) : settled
    const outcome = conclusion?.outcome
    const end = { judgement, response, inspection, counters, durationMs, outcome }
    const recorded = recordEnd(call, end)
    if (isPromise(recorded)) await recorded
    this.#tell(judgement.kind === 'succeeded', inspection.passed)
    return endOf(call, end)
  }

  async abandon(reason = 'abandoned before it ran'): Promise<void> {
    this.#end()
    const released = release(this.#call)
    if (isPromise(released)) await this.#call.waitIn('settle', released)
    await emitQuietly(this.#call, AuditAction.CALL_FAILED, { toolSuccess: false, error: cut(reason, 500) })
    this.#tell(false, null)
  }

  async discardLate(): Promise<void> {
    await emitQuietly(this.#call, AuditAction.LATE_RESULT_DISCARDED, {})
  }

  #tell(toolSuccess: boolean, postconditionsPassed: boolean | null): void {
    const { admittedAs: action, objection: reason } = this.#call
    endFollowing(this.#call, { action, reason, toolSuccess, postconditionsPassed })
  }

  #end(): void {
    if (this.#isOver) throw new Error('a call is finished or abandoned exactly once')
    this.#isOver = true
  }
}

const nothing: readonly never[] = Object.freeze([])

/** What the caller is told. */
function endOf({ parts }: GuardedCall, { judgement, response, inspection }: InspectedEnd): CallEnd {
  const { output, warnings, passed: postconditionsPassed } = inspection
  const findings = postconditionsPassed && warnings.length === 0 ? nothing : findingsOf(inspection.records)
  const outputSuppressed = output.kind === 'suppressed'
  if (judgement.kind === 'failed') {
    const error = toolErrorOf(judgement, { response, output }, parts.redaction)
    return { kind: 'failed', error, findings, warnings, postconditionsPassed, outputSuppressed }
  }
  return {
    kind: 'executed',
    value: visible(response, output),
    outputSuppressed,
    findings,
    warnings,
    postconditionsPassed,
  }
}

function cancellationOf({ signal }: GuardedCall): Denial | undefined {
  return signal?.aborted === true
    ? { source: 'cancelled', name: null, reason: abortError(signal).message }
    : undefined
}

function departureOf({ gates }: GuardedCall): Denial | undefined {
  const refusal = gates?.depart()
  return refusal === undefined ? undefined : denialOf(refusal)
}

function tagsOf({ records }: GuardedCall, name: string | null): readonly string[] {
  const record = records.find((candidate) => !candidate.passed && candidate.name === name)
  const tags = record?.metadata?.['tags']
  return Array.isArray(tags) ? (tags as readonly string[]) : nothing
}
