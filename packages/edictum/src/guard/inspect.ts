// Step 8: what the tool said is looked at before anybody sees it: the bundle's postconditions, those in code, the
// candidates', then after-hooks.
import { type Scene, ToolOutput } from '../policy/conditions/scene.js'
import { type Inspection, inspect as inspectByBundle, type InspectOptions } from '../policy/inspect.js'
import { isPolicyError } from '../policy/record.js'
import { judgeCodeContract } from './code-contracts.js'
import type { GuardedCall } from './guarded-call.js'
import { maskedRecord } from './record.js'
import type { MaybePromise } from './waiting.js'

export function inspect(call: GuardedCall, response: unknown): MaybePromise<Inspection> {
  const { parts, envelope, plan, state } = call
  const { mode, redaction, code, hooks, readVariable } = parts
  const scene = { envelope, readVariable, output: new ToolOutput(response) }
  const options: InspectOptions = { sideEffect: envelope.sideEffect, mode, redaction }
  const inspection = inspectByBundle(plan, scene, options)
  const hasMore =
    code.postconditions.length > 0 || state.candidates !== undefined || hooks.hasAfter(envelope.toolName)
  return hasMore ? inspectFurther(call, scene, inspection) : inspection
}

async function inspectFurther(
  call: GuardedCall,
  scene: Scene & { readonly output: ToolOutput },
  byBundle: Inspection,
): Promise<Inspection> {
  const { hooks } = call.parts
  const response = scene.output.value
  const byCode = await inspectByCode(call, byBundle, response)
  const inspection = inspectByCandidates(call, byCode, scene)
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
function inspectByCandidates(call: GuardedCall, inspection: Inspection, scene: Scene): Inspection {
  const { candidates } = call.state
  if (candidates === undefined) return inspection
  const { redaction } = call.parts
  const { toolName, sideEffect } = call.envelope
  const options: InspectOptions = { sideEffect, mode: 'observe', redaction }
  const { records, warnings } = inspectByBundle(candidates.planFor(toolName), scene, options)
  if (records.length === 0) return inspection
  return {
    ...inspection,
    records: [...inspection.records, ...records.map((record) => ({ ...record, observed: true as const }))],
    warnings: [...inspection.warnings, ...warnings],
  }
}
