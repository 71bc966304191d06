// Step 4: preconditions, sandboxes, session limits; those of the bundle first, then those written in code. The bundle's
// part is pure and needs no counters.
import { decidePreconditions, decideSandboxes, type StageDecision } from '../policy/decide.js'
import { isPolicyError } from '../policy/record.js'
import { judgeCodeContract } from './code-contracts.js'
import type { Denial } from './denial.js'
import type { GuardedCall } from './guarded-call.js'
import { maskedRecord } from './record.js'
import { Session } from './session.js'
import type { MaybePromise } from './waiting.js'

const nothing: readonly never[] = Object.freeze([])

/** What the bundle's preconditions and sandboxes say, before anything has been counted or asked. */
export function decideByBundle({ plan, scene }: GuardedCall): StageDecision {
  const preconditions = decidePreconditions(plan, scene)
  if (preconditions.denial !== undefined || plan.sandboxes.length === 0) return preconditions
  const sandboxes = decideSandboxes(plan, scene)
  return {
    records: [...preconditions.records, ...sandboxes.records],
    denial: sandboxes.denial,
    observed: [...preconditions.observed, ...sandboxes.observed],
    approvals:
      sandboxes.denial === undefined ? [...preconditions.approvals, ...sandboxes.approvals] : nothing,
    policyError: preconditions.policyError || sandboxes.policyError,
  }
}

/** Whether nothing but a limit can still keep the call from running, so that its slot may be taken at once. */
export function isClear({ parts, envelope, obstacle }: GuardedCall, verdict: StageDecision): boolean {
  return (
    verdict.denial === undefined &&
    verdict.approvals.length === 0 &&
    obstacle === undefined &&
    parts.mode === 'enforce' &&
    !parts.hooks.hasBefore(envelope.toolName) &&
    !parts.code.decideBefore(envelope.toolName)
  )
}

/** The first denial in the order of the stages. */
export function decide(call: GuardedCall, verdict: StageDecision): MaybePromise<Denial | undefined> {
  const { denial, policyError } = verdict
  call.records = verdict.records
  call.observe(verdict.observed, 'bundle')
  call.approvals = verdict.approvals
  call.policyError = policyError
  if (denial !== undefined) return { ...denial, policyError }
  return call.parts.code.decideBefore(call.envelope.toolName) ? decideWithCode(call) : judgeLimits(call)
}

async function decideWithCode(call: GuardedCall): Promise<Denial | undefined> {
  return (await judgeCode(call, 'preconditions')) ?? judgeLimits(call) ?? (await judgeCode(call, 'sessions'))
}

function judgeLimits(call: GuardedCall): Denial | undefined {
  const { records, observed, denial } = call.state.limits.judge(call.before, call.scene)
  call.addRecords(records)
  call.observe(observed, 'bundle')
  return denial
}

async function judgeCode(
  call: GuardedCall,
  stage: 'preconditions' | 'sessions',
): Promise<Denial | undefined> {
  const { parts, envelope, sessionId } = call
  for (const contract of parts.code[stage]) {
    const check = () =>
      contract.kind === 'precondition'
        ? contract.check(envelope)
        : contract.check(new Session(sessionId, parts.backend))
    const patience = call.patienceWithCode(`contract ${contract.name}`)
    const judged = await judgeCodeContract(contract, envelope, { check, patience })
    if (judged === undefined) continue
    const record = maskedRecord(judged, parts.redaction)
    call.addRecords([record])
    const isBroken = isPolicyError(record)
    call.policyError ||= isBroken
    if (record.passed) continue
    if (contract.mode === 'observe') {
      call.observe([record], 'code')
      continue
    }
    const message = record.message ?? ''
    if (contract.kind === 'precondition' && contract.effect === 'approve' && !isBroken) {
      call.approvals = [...call.approvals, { ...contract, source: contract.kind, message }]
      continue
    }
    return { source: contract.kind, name: contract.name, reason: message, policyError: isBroken }
  }
  return undefined
}
