// A guard that only judges: nothing is opened, sent or written, whatever its bundle observes.
import type { ContractBundle } from '../contracts/bundle.js'
import { composeBundles, composePolicyVersion } from '../contracts/compose.js'
import type { LoadedBundle } from '../contracts/load.js'
import { Edictum, type EdictumOptions } from '../edictum.js'

export interface BundleLayer extends LoadedBundle {
  readonly file: string
}

export interface JudgingGuard {
  readonly guard: Edictum
  readonly bundle: ContractBundle
}

/** Of one bundle, or of the layers of one. @throws EdictumConfigError when they do not go together */
export function openJudgingGuard(
  layers: readonly BundleLayer[],
  options: Pick<EdictumOptions, 'environment'> = {},
): JudgingGuard {
  const { bundle } = composeBundles(...layers.map((layer) => [layer.bundle, layer.file] as const))
  const policyVersion = composePolicyVersion(layers.map((layer) => layer.policyVersion))
  const guard = new Edictum(options, { bundle: { ...bundle, observability: {} }, policyVersion })
  return { guard, bundle }
}
