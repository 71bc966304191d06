import { EdictumError } from '../../internal/edictum-error.js'

export type ArtifactErrorCode =
  'not-found' | 'invalid-request' | 'quota-exceeded' | 'read-failed' | 'write-failed' | 'unsafe-folder'

/** An artifact could not be stored or read. The message names no path and no session, so a model may see it. */
export class ArtifactError extends EdictumError {
  override readonly name = 'ArtifactError'
  readonly code: ArtifactErrorCode

  constructor(code: ArtifactErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
