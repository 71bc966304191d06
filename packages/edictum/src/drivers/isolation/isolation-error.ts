import { EdictumError } from '../../internal/edictum-error.js'

export type IsolationErrorCode = 'ended' | 'out-of-memory' | 'not-loaded' | 'not-cloneable'

/** An isolated tool gave no answer. What it may have done by then is not known. */
export class IsolationError extends EdictumError {
  override readonly name = 'IsolationError'
  readonly code: IsolationErrorCode
  /** Whether the same call could end differently; no, when the program itself is at fault. */
  readonly retryable: boolean

  constructor(code: IsolationErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.retryable = code === 'ended' || code === 'out-of-memory'
  }
}
