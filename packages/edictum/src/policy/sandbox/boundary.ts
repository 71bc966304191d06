// Whether a resolved path lies in a folder. Names are compared whole, so `/work-old` is never inside `/work`.
import { homeFolder, pathsIgnoreCase, workingFolder } from '../../internal/platform.js'
import { PathResolver } from './resolve-path.js'

/** A folder of `within` or `not_within`, where it really lies. It need not exist. */
export interface Boundary {
  readonly folder: string
  readonly contains: (path: string) => boolean
}

/** Undefined when nobody can say where the folder lies. */
function compileBoundary(written: string): Boundary | undefined {
  const path = written === '~' || written.startsWith('~/') ? homeFolder() + written.slice(1) : written
  const resolved = path.includes('\0') ? undefined : new PathResolver().resolve(path, workingFolder() ?? '/')
  if (resolved === undefined) return undefined
  const folder = comparablePath(resolved)
  const prefix = folder === '/' ? '/' : `${folder}/`
  return { folder, contains: (other) => other === folder || other.startsWith(prefix) }
}

/** Undefined when nobody can say where one of the folders lies. */
export function compileBoundaries(folders: readonly string[]): readonly Boundary[] | undefined {
  const boundaries: Boundary[] = []
  for (const folder of folders) {
    const boundary = compileBoundary(folder)
    if (boundary === undefined) return undefined
    boundaries.push(boundary)
  }
  return boundaries
}

/** The form in which two names of the same file are equal. */
export function comparablePath(path: string): string {
  return ignoresCase ? path.normalize('NFC').toLowerCase() : path
}

export function comparablePaths(paths: readonly string[]): readonly string[] {
  return ignoresCase ? paths.map(comparablePath) : paths
}

const ignoresCase = pathsIgnoreCase()
