// What the console must know about a text before it becomes a bundle. Runs in a worker: a long text takes a while, and
// agents are waiting.
import { createHash } from 'node:crypto'
import {
  type Contract,
  type Diagnostic,
  EdictumConfigError,
  loadBundleString,
  translateBundle,
  type ContractBundle,
} from 'edictum'
import type { BundleKind, BundleText, ContractSummary } from '../../store/bundles.js'

export interface ExaminedBundle {
  readonly name: string
  readonly kind: BundleKind
  readonly revisionHash: string
  readonly translation: BundleText | null
  readonly contracts: readonly ContractSummary[]
}

export type Examination =
  | { readonly ok: true; readonly bundle: ExaminedBundle }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] }

export function examineBundle(text: string): Examination {
  try {
    const { bundle, policyVersion } = loadBundleString(text)
    const kind: BundleKind = translateBundle(text, 'ContractBundle') === text ? 'ContractBundle' : 'Ruleset'
    const examined = {
      name: bundle.metadata.name,
      kind,
      revisionHash: policyVersion,
      translation: translate(text, kind === 'Ruleset' ? 'ContractBundle' : 'Ruleset'),
      contracts: summarize(bundle),
    }
    return { ok: true, bundle: examined }
  } catch (error) {
    if (error instanceof EdictumConfigError) return { ok: false, diagnostics: error.diagnostics }
    throw error
  }
}

function summarize({ contracts, defaults }: ContractBundle): readonly ContractSummary[] {
  return contracts
    .filter(({ enabled }) => enabled)
    .map((contract) => ({
      id: contract.id,
      type: contract.type,
      tools: toolsOf(contract),
      mode: contract.mode ?? defaults.mode,
    }))
}

function toolsOf(contract: Contract): readonly string[] {
  switch (contract.type) {
    case 'session':
      return []
    case 'sandbox':
      return contract.tools
    case 'pre':
    case 'post':
      return [contract.tool]
  }
}

function translate(text: string, kind: BundleKind): BundleText | null {
  try {
    const content = translateBundle(text, kind)
    return { content, revisionHash: createHash('sha256').update(content).digest('hex') }
  } catch (error) {
    if (error instanceof EdictumConfigError) return null
    throw error
  }
}
