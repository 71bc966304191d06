import { type EnvelopeOptions, frozenEnvelope } from './guard/envelope.js'
import { randomId } from './internal/platform.js'
import type { ToolEnvelope } from './policy/envelope.js'

/** The frozen snapshot of a call. @throws EdictumConfigError for a bad name or data that cannot be copied. */
export function createEnvelope(
  toolName: string,
  toolInput: Readonly<Record<string, unknown>>,
  options: EnvelopeOptions = {},
): ToolEnvelope {
  return frozenEnvelope(toolName, toolInput, { callId: randomId(), timestamp: new Date(), ...options })
}
