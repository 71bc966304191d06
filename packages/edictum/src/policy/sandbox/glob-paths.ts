// The existing paths a shell pattern stands for, and whether a pattern could name a given path.
import { compileGlob, isGlob } from '../tool-glob.js'
import type { PathResolver } from './resolve-path.js'

const mostMatches = 10_000

/** Undefined when there are too many to look at. */
export function expandGlob(
  pattern: string,
  base: string,
  resolver: PathResolver,
): readonly string[] | undefined {
  let folders: readonly string[] = [pattern.startsWith('/') ? '/' : base]
  for (const name of pattern.split('/')) {
    if (name === '' || name === '.') continue
    const found: string[] = []
    for (const folder of folders) {
      for (const entry of isGlob(name) ? matchingNames(name, folder, resolver) : [name]) {
        const path = resolver.resolve(entry, folder)
        if (path === undefined || found.length >= mostMatches) return undefined
        found.push(path)
      }
      if (resolver.isExhausted) return undefined
    }
    folders = found
  }
  return folders
}

function matchingNames(pattern: string, folder: string, resolver: PathResolver): readonly string[] {
  const matches = compileName(pattern)
  const names = resolver.list(folder)
  resolver.spend(names.length)
  return names.filter((name) => matches(name))
}

/** A shell's patterns leave hidden names alone unless they say the dot. */
function compileName(pattern: string): (name: string) => boolean {
  const matches = compileGlob(pattern)
  return pattern.startsWith('.') ? matches : (name) => !name.startsWith('.') && matches(name)
}

/** Whether the pattern, or a path below what it names, could be the folder or lie in it. */
export function couldName(pattern: string, folder: string): boolean {
  const names = pattern.split('/')
  const wanted = folder.split('/')
  return (
    names.length >= wanted.length &&
    wanted.every((name, index) => {
      const part = names[index] ?? ''
      return isGlob(part) ? compileName(part)(name) : part === name
    })
  )
}
