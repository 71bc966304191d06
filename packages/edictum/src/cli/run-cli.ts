// From the words of a command line to the exit code: finds the command, reads its options, and says what is wrong with them.
import { parseArgs } from 'node:util'
import { EdictumConfigError } from '../contracts/config-error.js'
import { closestWord } from '../internal/closest-word.js'
import { messageOf } from '../internal/message-of.js'
import { type Command, CommandFailure, type ExitCode, OptionValues, UsageError } from './command.js'
import { commands } from './commands.js'
import { helpOf, helpOfAll, helpOption } from './help.js'
import { type Input, noInput } from './input.js'
import { paint, type Terminal } from './terminal.js'

export interface Surroundings {
  readonly terminal: Terminal
  /** What is typed or piped in; nothing, if it is left out. */
  readonly input?: Input
  readonly folder: string
}

export async function runCli(words: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { terminal } = surroundings
  try {
    return await run(words, surroundings)
  } catch (error) {
    const isUsage = error instanceof UsageError
    const isExpected = isUsage || error instanceof EdictumConfigError || error instanceof CommandFailure
    if (wantsJson(words)) terminal.say(JSON.stringify(errorToJson(error), null, 2))
    terminal.complain(`${paint(terminal, 'red', 'error')}: ${messageOf(error)}`)
    if (!isExpected && error instanceof Error && error.stack !== undefined) terminal.complain(error.stack)
    return isUsage ? 2 : 1
  }
}

/** Also of a command line that makes no sense: whoever asked for JSON reads nothing else. */
function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  const own = end === -1 ? words : words.slice(0, end)
  const command = commands.find(({ name }) => name === own[0])
  return own.includes('--json') && (command === undefined || Object.hasOwn(command.options, 'json'))
}

function errorToJson(error: unknown): object {
  return {
    error: messageOf(error),
    ...(error instanceof EdictumConfigError ? { diagnostics: error.diagnostics } : {}),
  }
}

async function run(
  words: readonly string[],
  { terminal, folder, input = noInput }: Surroundings,
): Promise<ExitCode> {
  const [first, ...rest] = words
  if (first === undefined) {
    terminal.complain(helpOfAll(commands))
    return 2
  }
  if (first === 'help' || first === '--help' || first === '-h') {
    terminal.say(rest[0] === undefined ? helpOfAll(commands) : helpOf(commandCalled(rest[0])))
    return 0
  }
  const command = commandCalled(first === '--version' || first === '-v' ? 'version' : first)
  const { operands, program, values } = read(command, rest)
  if (values['help'] === true) {
    terminal.say(helpOf(command))
    return 0
  }
  const [stray] = operands
  // A command that starts a program says itself where that belongs.
  if (command.operands === '' && stray !== undefined && command.startsProgram === undefined)
    throw new UsageError(`${command.name} takes only options, not \`${stray}\``)
  return command.run({ operands, program, options: new OptionValues(values), terminal, input, folder })
}

function commandCalled(name: string): Command {
  const command = commands.find((candidate) => candidate.name === name)
  if (command !== undefined) return command
  const names = [...commands.map((candidate) => candidate.name), 'help']
  const meant = closestWord(name, names)
  throw new UsageError(
    `there is no command \`${name}\`; ${meant === undefined ? `use one of ${names.join(', ')}` : `did you mean \`${meant}\`?`}`,
  )
}

function read(
  command: Command,
  words: readonly string[],
): {
  readonly operands: readonly string[]
  readonly program: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
} {
  const end = words.indexOf('--')
  const [own, after] = end === -1 ? [words, []] : [words.slice(0, end), words.slice(end + 1)]
  const described = { ...command.options, help: helpOption }
  const options = Object.fromEntries(
    Object.entries(described).map(([name, { value, isRepeatable }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: isRepeatable === true,
        ...(name === 'help' ? { short: 'h' } : {}),
      },
    ]),
  )
  const unknown = own.find((word) => /^--[^=]/.test(word) && !Object.hasOwn(options, nameOf(word)))
  if (unknown !== undefined) {
    const meant = closestWord(nameOf(unknown), Object.keys(options))
    const way = meant === undefined ? `see \`edictum help ${command.name}\`` : `did you mean \`--${meant}\`?`
    throw new UsageError(`${command.name} has no option \`--${nameOf(unknown)}\`; ${way}`)
  }
  try {
    const { values, positionals } = parseArgs({ args: [...own], options, allowPositionals: true })
    return command.startsProgram === true
      ? { operands: positionals, program: after, values }
      : { operands: [...positionals, ...after], program: [], values }
  } catch (error) {
    throw new UsageError(`${messageOf(error)} (see \`edictum help ${command.name}\`)`)
  }
}

function nameOf(word: string): string {
  return word.slice(2).split('=', 1)[0] ?? ''
}
