import { openPrivateFolder } from '../../internal/platform.js'
import { ArtifactError } from '../../runtime/artifacts/artifact-error.js'
import { systemCodeOf } from './system-code.js'

/** @throws ArtifactError when the folder is not, or cannot be made, one for its owner alone. */
export function ensurePrivateFolder(path: string): void {
  let fault
  try {
    fault = openPrivateFolder(path)
  } catch (error) {
    throw new ArtifactError('unsafe-folder', `the artifact folder cannot be used (${systemCodeOf(error)})`, {
      cause: error,
    })
  }
  if (fault !== undefined) throw new ArtifactError('unsafe-folder', `the artifact folder ${fault}`)
}
