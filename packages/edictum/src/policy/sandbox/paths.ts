// The paths of a call and where they really lead: from arguments, and from every word of its commands.
import { homeFolder, workingFolder } from '../../internal/platform.js'
import type { ArgumentText } from './argument-texts.js'
import { comparablePath, comparablePaths, type Boundary } from './boundary.js'
import { couldName, expandGlob } from './glob-paths.js'
import { readWord } from './command-word.js'
import { distinctWords } from './distinct-words.js'
import { pathForms, type Expansions } from './path-forms.js'
import { collapsePath, PathResolver } from './resolve-path.js'

export interface PathFact {
  readonly text: string
  /** Everywhere the text may lead, links resolved. */
  readonly places: readonly string[]
  /**
   * A word such as `status` is possibly a path: it may not lead into an excluded folder, but it has to lie within
   * the boundary only when something of that name is there.
   */
  readonly certainty: 'sure' | 'possible'
  /** The absolute shell pattern, for a word that is one. */
  readonly pattern?: string
  /** The program, when the path is the word that starts it. */
  readonly program?: string
}

export interface PathFacts {
  readonly paths: readonly PathFact[]
  /** Why some text cannot be said to lead anywhere in particular; then the call is outside. */
  readonly unknown: string | undefined
}

/** What a command adds to the paths of a call. */
export interface CommandPaths {
  /** Words that may hold a path. */
  readonly words: readonly string[]
  /** Redirection targets and assigned values. */
  readonly targets: readonly string[]
  /** Words that start a program. */
  readonly programs: readonly string[]
  /** Folders the command changes to before it looks at other words. */
  readonly folders: readonly string[]
  /** The program that reads names of files from somewhere else, if one does. */
  readonly hidden: string | undefined
}

const mostPaths = 20_000
const longestPath = 4_096
const mostBases = 32

/** Bounds the time a command can make us look at the file system; arguments have their share each. */
const stepsOfCommands = 6_000
const stepsOfArgument = 100

export function collectPaths(
  texts: readonly ArgumentText[],
  commands: readonly CommandPaths[],
  readVariable: (name: string) => string | undefined,
): PathFacts {
  const collector = new PathCollector({ home: () => readVariable('HOME') ?? homeFolder(), readVariable })
  collector.allow(texts.length)
  for (const { text, role } of texts) if (role === 'working-folder') collector.enter(text)
  for (const { text, role } of texts) {
    if (role === 'path') collector.addList(text)
    else if (role !== 'content' && role !== 'command') {
      const certainty = certaintyOf(text, role)
      if (certainty !== undefined) collector.add(text, certainty)
    }
  }
  for (const command of commands) collector.addCommand(command)
  return collector
}

/** Whether a text that no key calls a path is one all the same; undefined when it is surely none. */
function certaintyOf(text: string, role: ArgumentText['role']): PathFact['certainty'] | undefined {
  if (role === 'script') return looksLikePath(text) && !/\s/.test(text) ? 'sure' : undefined
  if (startsLikePath(text)) return 'sure'
  // Text of several lines, or longer than any path, may well speak of `../` without being a path.
  if (text.length > longestPath || /[\r\n]/.test(text)) return undefined
  if (looksLikePath(text)) return 'sure'
  return role === 'host' ? undefined : 'possible'
}

/** Whether a path may lead into one of the folders. What is only possibly a path counts. */
export function leadsInto(paths: readonly PathFact[], folders: readonly Boundary[]): boolean {
  return paths.some(
    ({ places, pattern }) =>
      folders.some((folder) => places.some((place) => folder.contains(place))) ||
      (pattern !== undefined && folders.some(({ folder }) => couldName(pattern, folder))),
  )
}

/** Whether a path may lead to where none of the folders is. What is only possibly a path does not count. */
export function leadsOutOf(
  paths: readonly PathFact[],
  folders: readonly Boundary[],
  allowedPrograms?: ReadonlySet<string>,
): boolean {
  return paths.some(({ places, certainty, program }) => {
    if (certainty === 'possible') return false
    if (program !== undefined && allowedPrograms?.has(program) === true) return false
    return !places.every((place) => folders.some((folder) => folder.contains(place)))
  })
}

class PathCollector implements PathFacts {
  readonly paths: PathFact[] = []
  unknown: string | undefined
  readonly #resolver = new PathResolver(stepsOfCommands)
  readonly #expansions: Expansions
  /** Texts that were added, and as what. */
  readonly #seen = new Map<string, number>()
  /** Where relative paths start; every path has to be inside from each of them. */
  #bases: readonly string[]

  constructor(expansions: Expansions) {
    this.#expansions = expansions
    const folder = workingFolder()
    this.#bases = folder === undefined ? [] : [folder]
  }

