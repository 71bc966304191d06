// Lists every command a command line would start, or says that the line does not show it.
import type { ExecOption } from './exec-options.js'
import type { SimpleCommand } from './invocation.js'
import { ShellWalk } from './shell-walk.js'
import { buildProgramTable, type ProgramTable } from './started-commands.js'
import type { Wrapper } from './wrappers.js'

export type { SimpleCommand } from './invocation.js'

export type CommandAnalysis =
  | {
      readonly kind: 'understood'
      readonly commands: readonly SimpleCommand[]
      readonly words: readonly string[]
    }
  /** The words that were seen anyway are for the path and host rules. */
  | { readonly kind: 'unresolvable'; readonly reason: string; readonly words: readonly string[] }

export type CommandAnalyser = (command: string | readonly string[]) => CommandAnalysis

export interface CommandAnalyserOptions {
  /** Added to the known options that start programs. */
  readonly execOptions?: readonly ExecOption[]
  /** Added to the known wrappers; one of the same name replaces it. */
  readonly wrappers?: readonly Wrapper[]
}

const MOST_BYTES = 100 * 1024
// Agents repeat short lines. A command may hold a secret, so little is kept, and only until other lines take its place.
const CACHE_ENTRIES = 256
const GENERATION_ENTRIES = CACHE_ENTRIES / 2
const CACHED_LENGTH = 512

export function createCommandAnalyser(options: CommandAnalyserOptions = {}): CommandAnalyser {
  const table = buildProgramTable(options)
  // Two generations: what was not asked for while the younger one filled goes with the older one. Unlike an order of last
  // use, that costs nothing to keep up.
  let younger = new Map<string, CommandAnalysis>()
  let older = new Map<string, CommandAnalysis>()
  return (command) => {
    if (typeof command !== 'string') return analyseWords(command, table)
    if (command.length > CACHED_LENGTH) return analyseText(command, table)
    const known = younger.get(command)
    if (known !== undefined) return known
    const analysis = older.get(command) ?? analyseText(command, table)
    if (younger.size >= GENERATION_ENTRIES) {
      older = younger
      younger = new Map()
    }
    younger.set(command, analysis)
    return analysis
  }
}

export const analyseCommand: CommandAnalyser = createCommandAnalyser()

function analyseText(text: string, table: ProgramTable): CommandAnalysis {
  const problem = refuseText(text)
  if (problem !== undefined) return unresolvable(problem, text.length > MOST_BYTES ? [] : plainWords(text))
  const walk = new ShellWalk(table)
  walk.readText(text, 'direct')
  return finish(walk)
}

function analyseWords(words: readonly string[], table: ProgramTable): CommandAnalysis {
  if (words.some((word) => typeof word !== 'string'))
    return unresolvable('a word of the command is not text', [])
  const text = words.join(' ')
  const problem = text.length > MOST_BYTES ? refuseText(text) : text.includes('\u0000') ? CONTROL : undefined
  if (problem !== undefined) return unresolvable(problem, words)
  const walk = new ShellWalk(table)
  walk.readWords(words, 'direct')
  return finish(walk)
}

function finish(walk: ShellWalk): CommandAnalysis {
  const words = Object.freeze(walk.words)
  if (walk.refusal !== undefined) return Object.freeze({ kind: 'unresolvable', reason: walk.refusal, words })
  return Object.freeze({ kind: 'understood', commands: Object.freeze(walk.commands), words })
}

const CONTROL = 'the command holds a control character'

function refuseText(text: string): string | undefined {
  if (text.length > MOST_BYTES) return 'the command is longer than 100 KB'
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  return /[\u0000-\u0008\u000B-\u001F\u007F]/.test(text) ? CONTROL : undefined
}

function unresolvable(reason: string, words: readonly string[]): CommandAnalysis {
  return Object.freeze({ kind: 'unresolvable', reason, words: Object.freeze([...words]) })
}

function plainWords(text: string): readonly string[] {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.split(/[\s\u0000-\u001F\u007F'"();|&<>]+/).filter((word) => word !== '')
}
