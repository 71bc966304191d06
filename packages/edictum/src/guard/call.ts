// One call through ten steps. Read `begin` and `finish` top to bottom and you have read the life of a call; every step
// is the file of its name. A step that has nothing to wait for answers at once, and then nobody waits.
import { warn } from '../internal/platform.js'
import { messageOf } from '../internal/message-of.js'
import type { ToolEnvelope } from '../policy/envelope.js'
import { cut } from '../policy/redaction/redaction-policy.js'
import { approve, objectionOf } from './approve.js'
import { attempt } from './attempt.js'
import type { CallRequest } from './call-request.js'
import { decide, decideByBundle, isClear } from './decide.js'
import type { Denial } from './denial.js'
import type { EdictumToolError } from './errors.js'
import { type Finding, findingsOf } from './findings.js'
import { GuardedCall } from './guarded-call.js'
import type { GuardParts, GuardState } from './guard-parts.js'
import { askHooks } from './hooks.js'
import { inspect } from './inspect.js'
import { judge, type ToolEnding } from './judge.js'
import { AuditAction } from './ports/audit-event.js'
import { emitQuietly, recordAdmission, recordDenial, recordEnd } from './record.js'
import { reserve } from './reserve.js'
import { responseOf, toolErrorOf, visible } from './response.js'
import { release, settle } from './settle.js'
import { snapshot } from './snapshot.js'
import { abortError, isPromise } from './waiting.js'

export type Admission = Admitted | Refused

/** The call may run. Exactly one of `finish` and `abandon` must follow. */
export interface Admitted {
  readonly kind: 'admitted'
  readonly envelope: ToolEnvelope
  /** Tells how the tool ended. Judges it, inspects the output, counts and records. */
  finish(ending: ToolEnding): Promise<CallEnd>
  /** The tool will not run after all. Gives the slot back and records why. */
  abandon(reason?: string): Promise<void>
}

/** The call must not run. */
export interface Refused {
  readonly kind: 'refused'
  readonly envelope: ToolEnvelope
  readonly reason: string
  readonly decisionSource: string | null
  readonly decisionName: string | null
  readonly policyError: boolean
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
  const call = new GuardedCall(parts, state, snapshot(parts, state, request))
  const isEnforcing = parts.mode === 'enforce'
  // The pure part of step 4 needs no counters and comes first, so that a doomed call never holds a slot; a call that
  // nothing else can refuse takes its slot in the trip that counts the attempt.
  const verdict = decideByBundle(call)
  const attempted = attempt(call, isClear(call, verdict) ? 'take' : 'leave')
  let denial = isPromise(attempted) ? await attempted : attempted
  if (denial === undefined && parts.hooks.hasBefore(call.envelope.toolName)) denial = await askHooks(call)
  if (denial === undefined) {
    const decided = decide(call, verdict)
    denial = isPromise(decided) ? await decided : decided
  }
  const asks = call.approvals.length > 0
  if (denial === undefined && asks) denial = isEnforcing ? await approve(call) : objectionOf(call)
  if (call.slotId === undefined && (denial === undefined || !isEnforcing)) {
    const reserved = reserve(call)
    const unavailable = isPromise(reserved) ? await reserved : reserved
    denial ??= unavailable
  }
  // Giving up is the caller's own decision, not the contracts': it holds in every mode.
  const refusal = cancellationOf(call) ?? (isEnforcing ? denial : undefined)
  if (refusal !== undefined) return refuse(call, refusal)
  const recorded = recordAdmission(call, { wouldDeny: denial, wasAsked: asks && isEnforcing })
  const failure = isPromise(recorded) ? await recorded : recorded
  if (failure !== undefined && isEnforcing) return refuse(call, failure)
  if (failure !== undefined) warn(failure.reason)
  return new AdmittedCall(call)
}

async function refuse(call: GuardedCall, denial: Denial): Promise<Refused> {
  const { envelope, parts } = call
  const { source, name, policyError = false } = denial
  const reason = parts.redaction.redactBashCommand(denial.reason)
  const released = release(call)
  if (isPromise(released)) await released
  const recorded = recordDenial(call, denial)
  if (isPromise(recorded)) await recorded
  const { onDeny } = parts
  if (onDeny !== undefined) notify('onDeny', () => onDeny(envelope, reason, name))
  return {
    kind: 'refused',
    envelope,
    reason,
    decisionSource: source,
    decisionName: name,
    policyError,
  }
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
    if (onAllow !== undefined) notify('onAllow', () => onAllow(envelope))
    this.envelope = envelope
    this.#call = call
    this.#startedAt = parts.clock.elapsed()
  }

  /** Steps 7 to 10. The tool has run; from here on nothing may hide how it ended. */
  async finish(ending: ToolEnding): Promise<CallEnd> {
    this.#end()
    const call = this.#call
    const { parts } = call
    const durationMs = Math.max(0, Math.round(parts.clock.elapsed() - this.#startedAt)) || 0
    const judgement = judge(call.envelope.toolName, ending, parts.successCheck)
    const response = responseOf(judgement)
    const inspected = inspect(call, response)
    const inspection = isPromise(inspected) ? await inspected : inspected
    const settled = settle(call, judgement.kind === 'succeeded' ? 'executed' : 'failed')
    const counters = isPromise(settled) ? await settled : settled
    const recorded = recordEnd(call, { judgement, response, inspection, counters, durationMs })
    if (isPromise(recorded)) await recorded
    const { warnings, passed: postconditionsPassed } = inspection
    const findings = postconditionsPassed && warnings.length === 0 ? nothing : findingsOf(inspection.records)
    const outputSuppressed = inspection.output.kind === 'suppressed'
    if (judgement.kind === 'failed') {
      const error = toolErrorOf(judgement, { response, output: inspection.output }, parts.redaction)
      return { kind: 'failed', error, findings, warnings, postconditionsPassed, outputSuppressed }
    }
    return {
      kind: 'executed',
      value: visible(response, inspection.output),
      outputSuppressed,
      findings,
      warnings,
      postconditionsPassed,
    }
  }

  async abandon(reason = 'abandoned before it ran'): Promise<void> {
    this.#end()
    const released = release(this.#call)
    if (isPromise(released)) await released
    await emitQuietly(this.#call, AuditAction.CALL_FAILED, { toolSuccess: false, error: cut(reason, 500) })
  }

  #end(): void {
    if (this.#isOver) throw new Error('a call is finished or abandoned exactly once')
    this.#isOver = true
  }
}

const nothing: readonly never[] = Object.freeze([])

function cancellationOf({ signal }: GuardedCall): Denial | undefined {
  return signal?.aborted === true
    ? { source: 'cancelled', name: null, reason: abortError(signal).message }
    : undefined
}

/** Callbacks are told, not asked: what they throw changes nothing. */
function notify(name: string, callback: () => void): void {
  try {
    callback()
  } catch (error) {
    warn(`${name} threw: ${messageOf(error)}`)
  }
}
