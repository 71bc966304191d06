// `edictum diff`: what changed between two bundles in meaning, and what several make of each other as layers.
import { composeBundles, type CompositionReport } from '../contracts/compose.js'
import { type BundleDiff, diffBundles } from '../contracts/diff.js'
import { type Command, type ExitCode, type Invocation, UsageError } from './command.js'
import { compositionToJson, describeComposition } from './composition.js'
import { loadFiles } from './judging-guard.js'
import { counted, hang } from './layout.js'
import { paint, type Terminal } from './terminal.js'

export const diff: Command = {
  name: 'diff',
  summary: 'Compare bundles by what they mean.',
  operands: 'FILES…',
  options: { json: { summary: 'Answer in JSON.' } },
  run: compare,
}

const nothing: BundleDiff = {
  added: [],
  removed: [],
  changed: [],
  unchanged: [],
  bundleChanges: [],
  hasChanges: false,
}

async function compare(invocation: Invocation): Promise<ExitCode> {
  const { operands, options, terminal } = invocation
  if (operands.length < 2) throw new UsageError('diff needs at least two files')
  const files = await loadFiles(operands, invocation)
  const { report } = composeBundles(...files.map(({ bundle, file }) => [bundle, file] as const))
  const [before, after] = files
  const isPair = files.length === 2 && before !== undefined && after !== undefined
  const difference = isPair ? diffBundles(before.bundle, after.bundle) : nothing
  const hasChanges = isPair
    ? difference.hasChanges
    : report.overriddenContracts.length + report.shadowContracts.length > 0
  if (options.isSet('json')) {
    const { added, removed, changed, unchanged, bundleChanges } = difference
    const answer = {
      added,
      removed,
      changed: changed.map(({ id }) => id),
      unchanged: unchanged.map(({ id }) => id),
      has_changes: hasChanges,
      composition: compositionToJson(report),
      meaning: {
        bundle: bundleChanges,
        contracts: Object.fromEntries(changed.map(({ id, changes }) => [id, changes])),
      },
    }
    terminal.say(JSON.stringify(answer, null, 2))
  } else if (isPair) tell(terminal, difference)
  else tellComposition(terminal, report)
  return hasChanges ? 1 : 0
}

function tell(terminal: Terminal, difference: BundleDiff): void {
  const { added, removed, changed, unchanged, bundleChanges, hasChanges } = difference
  if (!hasChanges) {
    terminal.say(`no difference in meaning (${counted(unchanged.length, 'contract')})`)
    return
  }
  for (const change of bundleChanges) say(terminal, hang('~ ', change))
  for (const { id, type } of added) terminal.say(paint(terminal, 'green', `+ ${id} (${type})`))
  for (const { id, type } of removed) terminal.say(paint(terminal, 'red', `- ${id} (${type})`))
  for (const { id, type, changes } of changed) {
    terminal.say(paint(terminal, 'yellow', `~ ${id} (${type})`))
    for (const change of changes) say(terminal, hang('    ', change))
  }
  terminal.say('')
  terminal.say(
    `${added.length} added, ${removed.length} removed, ${changed.length} changed, ${unchanged.length} unchanged`,
  )
}

function tellComposition(terminal: Terminal, report: CompositionReport): void {
  const lines = describeComposition(report)
  for (const line of lines) say(terminal, hang('  ', line))
  if (lines.length === 0) terminal.say('the layers do not touch each other')
}

function say(terminal: Terminal, lines: readonly string[]): void {
  for (const line of lines) terminal.say(line)
}
