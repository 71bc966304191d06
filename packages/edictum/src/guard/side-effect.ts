// How much a call can change. Decides what a postcondition may still do about its output.
import type { SideEffect, ToolDescriptor } from '../contracts/bundle.js'

/** An explicit class wins, then the command line of `Bash`, then what the tool was declared to be. */
export function classifySideEffect(
  explicit: SideEffect | undefined,
  bashCommand: string | null,
  descriptor: ToolDescriptor | undefined,
): SideEffect {
  if (explicit !== undefined) return explicit
  if (bashCommand !== null) return classifyBashCommand(bashCommand)
  return descriptor?.sideEffect ?? 'irreversible'
}

const composing = /[\n\r<>|;&$`]|#\{/

const readingPrograms = [
  'ls',
  'cat',
  'head',
  'tail',
  'wc',
  'find',
  'grep',
  'rg',
  'git status',
  'git log',
  'git diff',
  'git show',
  'git branch',
  'git remote',
  'git tag',
  'echo',
  'pwd',
  'whoami',
  'date',
  'which',
  'file',
  'stat',
  'du',
  'df',
  'tree',
  'less',
  'more',
] as const

/**
 * A guess for postconditions, not a boundary: a command that composes others counts as irreversible, and of single
 * commands only well-known readers count as reading (`find … -delete` among them).
 */
function classifyBashCommand(command: string): 'read' | 'irreversible' {
  const trimmed = command.trim()
  if (trimmed === '') return 'read'
  if (composing.test(trimmed)) return 'irreversible'
  return readingPrograms.some((program) => trimmed === program || trimmed.startsWith(`${program} `))
    ? 'read'
    : 'irreversible'
}
