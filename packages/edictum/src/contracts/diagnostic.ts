// What a person is told about a bundle that cannot be understood: a stable code, where, what was expected, how to fix it.

import { makeVisible } from '../internal/visible-text.js'

export const diagnosticCodes = [
  'bundle-not-found',
  'bundle-not-mapping',
  'bundle-not-utf8',
  'bundle-too-large',
  'candidate-id-taken',
  'conflicting-fields',
  'duplicate-contract-id',
  'empty-list',
  'expression-too-deep',
  'invalid-call',
  'invalid-effect',
  'invalid-expression',
  'invalid-option',
  'invalid-pattern',
  'invalid-value',
  'missing-companion',
  'missing-field',
  'no-bundle-from-server',
  'selector-not-available',
  'template-not-found',
  'unknown-detector',
  'unknown-field',
  'unknown-operator',
  'unsupported-pattern',
  'wrong-type',
  'yaml-alias-limit',
  'yaml-duplicate-key',
  'yaml-multiple-documents',
  'yaml-syntax',
  'yaml-tag',
  'yaml-too-deep',
] as const

export type DiagnosticCode = (typeof diagnosticCodes)[number]

export interface Diagnostic {
  readonly code: DiagnosticCode
  /** One line, in the words the author wrote. */
  readonly message: string
  /** Where in the document, for example `contracts[2].then.effect`. */
  readonly path?: string
  readonly file?: string
  /** 1-based, as editors count. */
  readonly line?: number
  readonly column?: number
  /** The offending text itself. */
  readonly text?: string
  readonly expected?: string
  readonly hint?: string
  /** The source line with a caret under the offending text. */
  readonly frame?: string
}

export type PathStep = string | number

/** A step list that costs one small object per level and is only turned into text when there is something to report. */
export interface Trail {
  readonly parent: Trail | undefined
  readonly step: PathStep
}

/** A finding of a checker, before it is given a place in a text. */
export interface Problem {
  readonly code: DiagnosticCode
  readonly message: string
  readonly path: readonly PathStep[]
  /** Whether the key or its value is at fault. */
  readonly at: 'key' | 'value'
  readonly expected?: string
  readonly hint?: string
  /** Where in the whole text, for a fault that was found before there were paths. */
  readonly range?: { readonly start: number; readonly end: number }
  /** Offset into the value's text, for a fault inside a longer string. */
  readonly offsetInValue?: number
  /** Another place that explains this one. */
  readonly related?: { readonly path: readonly PathStep[]; readonly label: string }
}

export function pathOf(trail: Trail | undefined): readonly PathStep[] {
  const steps: PathStep[] = []
  for (let at = trail; at !== undefined; at = at.parent) steps.push(at.step)
  return steps.reverse()
}

export function formatPath(path: readonly PathStep[]): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += text === '' ? step : `.${step}`
  }
  return text
}

/** The author's own text inside a message: short, in backticks, and unable to move the cursor of a terminal. */
export function quoted(text: string): string {
  const short = text.length > 80 ? `${text.slice(0, 77)}...` : text
  return `\`${makeVisible(short)}\``
}

const shownAtOnce = 25

/** The whole text a person sees: every problem with its place, a frame, and what to do. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[]): string {
  const blocks = diagnostics.slice(0, shownAtOnce).map(formatDiagnostic)
  const hidden = diagnostics.length - blocks.length
  if (hidden > 0) blocks.push(`… and ${hidden} more`)
  if (diagnostics.length > 1) {
    const file = diagnostics[0]?.file
    blocks.push(
      `${diagnostics.length} problems${file === undefined ? '' : ` in ${file}`}; nothing was loaded`,
    )
  }
  return blocks.join('\n\n')
}

function formatDiagnostic(diagnostic: Diagnostic): string {
  const { file, line, column, code, message, frame, expected, hint } = diagnostic
  const place =
    line === undefined
      ? file === undefined
        ? ''
        : `${file}: `
      : `${file ?? '<bundle>'}:${line}:${column ?? 1}: `
  const lines = [`${place}${message} [${code}]`]
  if (frame !== undefined) lines.push(frame)
  if (expected !== undefined) lines.push(`  expected: ${expected}`)
  if (hint !== undefined) lines.push(`  hint: ${hint}`)
  return lines.join('\n')
}
