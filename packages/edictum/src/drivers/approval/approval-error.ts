import { EdictumError } from '../../internal/edictum-error.js'

export type ApprovalErrorCode =
  'unknown-approval' | 'already-decided' | 'already-awaited' | 'too-many-pending' | 'listener-failed'

/** An approval was asked for, decided or awaited in a way that cannot be honoured. Never consent. */
export class ApprovalError extends EdictumError {
  override readonly name = 'ApprovalError'
  readonly code: ApprovalErrorCode

  constructor(code: ApprovalErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
