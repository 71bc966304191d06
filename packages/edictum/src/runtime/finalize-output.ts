// The one way out of a call: an inspected output becomes what the model may see and what may be kept. Everything behind
// this step (artifacts, summaries, notes of the turn) takes nothing that has not been through it.
import { deepFreeze } from '../internal/deep-freeze.js'
import { redactedText } from '../policy/redaction/redacted-text.js'
import type { RedactionPolicy } from '../policy/redaction/redaction-policy.js'
import { cutAtCodePoint } from './artifacts/code-point-cut.js'
import { TOOL_MESSAGE_MAX_CHARS } from './model-content.js'
import { markRedacted, type Redacted } from './redacted.js'

export type Output = Readonly<Record<string, unknown>>

export type FinalizedOutput =
  | { readonly kind: 'inline'; readonly output: Output }
  | { readonly kind: 'oversized'; readonly text: Redacted<string> }
  | { readonly kind: 'unserialisable' }

export interface InspectedPair {
  /** As the agent may see it. */
  readonly shown: unknown
  /** As it may be kept. */
  readonly stored: unknown
}

export function finalizeOutput(
  { shown, stored }: InspectedPair,
  redaction: RedactionPolicy,
): FinalizedOutput {
  if (isSurelyShort(shown)) return { kind: 'inline', output: Object.freeze({ result: shown ?? null }) }
  const text = serialise(shown)
  if (text === undefined) return { kind: 'unserialisable' }
  if (text.length <= TOOL_MESSAGE_MAX_CHARS) {
    // A copy: the model's view is frozen, and the tool may go on using its own object.
    return { kind: 'inline', output: deepFreeze(JSON.parse(text) as Output) }
  }
  const kept = shown === stored ? text : serialise(stored)
  if (kept === undefined) return { kind: 'unserialisable' }
  return { kind: 'oversized', text: redactText(kept, redaction) }
}

/** Escapes make a text longer by no more than a factor of six, so that most need not be written out to be measured. */
function isSurelyShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length < TOOL_MESSAGE_MAX_CHARS / 6 - 20
  return value === undefined || value === null || typeof value === 'boolean'
}

/** Masks fields and texts, then once more across the borders of fields, over the whole length. */
function redactText(text: string, redaction: RedactionPolicy): Redacted<string> {
  const masked = JSON.stringify(redaction.redactWhole(JSON.parse(text)))
  // Piece by piece, because a mark is not text any more: what follows one must not be taken for its continuation.
  const pieces = masked.split(redactedText).map((piece) => redaction.redactBashCommand(piece))
  return markRedacted(pieces.join(redactedText))
}

/** What is no mapping becomes the only field of one. Undefined when there is no JSON for the value. */
function serialise(value: unknown): string | undefined {
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value)
  try {
    // What says of itself that it is something else in JSON, a date for one, may turn out to be no mapping.
    const text = JSON.stringify(isMapping ? value : { result: value ?? null })
    if (text === undefined || text.startsWith('{')) return text
    return `{"result":${text}}`
  } catch {
    return undefined
  }
}

/** For an output that could not be stored: its beginning, in a message that is short enough. */
export function truncateOutput(text: Redacted<string>): Output {
  let length = TOOL_MESSAGE_MAX_CHARS
  for (;;) {
    const preview = text.slice(0, cutAtCodePoint(text, length))
    const output = { truncated: true, original_chars: text.length, preview }
    const excess = JSON.stringify(output).length - TOOL_MESSAGE_MAX_CHARS
    if (excess <= 0) return Object.freeze(output)
    // Escapes make a text longer by no more than a factor of six.
    length -= Math.max(1, Math.ceil(excess / 6))
  }
}

export function suppressedOutput(reason: string): Output {
  return Object.freeze({ output_suppressed: true, reason })
}
