// What a tool said, in the forms others may see it: the agent, the record, the caller who gets an error.
import type { InspectedOutput } from '../policy/inspect.js'
import { redactValue } from '../policy/redaction/redact-value.js'
import type { RedactionPolicy } from '../policy/redaction/redaction-policy.js'
import { EdictumToolError } from './errors.js'
import type { Judgement } from './judge.js'

export const longestErrorText = 2_000

/** What postconditions look at: the result, or for a failed tool what it said about it. */
export function responseOf(judgement: Judgement): unknown {
  return judgement.kind === 'succeeded' ? judgement.result : failureText(judgement)
}

/** The message of what it threw, or the text of what it returned. */
function failureText({ result, cause }: { readonly result: unknown; readonly cause: unknown }): string {
  if (cause instanceof Error && result === cause) return cause.message
  if (typeof result === 'string') return result
  try {
    return JSON.stringify(result) ?? 'the tool failed'
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
  const { response, output } = inspected
  const message = redaction.redactResult(String(visible(response, output)), longestErrorText)
  const redact = (text: string) => redaction.redactBashCommand(text)
  const isTouched = output.kind !== 'untouched'
  return new EdictumToolError(message, {
    cause: cause === undefined || isTouched ? undefined : redactValue(cause, redact),
    result: isTouched ? message : redactValue(result, redact),
  })
}
