import { lstatSync, mkdirSync } from 'node:fs'
import { ArtifactError } from '../../runtime/artifacts/artifact-error.js'
import { systemCodeOf } from './system-code.js'

/**
 * Creates the folder for its owner alone, or makes sure that it is such a folder: no link that leads elsewhere, nobody
 * else's, closed to all others. An open folder is refused, not repaired: someone may have written to it already.
 * @throws ArtifactError
 */
export function ensurePrivateFolder(path: string): void {
  let entry
  try {
    entry = lstatSync(path, { throwIfNoEntry: false })
    if (entry === undefined) {
      mkdirSync(path, { recursive: true, mode: 0o700 })
      entry = lstatSync(path)
    }
  } catch (error) {
    throw new ArtifactError('unsafe-folder', `the artifact folder cannot be used (${systemCodeOf(error)})`, {
      cause: error,
    })
  }
  const fault = faultOf(entry)
  if (fault !== undefined) throw new ArtifactError('unsafe-folder', `the artifact folder ${fault}`)
}

function faultOf(entry: {
  isDirectory(): boolean
  isSymbolicLink(): boolean
  readonly uid: number
  readonly mode: number
}): string | undefined {
  if (entry.isSymbolicLink()) return 'is a link'
  if (!entry.isDirectory()) return 'is not a folder'
  // Windows has neither owners nor modes of this kind.
  const user = process.getuid?.()
  if (user === undefined) return undefined
  if (entry.uid !== user) return 'belongs to another user'
  return (entry.mode & 0o077) === 0 ? undefined : 'is open to other users; its mode must be 700'
}
