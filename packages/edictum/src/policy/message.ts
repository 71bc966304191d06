// Message templates: `{selector}` is replaced by the selected value, shortened and never a secret.
import type { Extensions } from './conditions/condition.js'
import type { Scene } from './conditions/scene.js'
import { compileSelector, type Read } from './conditions/selectors.js'
import { redactedText } from './redaction/redacted-text.js'
import { cut, type RedactionPolicy } from './redaction/redaction-policy.js'

export type MessageTemplate = (scene: Scene) => string

const longestMessage = 500
const longestValue = 200

export interface MessageContext {
  readonly extensions: Extensions
  readonly redaction: RedactionPolicy
}

export function compileMessage(template: string, { extensions, redaction }: MessageContext): MessageTemplate {
  const parts = template.includes('{') ? template.split(/(\{[^}]+\})/) : [template]
  if (parts.length === 1) {
    const text = cut(template, longestMessage)
    return () => text
  }
  const fills = parts.map((part, index) => {
    // Splitting on a group puts the placeholders at the odd places.
    if (index % 2 === 0) return () => part
    const selector = part.slice(1, -1)
    const read = compileSelector(selector, extensions.selectors)
    const key = selector.slice(selector.lastIndexOf('.') + 1)
    return (scene: Scene) => fill(part, readQuietly(read, scene), { key, redaction })
  })
  return (scene) => cut(fills.map((render) => render(scene)).join(''), longestMessage)
}

/** A selector that fails has already been reported by its contract; the message keeps the placeholder. */
function readQuietly(read: Read, scene: Scene): unknown {
  try {
    return read(scene)
  } catch {
    return undefined
  }
}

function fill(placeholder: string, value: unknown, by: { key: string; redaction: RedactionPolicy }): string {
  if (value === undefined || value === null) return placeholder
  if (by.redaction.isSensitiveKey(by.key)) return redactedText
  const text = typeof value === 'string' ? value : showData(by.redaction.redactArgs(value))
  return by.redaction.looksLikeSecret(text) ? redactedText : cut(text, longestValue)
}

function showData(value: unknown): string {
  try {
    return JSON.stringify(value) ?? redactedText
  } catch {
    return redactedText
  }
}
