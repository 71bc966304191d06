// Packages of the user's project: found from the folder the user is in, as an import of a file there would find them.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** One module of a package, seen from outside: nobody promises what is in it. */
export type ProjectModule = Readonly<Record<string, unknown>>

export interface ProjectPackage {
  readonly name: string
  readonly version: string
  readonly folder: string
  /** `.` or `./server/mcp.js`. @throws when the package has no such door. */
  load(subpath: string): Promise<ProjectModule>
}

interface Manifest {
  readonly version: string
  readonly main?: string
  readonly exports?: unknown
}

/** Looked for beside the user's files first, then beside this package. */
export function findPackage(name: string, folder: string): ProjectPackage | undefined {
  const found = [folder, dirname(fileURLToPath(import.meta.url))]
    .flatMap(withParents)
    .map((parent) => join(parent, 'node_modules', name))
    .find((candidate) => existsSync(join(candidate, 'package.json')))
  if (found === undefined) return undefined
  const manifest = JSON.parse(readFileSync(join(found, 'package.json'), 'utf8')) as Manifest
  return {
    name,
    version: manifest.version,
    folder: found,
    load: async (subpath) => {
      const file = fileOf(manifest, subpath)
      if (file === undefined) throw new Error(`${name} ${manifest.version} has no door ${subpath}`)
      return (await import(pathToFileURL(join(found, file)).href)) as ProjectModule
    },
  }
}

function withParents(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...withParents(parent)]
}

function fileOf({ exports, main = 'index.js' }: Manifest, subpath: string): string | undefined {
  if (exports === undefined) return subpath === '.' ? main : subpath
  const doors = (isSubpaths(exports) ? exports : { '.': exports }) as Readonly<Record<string, unknown>>
  if (Object.hasOwn(doors, subpath)) return targetOf(doors[subpath])
  for (const [pattern, target] of Object.entries(doors)) {
    const [before = '', after] = pattern.split('*')
    if (after === undefined || !subpath.startsWith(before) || !subpath.endsWith(after)) continue
    const star = subpath.slice(before.length, subpath.length - after.length)
    return targetOf(target)?.replaceAll('*', star)
  }
  return undefined
}

function isSubpaths(exports: unknown): boolean {
  return typeof exports === 'object' && exports !== null && Object.keys(exports)[0]?.startsWith('.') === true
}

const conditions = new Set(['node', 'import', 'default'])

/** The first condition of an import on Node, in the order the package gives them. */
function targetOf(target: unknown): string | undefined {
  if (typeof target === 'string') return target
  if (Array.isArray(target)) return target.map(targetOf).find((file) => file !== undefined)
  if (typeof target !== 'object' || target === null) return undefined
  for (const [condition, next] of Object.entries(target)) {
    const file = conditions.has(condition) ? targetOf(next) : undefined
    if (file !== undefined) return file
  }
  return undefined
}
