// The fingerprint of a call: consent is bound to it, so two calls that could act differently never share one.
import { sha256Hex } from '../internal/platform.js'
import type { ToolEnvelope } from '../policy/envelope.js'

/** The same name and the same arguments in any key order, and nothing else. */
export function hashOfCall(envelope: Pick<ToolEnvelope, 'toolName' | 'args'>): string {
  return sha256Hex(`${JSON.stringify(envelope.toolName)} ${canonical(envelope.args)}`)
}

/** Canonical JSON for what JSON can hold; everything else is written in a form no JSON text has. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value instanceof Date) return `date(${value.getTime()})`
  if (value instanceof Uint8Array) return `bytes(${value.join()})`
  if (typeof value === 'object' && value !== null) {
    const fields = value as Readonly<Record<string, unknown>>
    const entries = Object.keys(fields)
      .toSorted()
      .map((key) => `${JSON.stringify(key)}:${canonical(fields[key])}`)
    return `{${entries.join(',')}}`
  }
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  return value === undefined ? 'undefined' : JSON.stringify(value)
}
