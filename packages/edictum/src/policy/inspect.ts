// After the call: judges the output, and says what the agent may see of it. Pure; nothing is recorded here.
import type { Condition, PostContract, SideEffect } from '../contracts/bundle.js'
import type { Firing, JudgedContract } from './compiled-contract.js'
import type { Scene } from './conditions/scene.js'
import type { ToolPlan } from './policy.js'
import { type ContractRecord, failedRecord, isPolicyError, passedRecord } from './record.js'
import { compileContractRedactor, type ContractRedactor } from './redaction/contract-redactor.js'
import { type DetectorSet, detectorSet, stepLength } from './redaction/detectors/detector-set.js'
import { redactValue, type TextRedactor } from './redaction/redact-value.js'
import type { RedactionPolicy } from './redaction/redaction-policy.js'
import type { Fired } from './stage.js'

export interface Inspection {
  readonly records: readonly ContractRecord[]
  /** Whether every enforced postcondition passed. */
  readonly passed: boolean
  readonly warnings: readonly string[]
  /** What the agent may see. */
  readonly output: InspectedOutput
  /** What may be written down: masked also where the agent's copy is left alone. */
  readonly stored: InspectedOutput
  readonly policyError: boolean
}

/** What becomes of the output. */
export type InspectedOutput =
  | { readonly kind: 'untouched' }
  | { readonly kind: 'redacted'; readonly value: unknown }
  | { readonly kind: 'suppressed'; readonly text: string }

export interface InspectOptions {
  /** Effects fall back to warnings when the action has already happened. */
  readonly sideEffect: SideEffect
  /** In observe mode nothing the agent sees may change, whatever single contracts say. */
  readonly mode: 'enforce' | 'observe'
  readonly redaction: RedactionPolicy
}

const untouched: InspectedOutput = Object.freeze({ kind: 'untouched' })
const nothing: readonly never[] = Object.freeze([])
const warningSign = '\u26a0\ufe0f'
export const suppressedPrefix = '[OUTPUT SUPPRESSED] '

