// What a `redact` contract masks: the occurrences of whatever its condition looks for in the output.
import type { Condition } from '../../contracts/bundle.js'
import { needsToolResult } from '../../contracts/selectors.js'
import { patternOf } from '../conditions/operators.js'
import type { ToolOutput } from '../conditions/scene.js'
import { detectorSet } from './detectors/detector-set.js'
import { redactedText } from './redacted-text.js'
import type { RedactionPolicy } from './redaction-policy.js'

/** Masks one text of an output; what is known about the output already is not looked for again. */
export type ContractRedactor = (
  text: string,
  place: { readonly output: ToolOutput | undefined; readonly field: string | undefined },
) => string

export function compileContractRedactor(condition: Condition, fallback: RedactionPolicy): ContractRedactor {
  const redactors: ContractRedactor[] = []
  collect(condition, redactors)
  // A condition that names no text to look for still means "mask this": the general policy is the least that happens.
  if (redactors.length === 0) return (text) => fallback.redactBashCommand(text)
  return (text, place) => redactors.reduce((masked, redact) => redact(masked, place), text)
}

function collect(condition: Condition, into: ContractRedactor[]): void {
  switch (condition.kind) {
    case 'all':
    case 'any':
      for (const child of condition.conditions) collect(child, into)
      return
    case 'not': {
      // Under one `not` stands what must be absent; under two, what must be present again.
      if (condition.condition.kind === 'not') collect(condition.condition.condition, into)
      return
    }
    case 'leaf':
      if (needsToolResult(condition.selector)) collectLeaf(condition, into)
      return
    default:
      condition satisfies never
  }
}

function collectLeaf(
  { operator, operand }: Extract<Condition, { kind: 'leaf' }>,
  into: ContractRedactor[],
): void {
  switch (operator) {
    case 'matches':
      into.push(patternRedactor(operand as string))
      return
    case 'matches_any':
      for (const pattern of operand as readonly string[]) into.push(patternRedactor(pattern))
      return
    case 'detects':
      into.push(detectionRedactor(operand as readonly string[]))
      return
    case 'contains':
    case 'starts_with':
    case 'ends_with':
    case 'equals':
      if (typeof operand === 'string' || typeof operand === 'number')
        into.push(literalRedactor(String(operand)))
      return
    case 'contains_any':
    case 'in':
      for (const literal of operand as readonly unknown[]) {
        if (typeof literal === 'string' || typeof literal === 'number')
          into.push(literalRedactor(String(literal)))
      }
      return
    default:
  }
}

function patternRedactor(source: string): ContractRedactor {
  const pattern = patternOf(source)
  return (text) => betweenMarks(text, (part) => pattern.replaceAll(part, redactedText))
}

function literalRedactor(literal: string): ContractRedactor {
  if (literal === '') return (text) => text
  return (text) => betweenMarks(text, (part) => part.replaceAll(literal, () => redactedText))
}

function detectionRedactor(names: readonly string[]): ContractRedactor {
  const detectors = detectorSet(names)
  return (text, { output, field }) =>
    detectors.redact(text, output?.knownFindings(detectors, text) ?? detectors.findInField(text, field))
}

/** What is masked already is not text any more: masking twice must not change anything. */
function betweenMarks(text: string, redact: (part: string) => string): string {
  if (!text.includes(redactedText)) return redact(text)
  return text.split(redactedText).map(redact).join(redactedText)
}
