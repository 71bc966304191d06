// Everything a condition may look at: the call, the process environment as a fact, and after the call its output.
import type { ToolEnvelope } from '../envelope.js'
import type { DetectorSet, Finding } from '../redaction/detectors/detector-set.js'
import type { CallFacts } from '../sandbox/call-facts.js'

export interface Scene {
  readonly envelope: ToolEnvelope
  /** Reads a variable of the process environment; a fact handed in, so that replaying a decision is possible. */
  readonly readVariable: (name: string) => string | undefined
  /** What the arguments mean as commands, paths and hosts: one reading for all contracts, before and after the call. */
  readonly facts: CallFacts
  /** What the tool returned; undefined before the call. */
  readonly output: ToolOutput | undefined
}

/** A tool's result with its text form, computed once however many contracts look at it. */
export class ToolOutput {
  readonly value: unknown
  #text: string | undefined
  readonly #findings = new Map<DetectorSet, readonly Finding[]>()

  constructor(value: unknown) {
    this.value = value
  }

  get text(): string {
    this.#text ??= textOf(this.value)
    return this.#text
  }

  /** What the detectors find in the text form, looked for once. */
  find(detectors: DetectorSet): readonly Finding[] {
    let findings = this.#findings.get(detectors)
    if (findings === undefined) {
      findings = detectors.find(this.text)
      this.#findings.set(detectors, findings)
    }
    return findings
  }

  /** Looks for it beforehand, with pauses. */
  *findInSteps(detectors: DetectorSet): Generator<undefined, void> {
    if (!this.#findings.has(detectors)) this.#findings.set(detectors, yield* detectors.findInSteps(this.text))
  }

  /** What is known already about a text, if it is the output's own. */
  knownFindings(detectors: DetectorSet, text: string): readonly Finding[] | undefined {
    return text === this.#text ? this.#findings.get(detectors) : undefined
  }
}

/** @throws when the value holds itself or something that has no text form. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Error) return value.message
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return String(value)
}
