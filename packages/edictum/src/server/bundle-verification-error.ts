import { EdictumError } from '../internal/edictum-error.js'

export type VerificationFault =
  | 'malformed'
  | 'wrong-name'
  | 'wrong-environment'
  | 'wrong-hash'
  | 'unsigned'
  | 'untrusted-key'
  | 'wrong-signature'
  /** Older than what this agent has run already. */
  | 'rolled-back'

/** A bundle from the server, or from the cache, that is not what it claims to be. It was not loaded. */
export class BundleVerificationError extends EdictumError {
  override readonly name = 'BundleVerificationError'
  readonly fault: VerificationFault

  constructor(fault: VerificationFault, message: string) {
    super(message)
    this.fault = fault
  }
}
