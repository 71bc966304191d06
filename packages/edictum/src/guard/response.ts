// What a tool said, in the forms others may see it: the agent, the record, the caller who gets an error.
import type { InspectedOutput } from '../policy/inspect.js'
import { redactValue } from '../policy/redaction/redact-value.js'
import type { RedactionPolicy } from '../policy/redaction/redaction-policy.js'
import { EdictumToolError } from './errors.js'
import type { Judgement } from './judge.js'

export const longestErrorText = 2_000

/** What postconditions look at: what the tool returned, or the text of what it threw. */
export function responseOf(judgement: Judgement): unknown {
  const threw = judgement.kind === 'failed' && judgement.result === judgement.cause
  return threw ? failureText(judgement.cause) : judgement.result
}

function failureText(said: unknown): string {
  if (said instanceof Error) return said.message
  if (typeof said === 'string') return said
  try {
    return JSON.stringify(said) ?? 'the tool failed'
  } catch {
    return 'the tool failed'
  }
}

/** What an inspection leaves of a response. */
export function visible(response: unknown, output: InspectedOutput): unknown {
  switch (output.kind) {
    case 'untouched':
      return response
    case 'redacted':
      return output.value
    case 'suppressed':
      return output.text
    default:
      return output satisfies never
  }
}

/** What the caller of a failed tool gets: nothing in it that the agent may not see. */
export function toolErrorOf(
  { result, cause }: { readonly result: unknown; readonly cause: unknown },
  inspected: { readonly response: unknown; readonly output: InspectedOutput },
  redaction: RedactionPolicy,
): EdictumToolError {
  const seen = visible(inspected.response, inspected.output)
  const message = redaction.redactResult(failureText(seen), longestErrorText)
  const redact = (text: string) => redaction.redactBashCommand(text)
  const isTouched = inspected.output.kind !== 'untouched'
  return new EdictumToolError(message, {
    cause: cause === undefined || isTouched ? undefined : redactValue(cause, redact),
    result: redactValue(isTouched ? seen : result, redact),
  })
}
