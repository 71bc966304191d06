// Where a path really leads: links followed one name at a time, as the kernel does it, the missing rest appended.
import { inspectPath, listFolder, type PathEntry } from '../../internal/platform.js'

/** As many links as Linux follows before it calls a path a loop. */
const mostLinks = 40
const mostNames = 4_096

/** What looking at the file system costs, compared with one step along a path. */
const stepsOfLook = 16
const stepsOfList = 32

/**
 * Looks at names once per call, however many paths share them. A call has a certain number of steps to spend, because
 * looking blocks the process: when they are used up, nobody can say where any further path leads.
 */
export class PathResolver {
  readonly #entries = new Map<string, PathEntry>()
  #lists: Map<string, readonly string[]> | undefined
  #steps: number

  constructor(steps = Infinity) {
    this.#steps = steps
  }

  get isExhausted(): boolean {
    return this.#steps < 0
  }

  allow(steps: number): void {
    this.#steps += steps
  }

  spend(steps: number): void {
    this.#steps -= steps
  }

  /**
   * @param base absolute and free of links
   * @returns undefined when nobody can say: a loop, no permission, an absurd length, no steps left
   */
  resolve(path: string, base: string): string | undefined {
    let at = path.startsWith('/') ? '' : withoutTrailingSlash(base)
    let rest = path
    let from = 0
    let links = 0
    let isMissing = false
    for (let steps = 0; from <= rest.length; steps++) {
      if (steps > mostNames || --this.#steps < 0) return undefined
      const slash = rest.indexOf('/', from)
      const end = slash === -1 ? rest.length : slash
      const name = rest.slice(from, end)
      from = end + 1
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
        rest = from <= rest.length ? `${entry.target}/${rest.slice(from)}` : entry.target
        from = 0
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
    this.#steps -= stepsOfLook
    const entry = inspectPath(path)
    this.#entries.set(path, entry)
    return entry
  }

  /** The names in a folder; none when it cannot be read. */
  list(folder: string): readonly string[] {
    const known = this.#lists?.get(folder)
    if (known !== undefined) return known
    const names = listFolder(folder) ?? []
    this.#steps -= stepsOfList + names.length
    this.#lists ??= new Map()
    this.#lists.set(folder, names)
    return names
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
