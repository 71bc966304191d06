// Step 8: what the tool said is looked at before anybody sees it: the bundle's postconditions, those in code, the
// candidates', then after-hooks.
import { nextTurn } from '../internal/platform.js'
import { type Scene, ToolOutput } from '../policy/conditions/scene.js'
import {
  inspect as inspectByBundle,
  inspectInSteps,
  type Inspection,
  type InspectOptions,
  isLongToRead,
} from '../policy/inspect.js'
import type { ToolPlan } from '../policy/policy.js'
import { isPolicyError } from '../policy/record.js'
import { judgeCodeContract } from './code-contracts.js'
import type { GuardedCall } from './guarded-call.js'
import { maskedRecord } from './record.js'
import type { MaybePromise } from './waiting.js'

export function inspect(call: GuardedCall, response: unknown): MaybePromise<Inspection> {
  const { parts, plan, state, envelope } = call
  const scene = { ...call.scene, output: new ToolOutput(response) }
  const inspection = inspectByPlan(plan, scene, optionsOf(call))
  const hasMore =
    parts.code.postconditions.length > 0 ||
    state.candidates !== undefined ||
    parts.hooks.hasAfter(envelope.toolName)
  return hasMore ? inspectFurther(call, scene, inspection) : inspection
}

function inspectByPlan(plan: ToolPlan, scene: Scene, options: InspectOptions): MaybePromise<Inspection> {
  return isLongToRead(plan, scene)
    ? inTurns(inspectInSteps(plan, scene, options))
    : inspectByBundle(plan, scene, options)
}

/** A long output is read in parts, and other calls have their turn in between. */
async function inTurns<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await nextTurn()
  }
}

type OutputScene = Scene & { readonly output: ToolOutput }

function optionsOf({ envelope, parts: { mode, redaction } }: GuardedCall): InspectOptions {
  return { sideEffect: envelope.sideEffect, mode, redaction }
}

async function inspectFurther(
  call: GuardedCall,
  scene: OutputScene,
  byBundle: MaybePromise<Inspection>,
): Promise<Inspection> {
  const { hooks } = call.parts
  const response = scene.output.value
  const byCode = await inspectByCode(call, await byBundle, response)
  const inspection = await inspectByCandidates(call, byCode, scene)
  if (hooks.hasAfter(call.envelope.toolName))
    await hooks.runAfter(call.envelope, response, call.patienceWithCode('a hook'))
  return inspection
}

async function inspectByCode(
  call: GuardedCall,
  inspection: Inspection,
  response: unknown,
): Promise<Inspection> {
  const { code, mode, redaction } = call.parts
  const { envelope } = call
  const records = [...inspection.records]
  const warnings = [...inspection.warnings]
  let { passed, output, stored, policyError } = inspection
  for (const contract of code.postconditions) {
    const check = () => contract.check(envelope, response)
    const patience = call.patienceWithCode(`contract ${contract.name}`)
    const judged = await judgeCodeContract(contract, envelope, { check, patience })
    if (judged === undefined) continue
    const record = maskedRecord(judged, redaction)
    records.push(record)
    policyError ||= isPolicyError(record)
    if (record.passed) continue
    warnings.push(`\u26a0\ufe0f ${record.message ?? ''}`)
    const suppressed = { kind: 'suppressed', text: `[OUTPUT SUPPRESSED] ${record.message ?? ''}` } as const
    if (contract.effect === 'deny') stored = suppressed
    if (contract.mode === 'observe' || mode === 'observe') continue
    passed = false
    const isSafe = envelope.sideEffect === 'pure' || envelope.sideEffect === 'read'
    if (contract.effect === 'deny' && isSafe) output = suppressed
  }
  return { records, warnings, passed, output, stored, policyError }
}

/** Candidates are written down beside the others and change nothing. */
async function inspectByCandidates(
  call: GuardedCall,
  inspection: Inspection,
  scene: Scene,
): Promise<Inspection> {
  const { candidates } = call.state
  if (candidates === undefined) return inspection
  const { toolName } = call.envelope
  const options: InspectOptions = { ...optionsOf(call), mode: 'observe' }
  const { records, warnings } = await inspectByPlan(candidates.planFor(toolName), scene, options)
  if (records.length === 0) return inspection
  return {
    ...inspection,
    records: [...inspection.records, ...records.map((record) => ({ ...record, observed: true as const }))],
    warnings: [...inspection.warnings, ...warnings],
  }
}
