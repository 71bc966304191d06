// `edictum templates`: the bundles one can start from.
import { readFileSync } from 'node:fs'
import { loadBundle } from '../contracts/load.js'
import { findTemplate, listTemplates } from '../contracts/templates.js'
import { type Command, type Invocation, UsageError } from './command.js'
import { columns, counted } from './layout.js'
import { paint } from './terminal.js'

export const templates: Command = {
  name: 'templates',
  summary: 'List the bundles one can start from, or show one.',
  operands: '[NAME]',
  options: { json: { summary: 'Answer in JSON.' } },
  run: (invocation) => {
    const [name, ...more] = invocation.operands
    if (more.length > 0) throw new UsageError('templates shows one template at a time')
    if (name === undefined) list(invocation)
    else show(invocation, name)
    return 0
  },
}

function list({ terminal, options }: Invocation): void {
  const found = listTemplates().map(({ name, path }) => {
    const { bundle } = loadBundle(path)
    const { metadata, defaults, contracts } = bundle
    return { name, description: metadata.description ?? '', mode: defaults.mode, contracts: contracts.length }
  })
  if (options.isSet('json')) {
    terminal.say(JSON.stringify(found, null, 2))
    return
  }
  const rows = found.map(
    ({ name, description, mode, contracts }) =>
      [name, `${description} ${counted(contracts, 'contract')}, ${mode} mode.`] as const,
  )
  for (const line of columns(rows)) terminal.say(line)
  terminal.say(
    `\n${paint(terminal, 'dim', 'edictum templates NAME shows one, edictum init --template NAME copies it')}`,
  )
}

function show({ terminal, options }: Invocation, name: string): void {
  const text = readFileSync(findTemplate(name), 'utf8')
  terminal.say(options.isSet('json') ? JSON.stringify({ name, text }, null, 2) : text.trimEnd())
}
