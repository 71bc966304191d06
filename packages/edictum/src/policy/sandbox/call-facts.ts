// What the arguments of one call mean as commands, paths and hosts: worked out once, on demand, for all contracts.
import { collectTexts, type ArgumentTexts, type CommandArgument } from './argument-texts.js'
import type { CommandAnalyser, CommandAnalysis, SimpleCommand } from './commands/command-line.js'
import { collectHosts, type HostFact } from './hosts.js'
import { collectPaths, type CommandPaths, type PathFacts } from './paths.js'
import { pathWordsOf } from './text-arguments.js'

export interface CommandFacts {
  /** Every program that would start. */
  readonly commands: readonly SimpleCommand[]
  /** Why some command cannot be known before it runs; then the call is outside. */
  readonly unknown: string | undefined
  /** Something stands where a command belongs and is none. */
  readonly hasOddValue: boolean
}

export class CallFacts {
  readonly #args: Readonly<Record<string, unknown>>
  readonly #readVariable: (name: string) => string | undefined
  readonly #analyse: CommandAnalyser
  #texts: ArgumentTexts | undefined
  #analyses: readonly CommandAnalysis[] | undefined
  #commands: CommandFacts | undefined
  #scripts: CommandFacts | undefined
  #paths: PathFacts | undefined
  #hosts: readonly HostFact[] | undefined

  constructor(
    args: Readonly<Record<string, unknown>>,
    readVariable: (name: string) => string | undefined,
    analyse: CommandAnalyser,
  ) {
    this.#args = args
    this.#readVariable = readVariable
    this.#analyse = analyse
  }

  get commands(): CommandFacts {
    return (this.#commands ??= summarise(this.#analysed, this.#found.commands))
  }

  /** Commands under keys that may hold programs of another language: only a rule about commands reads them. */
  get scripts(): CommandFacts {
    return (this.#scripts ??= summarise(this.#analyseAll(this.#found.scripts), this.#found.scripts))
  }

  get paths(): PathFacts {
    return (this.#paths ??= collectPaths(
      this.#found.texts,
      this.#analysed.map(commandPaths),
      this.#readVariable,
    ))
  }

  /** Looks at the file system now; without, that happens when a contract first asks. */
  look(): void {
    try {
      void this.paths
    } catch {
      // Every contract that asks will meet the same error by itself and fail closed with it.
    }
  }

  get hosts(): readonly HostFact[] {
    return (this.#hosts ??= collectHosts(
      this.#found.texts,
      this.commands.commands,
      this.#analysed.length === 1
        ? (this.#analysed[0]?.words ?? [])
        : this.#analysed.flatMap(({ words }) => words),
    ))
  }

  get #found(): ArgumentTexts {
    return (this.#texts ??= collectTexts(this.#args))
  }

  get #analysed(): readonly CommandAnalysis[] {
    return (this.#analyses ??= this.#analyseAll(this.#found.commands))
  }

  #analyseAll(commands: readonly CommandArgument[]): readonly CommandAnalysis[] {
    const analyses: CommandAnalysis[] = []
    for (const command of commands) {
      if (command.kind === 'words') analyses.push(this.#analyse(command.words))
      else if (command.kind === 'line' && command.line.trim() !== '')
        analyses.push(this.#analyse(command.line))
    }
    return analyses
  }
}

const nothing: CommandFacts = Object.freeze({
  commands: Object.freeze([]),
  unknown: undefined,
  hasOddValue: false,
})

function summarise(analyses: readonly CommandAnalysis[], written: readonly CommandArgument[]): CommandFacts {
  if (written.length === 0) return nothing
  const [only] = analyses
  // One command is the usual case, and its list can be shared as it is.
  if (analyses.length === 1 && written.length === 1 && only?.kind === 'understood')
    return { commands: only.commands, unknown: undefined, hasOddValue: false }
  const unresolvable = analyses.find((analysis) => analysis.kind === 'unresolvable')
  return {
    commands: analyses.flatMap((analysis) => (analysis.kind === 'understood' ? analysis.commands : [])),
    unknown: unresolvable?.reason,
    hasOddValue: written.some(({ kind }) => kind === 'odd'),
  }
}

function commandPaths(analysis: CommandAnalysis): CommandPaths {
  if (analysis.kind === 'unresolvable')
    return { words: analysis.words, targets: [], programs: [], folders: [], hidden: undefined }
  const { commands } = analysis
  const programs: string[] = []
  const folders: string[] = []
  let hidden: string | undefined
  for (const command of commands) {
    programs.push(command.name)
    addFoldersEntered(command, folders)
    if (hidden === undefined && hidesPaths(command)) hidden = command.name
  }
  return {
    words: pathWordsOf(commands),
    targets: leftWords(analysis.words, commands),
    programs,
    folders,
    hidden,
  }
}

/** Redirection targets and assignments: words that stand in no command. */
function leftWords(words: readonly string[], commands: readonly SimpleCommand[]): readonly string[] {
  const inCommands: string[] = []
  for (const { name, args, via } of commands) {
    if (via !== 'direct') continue
    inCommands.push(name)
    for (const word of args) inCommands.push(word)
  }
  return leftInOrder(words, inCommands) ?? leftByCount(words, inCommands)
}

/** Undefined when the words of the commands do not come in the order of the line: then only counting helps. */
function leftInOrder(words: readonly string[], inCommands: readonly string[]): readonly string[] | undefined {
  const left: string[] = []
  let next = 0
  for (const word of words) {
    if (word === inCommands[next]) next++
    else left.push(word)
  }
  return next === inCommands.length ? left : undefined
}

function leftByCount(words: readonly string[], inCommands: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const word of inCommands) counts.set(word, (counts.get(word) ?? 0) + 1)
  return words.filter((word) => {
    const left = counts.get(word) ?? 0
    if (left > 0) counts.set(word, left - 1)
    return left === 0
  })
}

/** Programs that are handed names of files by a pipe or a list. */
function hidesPaths({ name, args }: SimpleCommand): boolean {
  if (name === 'xargs' || name === 'parallel' || name === 'cpio' || name === 'pax') return true
  return args.some((word) => word.startsWith('--files-from') || (name === 'tar' && word.startsWith('-T')))
}

/** `cd folder`, `tar -C folder`: relative words may start there. */
function addFoldersEntered({ name, args }: SimpleCommand, folders: string[]): void {
  if (name === 'cd' || name === 'pushd') {
    const folder = args.find((word) => !word.startsWith('-'))
    if (folder !== undefined) folders.push(folder)
    return
  }
  for (const [index, word] of args.entries()) {
    if (!word.startsWith('-')) continue
    if (word === '-C' || word === '--directory' || word === '--chdir') folders.push(args[index + 1] ?? '.')
    else if (word.startsWith('-C')) folders.push(word.slice(2))
    else if (/^--(?:directory|chdir|work-tree|prefix)=/.test(word))
      folders.push(word.slice(word.indexOf('=') + 1))
  }
}
