// What a `redact` contract masks: the occurrences of whatever its condition looks for in the output.
import type { Condition } from '../../contracts/bundle.js'
import { needsToolResult } from '../../contracts/selectors.js'
import { patternOf } from '../conditions/operators.js'
import { redactedText, type RedactionPolicy } from './redaction-policy.js'
import type { TextRedactor } from './redact-value.js'

export function compileContractRedactor(condition: Condition, fallback: RedactionPolicy): TextRedactor {
  const redactors: TextRedactor[] = []
  collect(condition, redactors)
  // A condition that names no text to look for still means "mask this": the general policy is the least that happens.
  if (redactors.length === 0) return (text) => fallback.redactBashCommand(text)
  return (text) => redactors.reduce((masked, redact) => redactBetweenMarks(masked, redact), text)
}

/** What is masked already is not text any more: masking twice must not change anything. */
function redactBetweenMarks(text: string, redact: TextRedactor): string {
  if (!text.includes(redactedText)) return redact(text)
  return text.split(redactedText).map(redact).join(redactedText)
}

function collect(condition: Condition, into: TextRedactor[]): void {
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
  into: TextRedactor[],
): void {
  switch (operator) {
    case 'matches':
      into.push(patternRedactor(operand as string))
      return
    case 'matches_any':
      for (const pattern of operand as readonly string[]) into.push(patternRedactor(pattern))
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

function patternRedactor(source: string): TextRedactor {
  const pattern = patternOf(source)
  return (text) => pattern.replaceAll(text, redactedText)
}

function literalRedactor(literal: string): TextRedactor {
  if (literal === '') return (text) => text
  return (text) => text.replaceAll(literal, () => redactedText)
}
