// What a command is: one file, one entry in commands.ts. Reading the command line, help and mistakes are not its business.
import type { Input } from './input.js'
import type { Terminal } from './terminal.js'

export interface Command {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** What follows the name, for example `FILES…`. */
  readonly operands: string
  readonly options: Readonly<Record<string, CommandOption>>
  /** Whether what stands after `--` is a program to start, and not more operands. */
  readonly startsProgram?: true
  run(invocation: Invocation): ExitCode | Promise<ExitCode>
}

export interface CommandOption {
  /** What the value is called in the help; without one the option is a switch. */
  readonly value?: string
  readonly isRepeatable?: true
  readonly summary: string
}

export interface Invocation {
  readonly operands: readonly string[]
  /** The program after `--` with its parameters. */
  readonly program: readonly string[]
  readonly options: OptionValues
  readonly terminal: Terminal
  readonly input: Input
  /** The folder the user is in. */
  readonly folder: string
}

/** Well; the answer is no; the command line makes no sense. */
export type ExitCode = 0 | 1 | 2

/** A command line that makes no sense: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command could not do what it was asked for, for a reason that is no fault of the program: exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
}

export class OptionValues {
  readonly #values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values
  }

  isSet(name: string): boolean {
    return this.#values[name] === true
  }

  text(name: string): string | undefined {
    const value = this.#values[name]
    return typeof value === 'string' ? value : undefined
  }

  list(name: string): readonly string[] {
    const value = this.#values[name]
    return Array.isArray(value) ? (value as readonly string[]) : []
  }
}