/** Judges every postcondition of the tool against the output in the scene. */
export function inspect(plan: ToolPlan, scene: Scene, options: InspectOptions): Inspection {
  const fired = plan.postconditions.findFiring(scene)
  if (fired.length === 0) return nothingFired(plan)
  const steps = conclude(plan, fired, new OutputInspector(scene, options))
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** The same with pauses, for an output of many megabytes. */
export function* inspectInSteps(
  plan: ToolPlan,
  scene: Scene,
  options: InspectOptions,
): Generator<undefined, Inspection> {
  for (const detectors of detectorsOf(plan)) {
    yield
    if (scene.output !== undefined) yield* scene.output.findInSteps(detectors)
  }
  const fired = yield* plan.postconditions.findFiringInSteps(scene)
  return fired.length === 0
    ? nothingFired(plan)
    : yield* conclude(plan, fired, new OutputInspector(scene, options))
}

function nothingFired(plan: ToolPlan): Inspection {
  return {
    records: passingRecords(plan),
    passed: true,
    warnings: nothing,
    output: untouched,
    stored: untouched,
    policyError: false,
  }
}

function* conclude(
  plan: ToolPlan,
  fired: readonly Fired<JudgedContract<PostContract>>[],
  inspector: OutputInspector,
): Generator<undefined, Inspection> {
  const records = [...passingRecords(plan)]
  for (const { contract, position, firing } of fired) {
    records[position] = inspector.apply(contract, firing)
    yield
  }
  return {
    records: Object.freeze(records),
    passed: records.every((record) => record.passed || record.observed === true),
    warnings: inspector.warnings,
    output: inspector.output,
    stored: inspector.stored,
    policyError: records.some(isPolicyError),
  }
}

/** A text this long is read within a millisecond or so; there is nothing to gain from pausing. */
const shortText = 4 * stepLength

/** Whether the postconditions have so much text to read that others should have their turn in between. */
export function isLongToRead({ readsOutputText }: ToolPlan, { output }: Scene): boolean {
  if (!readsOutputText || output?.value === undefined || output.value === null) return false
  try {
    return output.text.length > shortText
  } catch {
    // An output without a text form is reported by the contracts that ask for it.
    return false
  }
}

const detectorsOfPlan = new WeakMap<ToolPlan, readonly DetectorSet[]>()

function detectorsOf(plan: ToolPlan): readonly DetectorSet[] {
  let sets = detectorsOfPlan.get(plan)
  if (sets === undefined) {
    const found = new Set<DetectorSet>()
    for (const { contract } of plan.postconditions.contracts) collectDetectors(contract.when, found)
    sets = [...found]
    detectorsOfPlan.set(plan, sets)
  }
  return sets
}

function collectDetectors(condition: Condition, into: Set<DetectorSet>): void {
  switch (condition.kind) {
    case 'all':
    case 'any':
      for (const child of condition.conditions) collectDetectors(child, into)
      return
    case 'not':
      collectDetectors(condition.condition, into)
      return
    case 'leaf':
      if (condition.operator === 'detects' && condition.selector === 'output.text')
        into.add(detectorSet(condition.operand as readonly string[]))
      return
    default:
      condition satisfies never
  }
}

const passingOf = new WeakMap<ToolPlan, readonly ContractRecord[]>()

function passingRecords(plan: ToolPlan): readonly ContractRecord[] {
  let records = passingOf.get(plan)
  if (records === undefined) {
    records = Object.freeze(plan.postconditions.contracts.map(passedRecord))
    passingOf.set(plan, records)
  }
  return records
}

class OutputInspector {
  readonly warnings: string[] = []
  output: InspectedOutput = untouched
  stored: InspectedOutput = untouched
  readonly #scene: Scene
  readonly #options: InspectOptions

  constructor(scene: Scene, options: InspectOptions) {
    this.#scene = scene
    this.#options = options
  }

  apply(judged: JudgedContract<PostContract>, firing: Firing): ContractRecord {
    const { contract } = judged
    const message = judged.message(this.#scene)
    const observed = judged.mode === 'observe' || this.#options.mode === 'observe'
    const { effect } = contract.then
    this.stored = this.#effectOn(this.stored, contract, message)
    if (observed) this.#warn(`[observe] ${message}`)
    else if (effect === 'warn' || !this.#isSafe()) this.#warn(`${message} ${this.#advice()}`)
    else {
      this.#warn(
        effect === 'redact'
          ? `Content was redacted by ${contract.id}.`
          : `Output was suppressed by ${contract.id}.`,
      )
      this.output = this.#effectOn(this.output, contract, message)
    }
    return failedRecord(observed ? { ...judged, mode: 'observe' } : judged, firing, message)
  }

  #effectOn(output: InspectedOutput, contract: PostContract, message: string): InspectedOutput {
    switch (contract.then.effect) {
      case 'warn':
        return output
      case 'deny':
        return { kind: 'suppressed', text: suppressedPrefix + message }
      case 'redact': {
        const redactPart = redactorOf(contract, this.#options.redaction)
        const { output: original } = this.#scene
        const redact: TextRedactor = (text, field) => redactPart(text, { output: original, field })
        if (output.kind === 'suppressed') return { kind: 'suppressed', text: redact(output.text) }
        const before = output.kind === 'redacted' ? output.value : this.#scene.output?.value
        return { kind: 'redacted', value: redactStructure(before, redact) }
      }
      default:
        return contract.then.effect satisfies never
    }
  }

  #isSafe(): boolean {
    return this.#options.sideEffect === 'pure' || this.#options.sideEffect === 'read'
  }

  #advice(): string {
    return this.#isSafe() ? 'Consider retrying.' : 'The tool has already executed.'
  }

  #warn(text: string): void {
    this.warnings.push(`${warningSign} ${text}`)
  }
}

/** What a pattern finds across the borders of fields is only visible in the text as a whole. */
function redactStructure(value: unknown, redact: TextRedactor): unknown {
  const masked = redactValue(value, redact)
  if (typeof masked !== 'object' || masked === null || masked instanceof Error) return masked
  let text: string
  try {
    text = JSON.stringify(masked)
  } catch {
    return masked
  }
  const maskedText = redact(text)
  return maskedText === text ? masked : maskedText
}

const redactors = new WeakMap<PostContract, ContractRedactor>()

function redactorOf(contract: PostContract, redaction: RedactionPolicy): ContractRedactor {
  let redact = redactors.get(contract)
  if (redact === undefined) {
    redact = compileContractRedactor(contract.when, redaction)
    redactors.set(contract, redact)
  }
  return redact
}
