// A guard that only judges: contracts from files, nothing opened, sent or written, whatever the bundle observes.
import type { ContractBundle } from '../contracts/bundle.js'
import { composeBundles, composePolicyVersion } from '../contracts/compose.js'
import { loadBundleString, type LoadedBundle } from '../contracts/load.js'
import { Edictum } from '../edictum.js'
import { type Invocation, UsageError } from './command.js'
import { readGiven } from './files.js'

export interface JudgingGuard {
  readonly guard: Edictum
  readonly bundle: ContractBundle
}

/** From the operands of a command: one file, or the layers of one bundle. @throws EdictumConfigError, UsageError */
export async function judgingGuard(invocation: Invocation, command: string): Promise<JudgingGuard> {
  const { operands } = invocation
  if (operands.length === 0) throw new UsageError(`${command} needs a file with contracts`)
  const layers = await loadFiles(operands, invocation)
  const { bundle } = composeBundles(...layers.map((layer) => [layer.bundle, layer.file] as const))
  const policyVersion = composePolicyVersion(layers.map((layer) => layer.policyVersion))
  const environment = invocation.options.text('environment')
  const guard = new Edictum(environment === undefined ? {} : { environment }, {
    bundle: { ...bundle, observability: {} },
    policyVersion,
  })
  return { guard, bundle }
}

export interface LoadedFile extends LoadedBundle {
  readonly file: string
}

export async function loadFiles(
  files: readonly string[],
  invocation: Invocation,
): Promise<readonly LoadedFile[]> {
  const loaded: LoadedFile[] = []
  for (const file of files) {
    const { name, bytes } = await readGiven(file, invocation)
    loaded.push({ file: name, ...loadBundleString(bytes, { file: name }) })
  }
  return loaded
}
