import { EdictumError } from '../internal/edictum-error.js'
import { type Diagnostic, type DiagnosticCode, formatDiagnostics } from './diagnostic.js'

/** A bundle or an option that cannot be understood. Carries every problem found; nothing was loaded. */
export class EdictumConfigError extends EdictumError {
  override readonly name = 'EdictumConfigError'
  readonly diagnostics: readonly Diagnostic[]

  constructor(diagnostics: readonly Diagnostic[]) {
    super(formatDiagnostics(diagnostics))
    this.diagnostics = Object.freeze([...diagnostics])
  }

  /** An error about something that stands in no text: an option, an argument, a missing file. */
  static of(code: DiagnosticCode, message: string, hint?: string): EdictumConfigError {
    return new EdictumConfigError([hint === undefined ? { code, message } : { code, message, hint }])
  }
}
