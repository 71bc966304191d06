import { EdictumError } from '../internal/edictum-error.js'

/** A call was denied. The tool did not run. The message is what the agent may be told. */
export class EdictumDenied extends EdictumError {
  override readonly name = 'EdictumDenied'
  readonly reason: string
  readonly decisionSource: string | null
  readonly decisionName: string | null

  constructor(reason: string, decision: { readonly source: string | null; readonly name: string | null }) {
    super(reason)
    this.reason = reason
    this.decisionSource = decision.source
    this.decisionName = decision.name
  }
}

/** The tool ran and failed: it threw, or its result was judged a failure. Message and result are redacted. */
export class EdictumToolError extends EdictumError {
  override readonly name = 'EdictumToolError'
  readonly result: unknown

  constructor(message: string, options: { readonly cause: unknown; readonly result: unknown }) {
    super(message, { cause: options.cause })
    this.result = options.result
  }
}
