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
  'command',
  'paths',
  'hosts',
] as const

/**
 * What the arguments of a call mean, in the form in which contracts compare it. Reading one can fail, because not every
 * call says what it means.
 */
export const normalForms = ['command.programs', 'command.unresolved', 'paths', 'hosts'] as const

export type NormalForm = (typeof normalForms)[number]

export function isNormalForm(selector: string): selector is NormalForm {
  return normalForms.some((form) => form === selector)
}

export const formPrefix = /^(?:command|paths|hosts)(?:\.|$)/

/** A selector under the name of a normal form that is none: a slip that would otherwise always be missing. */
export function isUnknownForm(selector: string): boolean {
  return formPrefix.test(selector) && !isNormalForm(selector)
}

/** These name any number of values; a condition about one of them holds when it holds for one of the values. */
export function namesSeveralValues(selector: string): boolean {
  return isNormalForm(selector) && selector !== 'command.unresolved'
}

/** Selectors that read the tool's result and therefore exist only after the call. */
export function needsToolResult(selector: string): boolean {
  return selector === 'output.text' || selector.startsWith('result.')
}
