// Where a path really leads: links followed one name at a time, as the kernel does it, the missing rest appended.
import { inspectPath, type PathEntry } from '../../internal/platform.js'

/** As many links as Linux follows before it calls a path a loop. */
const mostLinks = 40
const mostNames = 4_096

/** Looks at names once per call, however many paths share them. */
export class PathResolver {
  readonly #entries = new Map<string, PathEntry>()

  /**
   * @param base absolute and free of links
   * @returns undefined when nobody can say: a loop, no permission, an absurd length
   */
  resolve(path: string, base: string): string | undefined {
    let at = path.startsWith('/') ? '' : withoutTrailingSlash(base)
    const names = path.split('/').toReversed()
    let links = 0
    let isMissing = false
    for (let steps = 0; names.length > 0; steps++) {
      if (steps > mostNames) return undefined
      const name = names.pop() ?? ''
      if (name === '' || name === '.') continue
      if (name === '..') {
        at = parentOf(at)
        // What lies above a missing name may exist again.
        isMissing = false
        continue
      }
      const next = `${at}/${name}`
      if (isMissing) {
        at = next
        continue
      }
      const entry = this.inspect(next)
      if (entry.kind === 'unreadable') return undefined
      if (entry.kind === 'link') {
        // Links of the process file system lead somewhere else for every process that follows them.
        if (++links > mostLinks || next.startsWith('/proc/')) return undefined
        if (entry.target.startsWith('/')) at = ''
        names.push(...entry.target.split('/').toReversed())
        continue
      }
      isMissing = entry.kind === 'missing'
      at = next
    }
    return at === '' ? '/' : at
  }

  inspect(path: string): PathEntry {
    const known = this.#entries.get(path)
    if (known !== undefined) return known
    const entry = inspectPath(path)
    this.#entries.set(path, entry)
    return entry
  }
}

/** The path with `.`, `..` and repeated slashes removed by the text alone, as many programs do before they open it. */
export function collapsePath(path: string, base: string): string {
  const names: string[] = []
  for (const name of `${path.startsWith('/') ? '' : base}/${path}`.split('/')) {
    if (name === '' || name === '.') continue
    if (name === '..') names.pop()
    else names.push(name)
  }
  return `/${names.join('/')}`
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function withoutTrailingSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}
