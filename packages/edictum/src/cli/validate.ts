// `edictum validate`: whether bundles can be understood, one by one and together.
import { resolve } from 'node:path'
import type { ContractBundle } from '../contracts/bundle.js'
import { composeBundles, type CompositionReport } from '../contracts/compose.js'
import { EdictumConfigError } from '../contracts/config-error.js'
import type { Diagnostic } from '../contracts/diagnostic.js'
import { loadBundle } from '../contracts/load.js'
import { readExtensions } from '../guard/extensions.js'
import { compileBundle } from '../policy/policy.js'
import { RedactionPolicy } from '../policy/redaction/redaction-policy.js'
import { type Command, UsageError } from './command.js'
import { compositionToJson, describeComposition } from './composition.js'
import { paint, type Terminal } from './terminal.js'

interface Refusal {
  readonly error: string
  readonly diagnostics: readonly Diagnostic[]
}

type Loaded<Part> =
  { readonly ok: true; readonly part: Part } | { readonly ok: false; readonly refusal: Refusal }

interface CheckedFile {
  readonly file: string
  readonly loaded: Loaded<ContractBundle>
}

interface Composed {
  readonly bundle: ContractBundle
  readonly report: CompositionReport
}

export const validate: Command = {
  name: 'validate',
  summary: 'Check bundles: each alone, and several as the layers of one.',
  operands: 'FILES…',
  options: { json: { summary: 'Answer in JSON.' } },
  run: ({ operands, options, terminal, folder }) => {
    if (operands.length === 0) throw new UsageError('validate needs at least one file')
    const files = operands.map((file) => ({ file, loaded: load(file, folder) }))
    const composed = files.length > 1 ? compose(files) : undefined
    const isValid = files.every(({ loaded }) => loaded.ok) && composed?.ok !== false
    if (options.isSet('json')) terminal.say(JSON.stringify(toJson(files, composed, isValid), null, 2))
    else tell(terminal, files, composed)
    return isValid ? 0 : 1
  },
}

function load(file: string, folder: string): Loaded<ContractBundle> {
  return attempt(() => compiled(loadBundle(resolve(folder, file), { file }).bundle))
}

/** Undefined when a layer is missing: what the others make together says nothing then. */
function compose(files: readonly CheckedFile[]): Loaded<Composed> | undefined {
  const layers = files.flatMap(({ file, loaded }) => (loaded.ok ? [[loaded.part, file] as const] : []))
  if (layers.length < files.length) return undefined
  return attempt(() => {
    const { bundle, report } = composeBundles(...layers)
    return { bundle: compiled(bundle), report }
  })
}

/** What loads must also compile; nothing is opened or sent, whatever the bundle observes. */
function compiled(bundle: ContractBundle): ContractBundle {
  compileBundle(bundle, { extensions: readExtensions({}), redaction: new RedactionPolicy() })
  return bundle
}

function attempt<Part>(work: () => Part): Loaded<Part> {
  try {
    return { ok: true, part: work() }
  } catch (error) {
    if (!(error instanceof EdictumConfigError)) throw error
    return { ok: false, refusal: { error: error.message, diagnostics: error.diagnostics } }
  }
}

function breakdownOf({ contracts }: ContractBundle): Readonly<Record<string, number>> {
  const types = contracts.map(({ type }) => type).toSorted()
  return Object.fromEntries(
    [...new Set(types)].map((type) => [type, types.filter((one) => one === type).length]),
  )
}

function toJson(
  files: readonly CheckedFile[],
  composed: Loaded<Composed> | undefined,
  isValid: boolean,
): object {
  const counted = (bundle: ContractBundle): object => ({
    contracts: bundle.contracts.length,
    breakdown: breakdownOf(bundle),
  })
  return {
    files: files.map(({ file, loaded }) =>
      loaded.ok ? { file, valid: true, ...counted(loaded.part) } : { file, valid: false, ...loaded.refusal },
    ),
    valid: isValid,
    ...(composed === undefined
      ? {}
      : {
          composed: composed.ok
            ? { ...counted(composed.part.bundle), ...compositionToJson(composed.part.report) }
            : composed.refusal,
        }),
  }
}

function tell(
  terminal: Terminal,
  files: readonly CheckedFile[],
  composed: Loaded<Composed> | undefined,
): void {
  for (const { file, loaded } of files) {
    if (loaded.ok) terminal.say(`${paint(terminal, 'green', '✓')} ${file}: ${sizeOf(loaded.part)}`)
    else terminal.complain(`${paint(terminal, 'red', '✗')} ${loaded.refusal.error}`)
  }
  if (composed === undefined) return
  if (!composed.ok) {
    terminal.complain(`${paint(terminal, 'red', '✗')} together: ${composed.refusal.error}`)
    return
  }
  const { bundle, report } = composed.part
  terminal.say(`${paint(terminal, 'green', '✓')} together: ${sizeOf(bundle)}`)
  for (const line of describeComposition(report)) terminal.say(`  ${line}`)
}

function sizeOf(bundle: ContractBundle): string {
  const { length } = bundle.contracts
  const parts = Object.entries(breakdownOf(bundle)).map(([type, count]) => `${count} ${type}`)
  return `${length} contract${length === 1 ? '' : 's'} (${parts.join(', ')})`
}
