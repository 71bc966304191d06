// The call a command is asked about, as options.
import type { EvaluateCall } from '../guard/call-judge.js'
import type { PrincipalInput } from '../guard/principal.js'
import { messageOf } from '../internal/message-of.js'
import { type CommandOption, type OptionValues, UsageError } from './command.js'

export const environmentOption: CommandOption = { value: 'NAME', summary: 'The environment contracts see.' }

export const principalOptions = {
  'principal-user': { value: 'ID', summary: 'The user calls are made for.' },
  'principal-role': { value: 'ROLE', summary: 'The role of that user.' },
  'principal-ticket': { value: 'REF', summary: 'The ticket calls are made for.' },
} satisfies Record<string, CommandOption>

export const callOptions = {
  tool: { value: 'NAME', summary: 'The tool that is called.' },
  args: { value: 'JSON', summary: 'Its arguments, as a JSON object.' },
  output: { value: 'TEXT', summary: 'What the tool returned, to have postconditions judged too.' },
  environment: environmentOption,
  ...principalOptions,
} satisfies Record<string, CommandOption>

/** @throws UsageError */
export function readCall(options: OptionValues, command: string): EvaluateCall & { readonly args: object } {
  const tool = options.text('tool')
  const args = options.text('args')
  if (tool === undefined || tool === '') throw new UsageError(`${command} needs --tool NAME`)
  if (args === undefined) throw new UsageError(`${command} needs --args JSON, for example --args '{}'`)
  const output = options.text('output')
  const environment = options.text('environment')
  const principal = readPrincipalOptions(options)
  return {
    tool,
    args: readArgs(args),
    ...(output === undefined ? {} : { output }),
    ...(environment === undefined ? {} : { environment }),
    ...(principal === undefined ? {} : { principal }),
  }
}

function readArgs(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`--args is not JSON: ${messageOf(error)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError('--args must be a JSON object, for example \'{"path": "README.md"}\'')
  return value as Readonly<Record<string, unknown>>
}

/** Undefined when none of the options is given. */
export function readPrincipalOptions(options: OptionValues): PrincipalInput | undefined {
  const userId = options.text('principal-user')
  const role = options.text('principal-role')
  const ticketRef = options.text('principal-ticket')
  if (userId === undefined && role === undefined && ticketRef === undefined) return undefined
  return {
    ...(userId === undefined ? {} : { userId }),
    ...(role === undefined ? {} : { role }),
    ...(ticketRef === undefined ? {} : { ticketRef }),
  }
}