  /** Every argument has a share of time of its own, so that a long list of files is not refused. */
  allow(texts: number): void {
    this.#resolver.allow(texts * stepsOfArgument)
  }

  /** The call names its own working folder: it is a path itself, and the others start there. */
  enter(folder: string): void {
    const entered = this.#placesOf(folder)
    if (entered === undefined) this.#refuse(folder)
    else this.#bases = entered
  }

  add(text: string, certainty: 'sure' | 'possible', program?: string): void {
    if (text === '' || isRemote(text)) return
    if (text.length > longestPath) {
      if (certainty === 'sure') this.#refuse(text)
      return
    }
    if (
      !this.#isNew(text, certainty === 'possible' ? asPossible : program === undefined ? asSure : asProgram)
    )
      return
    const places = this.#placesOf(text)
    if (places === undefined) {
      if (certainty === 'sure' || text.includes('\0') || this.#resolver.isExhausted) this.#refuse(text)
      return
    }
    if (this.paths.length >= mostPaths) this.#refuse(text)
    const path: PathFact = {
      text,
      places: comparablePaths(places),
      certainty: certainty === 'sure' || this.#isThere(text) ? 'sure' : 'possible',
    }
    this.paths.push(program === undefined ? path : { ...path, program })
  }

  #isNew(text: string, as: number): boolean {
    const seen = this.#seen.get(text) ?? 0
    if ((seen & as) !== 0) return false
    this.#seen.set(text, seen | as)
    return true
  }

  /** The text as one path, and every path in it when it is a list of them. */
  addList(text: string): void {
    this.add(text, 'sure')
    if (text.length > longestPath || !/[,;:|\s]/.test(text) || isRemote(text)) return
    let parts = 0
    for (const { index } of text.matchAll(/(?<=[,;:|\s])(?:[/~]|\.{1,2}\/|file:)/gi)) {
      if (text.startsWith('//', index) && text[index - 1] === ':') continue
      if (++parts > mostParts) this.#refuse(text)
      else this.add(text.slice(index), 'sure')
    }
  }

  addCommand({ words, targets, programs, folders, hidden }: CommandPaths): void {
    if (hidden !== undefined) this.unknown ??= `${hidden} reads names of files that the call does not show`
    const outer = this.#bases
    for (const folder of folders) {
      const entered = this.#bases.length > mostBases ? undefined : this.#placesOf(folder)
      if (entered === undefined) {
        this.#refuse(folder)
        break
      }
      this.#bases = [...new Set([...this.#bases, ...entered])]
    }
    // A bare name is looked up on the search path, not in the folder.
    for (const program of programs) if (program.includes('/')) this.add(program, 'sure', program)
    for (const word of distinctWords(words)) this.#addWord(word)
    for (const target of distinctWords(targets)) {
      this.#addWord(target)
      // A redirection creates the file, so it need not be there to count; `1` is rather a value than a file.
      if (/^[\w-]*\.[\w.-]*$/.test(target)) this.add(target, 'sure')
    }
    this.#bases = outer
  }

  #addWord(written: string): void {
    if (this.#resolver.isExhausted) {
      this.#refuse(written)
      return
    }
    // What follows the host of a URL is no path here, whatever it expands to.
    if (isRemote(written)) return
    const word = readWord(written, (expansion, rest) => this.#valueOf(expansion, rest))
    const parts = word === undefined ? undefined : pathsInWord(word.text)
    if (word === undefined || parts === undefined) this.#refuse(written)
    else for (const part of parts) this.#addPart(part, word.isPattern)
  }

