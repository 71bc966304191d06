import type { RedactionPolicy } from '../policy/redaction/redaction-policy.js'

/** What a tool reported as its failure is often JSON: then fields that are sensitive by name are masked in it too. */
export function maskJsonText(text: string, redaction: RedactionPolicy): string {
  if (!text.startsWith('{') && !text.startsWith('[')) return text
  try {
    return JSON.stringify(redaction.redactWhole(JSON.parse(text)))
  } catch {
    return text
  }
}
