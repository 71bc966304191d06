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
  readonly limits: BundleLimits
}

/** What enforced session contracts allow: the lowest of each kind. What none of them sets is absent. */
export interface BundleLimits {
  readonly maxAttempts?: number
  readonly maxToolCalls?: number
  readonly maxCallsPerTool: Readonly<Record<string, number>>
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
      limits: lowestLimits(bundle),
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

function lowestLimits({ contracts, defaults }: ContractBundle): BundleLimits {
  const enforced = contracts.flatMap((contract) =>
    contract.type === 'session' && contract.enabled && (contract.mode ?? defaults.mode) === 'enforce'
      ? [contract.limits]
      : [],
  )
  const maxAttempts = lowest(enforced.flatMap((limits) => limits.maxAttempts ?? []))
  const maxToolCalls = lowest(enforced.flatMap((limits) => limits.maxToolCalls ?? []))
  const perTool = new Map<string, number>()
  for (const { maxCallsPerTool = [] } of enforced)
    for (const [tool, limit] of maxCallsPerTool)
      perTool.set(tool, Math.min(limit, perTool.get(tool) ?? Infinity))
  return {
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
    ...(maxToolCalls === undefined ? {} : { maxToolCalls }),
    maxCallsPerTool: Object.fromEntries(perTool),
  }
}

function lowest(limits: readonly number[]): number | undefined {
  return limits.length === 0 ? undefined : Math.min(...limits)
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
