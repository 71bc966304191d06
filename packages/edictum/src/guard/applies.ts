import type { ToolEnvelope } from '../policy/envelope.js'

/** Whether a contract or hook in code looks at this call. A filter that throws must not switch it off. */
export function applies(
  { when }: { readonly when?: ((envelope: ToolEnvelope) => boolean) | undefined },
  envelope: ToolEnvelope,
): boolean {
  try {
    return when === undefined || Boolean(when(envelope))
  } catch {
    return true
  }
}