  /** Only what a line cannot turn into something unseen: its own home and folder, and numbers. */
  #valueOf(expansion: string, rest: string): string | undefined {
    if (expansion === '$HOME' || expansion === '${HOME}') return this.#expansions.home()
    if (/^\$(?:[?#$!]|\{[?#$!]\}|\(\([\d+*/% ()-]*\)\))$/.test(expansion)) return '0'
    // Names that `find` puts in lie below where it starts, and that is a word of its own.
    if (expansion === '{}') return '.'
    const isFolder = (expansion === '$PWD' || expansion === '${PWD}') && /^(?:\/|$)/.test(rest)
    return isFolder ? this.#bases[0] : undefined
  }

  #addPart(text: string, isPattern: boolean): void {
    if (harmlessDevices.has(text)) {
      this.add(text, 'possible')
      return
    }
    this.add(text, looksLikePath(text) ? 'sure' : 'possible')
    if (!isPattern || text.length > longestPath) return
    for (const form of pathForms(text, this.#expansions) ?? []) {
      for (const base of form.startsWith('/') ? ['/'] : this.#bases) this.#addGlob(form, base)
    }
  }

  #addGlob(pattern: string, base: string): void {
    if (!this.#isNew(`${base} ${pattern}`, asPattern)) return
    const places = expandGlob(pattern, base, this.#resolver)
    if (places === undefined) {
      this.#refuse(pattern)
      return
    }
    this.paths.push({
      text: pattern,
      places: comparablePaths(places),
      certainty: 'sure',
      pattern: comparablePath(collapsePath(pattern, base)),
    })
  }

  #placesOf(text: string): readonly string[] | undefined {
    const forms = pathForms(text, this.#expansions)
    if (forms === undefined) return undefined
    const [only = ''] = forms
    if (forms.length === 1 && this.#bases.length === 1 && !only.includes('..')) {
      const place = this.#resolver.resolve(only, this.#bases[0] ?? '/')
      return place === undefined ? undefined : [place]
    }
    const places = new Set<string>()
    for (const form of forms) {
      const bases = form.startsWith('/') ? ['/'] : this.#bases
      if (bases.length === 0) return undefined
      for (const base of bases) {
        const place = this.#resolver.resolve(form, base)
        if (place === undefined) return undefined
        places.add(place)
        if (!form.includes('..')) continue
        // Some programs remove `..` from the text before the kernel sees the path.
        const collapsed = this.#resolver.resolve(collapsePath(form, base), '/')
        if (collapsed === undefined) return undefined
        places.add(collapsed)
      }
    }
    return [...places]
  }

  /** Whether the first name of a relative path exists. */
  #isThere(text: string): boolean {
    const slash = text.indexOf('/')
    const first = slash === -1 ? text : text.slice(0, slash)
    if (first === '' || first.includes('\0')) return false
    return this.#bases.some((base) => {
      const { kind } = this.#resolver.inspect(base === '/' ? `/${first}` : `${base}/${first}`)
      return kind !== 'missing'
    })
  }

  #refuse(text: string): void {
    const shown = JSON.stringify(text.replaceAll('\0', '').slice(0, 100))
    this.unknown ??= `nobody can say where ${shown} leads`
  }
}

const asSure = 1
const asPossible = 2
const asProgram = 4
const asPattern = 8

const harmlessDevices: ReadonlySet<string> = new Set([
  '/dev/null',
  '/dev/stdin',
  '/dev/stdout',
  '/dev/stderr',
])

/** A text that starts like a path, or climbs like one, whatever argument it stands in. */
function looksLikePath(text: string): boolean {
  return (
    startsLikePath(text) ||
    /[/\\]\.\.(?:[/\\]|\s*$)|%(?:25)*(?:2e|2f|5c|00|c0|e0)|\0/i.test(text) ||
    looksDisguised(text)
  )
}

function startsLikePath(text: string): boolean {
  return /^\s*(?:[/\\~]|\.{1,2}(?:[/\\]|\s*$)|\$\{?\w+\}?[/\\]|[a-zA-Z]:[\\/](?![\\/])|file:)/i.test(text)
}

/** Dots and slashes of other scripts, and characters that vanish. */
function looksDisguised(text: string): boolean {
  return /[\u2024\u2025\u2044\u2215\u29f8\uff0e\uff0f]|\.[\u00ad\u200b-\u200d\u2060\ufeff]+\./.test(text)
}

/** A URL of another scheme than `file:` names a host, not a path; unless it climbs, for then it also is a path. */
function isRemote(text: string): boolean {
  return /^\s*[a-z][a-z0-9+.-]{1,64}:\/\//i.test(text) && !/^\s*file:|\.\.[/\\]|%(?:25)*2e/i.test(text)
}

const mostParts = 64

/** The word, and what follows an option letter or one of the signs programs put before a path; undefined for too many. */
function pathsInWord(word: string): readonly string[] | undefined {
  if (isRemote(word)) return []
  const parts: string[] = word.startsWith('-') ? [] : [word]
  if (/^-[A-Za-z]./.test(word)) {
    parts.push(word.slice(2))
    const glued = /^-[A-Za-z0-9]+?((?:[/~]|\.{1,2}\/|\.\.$).*)$/s.exec(word)
    if (glued?.[1] !== undefined) parts.push(glued[1])
  }
  if (!/[=@:,<]/.test(word)) return parts
  for (const sign of word.matchAll(/[=@:,<]/g)) {
    const start = sign.index + 1
    const head = word.slice(start, start + 80)
    if (isRemote(head)) break
    if (sign[0] === ':' && head.startsWith('//')) continue
    const startsValue = sign.index === 0 || word[sign.index - 1] === '='
    const isValue = sign[0] === '=' || ((sign[0] === '@' || sign[0] === '<') && startsValue)
    if (!startsLikePath(head) && !isValue) continue
    if (parts.length > mostParts) return undefined
    parts.push(word.slice(start))
  }
  return parts
}
