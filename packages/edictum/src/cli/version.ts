// `edictum version`: what is installed, for people and for bug reports.
import { VERSION } from '../version.js'
import type { Command } from './command.js'

export const version: Command = {
  name: 'version',
  summary: 'Show the version.',
  operands: '',
  options: { json: { summary: 'Answer in JSON.' } },
  run: ({ options, terminal }) => {
    terminal.say(
      options.isSet('json') ? JSON.stringify({ version: VERSION, node: process.versions.node }) : VERSION,
    )
    return 0
  },
}
