// Which selectors the language knows. A custom selector may not take one of these prefixes.

export const selectorPrefixes = [
  'environment',
  'tool',
  'args',
  'principal',
  'output',
  'result',
  'env',
  'metadata',
] as const

/** Selectors that read the tool's result and therefore exist only after the call. */
export function needsToolResult(selector: string): boolean {
  return selector === 'output.text' || selector.startsWith('result.')
}
