// Programs that users describe, so that contracts see through their wrapper scripts. Checked before anything is loaded.
import { EdictumConfigError } from '../contracts/config-error.js'
import {
  analyseCommand,
  type CommandAnalyser,
  createCommandAnalyser,
} from '../policy/sandbox/commands/command-line.js'
import type { ExecOption } from '../policy/sandbox/commands/exec-options.js'
import { hasOwnReader } from '../policy/sandbox/commands/started-commands.js'
import { type Wrapper, WRAPPERS } from '../policy/sandbox/commands/wrappers.js'

/** How a program starts other programs. */
export interface ProgramDescription {
  /** What follows its options is another command: the words of one (`argv`), or text for a shell (`shell`). */
  readonly wraps?: 'argv' | 'shell'
  /** Options of a wrapper that have no value. */
  readonly flags?: readonly string[]
  /** Options of a wrapper that have a value, in the same word or the next one. */
  readonly valued?: readonly string[]
  /** How many words of a wrapper stand between its options and the command. @default 0 */
  readonly skip?: number
  /**
   * Options that start something. `shell`: the value is text for a shell. `argv`: all words that follow are a command.
   * `unseen`: code that is not in the line, listed as `program option`.
   */
  readonly starts?: Readonly<Record<string, 'shell' | 'argv' | 'unseen'>>
}

/** Name of a program, without folder → how it starts others. */
export type ProgramOptions = Readonly<Record<string, ProgramDescription>>

/** @throws EdictumConfigError for a description that cannot be understood. */
export function readProgramOptions(given: ProgramOptions = {}): CommandAnalyser {
  const names = Object.keys(given)
  // Guards that add nothing share what they have read before.
  if (names.length === 0) return analyseCommand
  const wrappers: Wrapper[] = []
  const execOptions: ExecOption[] = []
  for (const name of names) {
    const program = new DescribedProgram(name, given[name])
    wrappers.push(...program.wrappers())
    execOptions.push(...program.execOptions())
  }
  return createCommandAnalyser({ wrappers, execOptions })
}

const fields = new Set(['wraps', 'flags', 'valued', 'skip', 'starts'])
const source = 'the option `programs` of the guard'

class DescribedProgram {
  readonly #name: string
  readonly #description: ProgramDescription
  readonly #known: Wrapper | undefined

  constructor(name: string, description: unknown) {
    this.#name = name
    this.#known = WRAPPERS.find(({ programs }) => programs.includes(name))
    if (!/^[^\s/\\]+$/.test(name)) this.#fail('the name of a program has no folder and no blanks in it')
    if (typeof description !== 'object' || description === null) this.#fail('a description must be a mapping')
    const unknown = Object.keys(description).find((field) => !fields.has(field))
    if (unknown !== undefined) this.#fail(`there is no field \`${unknown}\``, `use ${[...fields].join(', ')}`)
    this.#description = description
    this.#check()
  }

  wrappers(): readonly Wrapper[] {
    const { wraps, flags = [], valued = [], skip } = this.#description
    if (wraps === undefined && flags.length === 0 && valued.length === 0) return []
    const texts = Object.entries(this.#description.starts ?? {}).filter(([, runs]) => runs === 'shell')
    const known = this.#known
    return [
      {
        ...(known ?? { source, ...(wraps === undefined ? {} : { runs: wraps }) }),
        ...(skip === undefined ? {} : { skip }),
        programs: [this.#name],
        flags: [...listed(known?.flags), ...flags].join(' '),
        valued: [...listed(known?.valued), ...valued, ...texts.map(([option]) => option)].join(' '),
      },
    ]
  }

  execOptions(): readonly ExecOption[] {
    return Object.entries(this.#description.starts ?? {}).map(([option, runs]) => ({
      programs: [this.#name],
      options: [option],
      runs,
      ...(runs === 'argv' ? { value: 'rest' as const } : {}),
      source,
    }))
  }

  #check(): void {
    const { wraps, flags = [], valued = [], skip, starts = {} } = this.#description
    if (wraps !== undefined && wraps !== 'argv' && wraps !== 'shell')
      this.#fail(`\`wraps\` cannot be ${String(wraps)}`, 'use argv or shell')
    if (skip !== undefined && !(Number.isInteger(skip) && skip >= 0))
      this.#fail('`skip` must be a whole number, 0 or more')
    this.#checkOptions('flags', flags)
    this.#checkOptions('valued', valued)
    this.#checkOptions('starts', Object.keys(starts))
    for (const [option, runs] of Object.entries(starts)) {
      if (runs !== 'shell' && runs !== 'argv' && runs !== 'unseen')
        this.#fail(`\`starts\` cannot say ${String(runs)} of ${option}`, 'use shell, argv or unseen')
    }
    this.#checkArity(flags, valued)
    if (this.#known !== undefined || hasOwnReader(this.#name)) {
      if (wraps !== undefined || skip !== undefined)
        this.#fail(
          'how it starts a command is built in',
          'give `flags` and `valued` for options of a wrapper that are missing, or `starts`',
        )
      if (this.#known === undefined && flags.length + valued.length > 0)
        this.#fail('its options are built in', 'give `starts` for options that start something')
    } else if (wraps === undefined && (flags.length > 0 || valued.length > 0 || skip !== undefined))
      this.#fail(
        '`flags`, `valued` and `skip` are about a wrapper',
        'say what it wraps: `wraps: argv` or `wraps: shell`',
      )
    if (Object.keys(this.#description).length === 0) this.#fail('a description must say something')
  }

  #checkOptions(field: string, options: readonly string[]): void {
    if (!Array.isArray(options)) this.#fail(`\`${field}\` must be a list of options`)
    const wrong = options.find(
      (option) => typeof option !== 'string' || !/^--?[A-Za-z0-9][\w-]*$/.test(option),
    )
    if (wrong !== undefined)
      this.#fail(
        `${JSON.stringify(wrong)} in \`${field}\` is not an option`,
        'options look like -f or --file',
      )
  }

  /** An option taken for a flag although it has a value would make the value pass for the command. */
  #checkArity(flags: readonly string[], valued: readonly string[]): void {
    const known = this.#known
    const all = new Set([...valued, ...listed(known?.valued)])
    const both = [...flags, ...listed(known?.flags)].find((flag) => all.has(flag.replace('…', '')))
    if (both !== undefined) this.#fail(`${both} cannot both have a value and have none`)
  }

  #fail(problem: string, hint?: string): never {
    throw EdictumConfigError.of('invalid-option', `programs.${this.#name}: ${problem}`, hint)
  }
}

function listed(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split(' ')
}
