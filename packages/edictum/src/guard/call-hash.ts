// The fingerprint of a call: consent is bound to it, so two calls that could act differently never share one.
import { canonicalJson } from '../internal/canonical-json.js'
import { sha256Hex } from '../internal/platform.js'
import type { ToolEnvelope } from '../policy/envelope.js'

/** The same name and the same arguments in any key order, and nothing else. */
export function hashOfCall(envelope: Pick<ToolEnvelope, 'toolName' | 'args'>): string {
  return sha256Hex(`${JSON.stringify(envelope.toolName)} ${canonicalJson(envelope.args)}`)
}
