// What a tool said, in the forms others may see it: the agent, the record, the caller who gets an error.
import type { InspectedOutput, Inspection } from '../policy/inspect.js'
import { redactValue } from '../policy/redaction/redact-value.js'
import type { RedactionPolicy } from '../policy/redaction/redaction-policy.js'
import { EdictumToolError } from './errors.js'
import type { JudgedEnding } from './gates.js'
import type { Judgement } from './judge.js'
import { maskJsonText } from './mask-json-text.js'
import type { AuditOutcome } from './ports/audit-event.js'
import type { SessionCounters } from './ports/storage-backend.js'

/** How a call ended, with everything the steps after the tool have found out. */
export interface InspectedEnd {
  readonly judgement: Judgement
  readonly response: unknown
  readonly inspection: Inspection
  readonly counters: SessionCounters
  readonly durationMs: number
  /** What a face of the guard calls it. */
  readonly outcome: AuditOutcome | undefined
}

/** The part of it that is known before the call is counted. */
export type Found = Pick<InspectedEnd, 'judgement' | 'response' | 'inspection'>

/** What a face of the guard is shown of it. */
export function shownBy({ judgement, response, inspection }: Found): JudgedEnding {
  const { output, stored, warnings } = inspection
  return {
    judgement,
    shown: visible(response, output),
    stored: visible(response, stored),
    isSuppressed: output.kind === 'suppressed',
    warnings,
  }
}

/** A success that turned out to be none is a failure which says why, and nothing else. */
export function withFault(found: Found, fault: string | undefined): Found {
  if (fault === undefined || found.judgement.kind === 'failed') return found
  const untouched = { kind: 'untouched' } as const
  return {
    judgement: { kind: 'failed', result: fault, cause: undefined, policyError: false },
    response: fault,
    inspection: { ...found.inspection, output: untouched, stored: untouched },
  }
}

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
  const said = maskJsonText(failureText(seen), redaction)
  const message = redaction.redactResult(said, longestErrorText)
  const redact = (text: string) => redaction.redactBashCommand(text)
  const isTouched = inspected.output.kind !== 'untouched'
  return new EdictumToolError(message, {
    cause: cause === undefined || isTouched ? undefined : redactValue(cause, redact),
    result: redactValue(isTouched ? seen : result, redact),
  })
}
