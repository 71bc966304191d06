// What the commands say about themselves, laid out for a terminal.
import type { Command, CommandOption } from './command.js'
import { columns } from './layout.js'

export function helpOfAll(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => [name, summary] as const)
  return [
    'Contracts in YAML decide, outside the model, whether an agent’s tool call runs.',
    '',
    'usage: edictum <command> [options]',
    '',
    ...columns([...rows, ['help', 'Show how a command is used: edictum help validate.']]),
  ].join('\n')
}

export function helpOf({ name, summary, operands, options, startsProgram }: Command): string {
  const rows = Object.entries({ ...options, help: helpOption }).map(
    ([option, { value, isRepeatable, summary: meaning }]) =>
      [
        `--${option}${value === undefined ? '' : ` ${value}`}`,
        isRepeatable === true ? `${meaning} May be given several times.` : meaning,
      ] as const,
  )
  const program = startsProgram === true ? '[-- PROGRAM…]' : ''
  const usage = ['usage: edictum', name, '[options]', operands, program].filter((part) => part !== '')
  return [summary, '', usage.join(' '), '', ...columns(rows)].join('\n')
}

export const helpOption: CommandOption = { summary: 'Show this.' }
