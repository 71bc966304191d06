// `edictum schema`: the JSON Schema of bundles, for editors and other tools.
import { buildBundleSchema } from '../contracts/schema.js'
import type { Command } from './command.js'

export const schema: Command = {
  name: 'schema',
  summary: 'Print the JSON Schema of bundles.',
  operands: '',
  options: { json: { summary: 'Answer in JSON, which is what it does anyway.' } },
  run: ({ terminal }) => {
    terminal.say(JSON.stringify(buildBundleSchema(), null, 2))
    return 0
  },
}
