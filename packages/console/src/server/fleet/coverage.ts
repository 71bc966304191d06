// Which of the tools agents call are under a contract.
import { compileToolPattern, type ToolMatcher } from 'edictum'
import type { SeenAgent, ToolUse } from '../../store/agents.js'
import type { ContractSummary } from '../../store/bundles.js'
import type { Scope } from '../../store/scope.js'
import type { Services } from '../services.js'
import { findDeployed, type FleetState, resolveBundle } from './resolve-bundle.js'

export interface CoveredTool {
  readonly tool_name: string
  readonly status: 'enforced' | 'observed' | 'ungoverned'
  readonly contract_name: string | null
  readonly contract_type: string | null
  readonly mode: string | null
  readonly bundle_name: string | null
  readonly source: 'console' | 'local' | null
  readonly event_count: number
  readonly last_used: string
  readonly deny_count: number
  readonly allow_count: number
  readonly observe_count: number
}

interface Governing {
  readonly id: string
  readonly type: string
  readonly mode: 'enforce' | 'observe'
  readonly matchers: readonly ToolMatcher[]
  readonly source: 'console' | 'local'
}

export interface AgentCoverage {
  readonly deployed: {
    readonly name: string
    readonly version: number
    readonly revision_hash: string
  } | null
  readonly tools: readonly CoveredTool[]
}

/** Contracts of versions, read once for all agents of a question. */
export class ContractCache {
  readonly #services: Services
  readonly #known = new Map<string, Promise<readonly ContractSummary[]>>()

  constructor(services: Services) {
    this.#services = services
  }

  contractsOf(tenant: number, name: string, version: number): Promise<readonly ContractSummary[]> {
    const key = `${name} ${version}`
    let contracts = this.#known.get(key)
    if (contracts === undefined) {
      contracts = this.#services.store.bundles
        .find(tenant, name, version)
        .then((found) => found?.contracts ?? [])
      this.#known.set(key, contracts)
    }
    return contracts
  }

  contractsByHash(tenant: number, hash: string | null): Promise<readonly ContractSummary[]> {
    if (hash === null) return Promise.resolve([])
    let contracts = this.#known.get(hash)
    if (contracts === undefined) {
      contracts = this.#services.store.bundles
        .findByHashes(tenant, [hash])
        .then(([found]) => found?.contracts ?? [])
      this.#known.set(hash, contracts)
    }
    return contracts
  }
}

export async function coverAgent(
  cache: ContractCache,
  question: {
    readonly state: FleetState
    readonly scope: Scope
    readonly agentId: string
    readonly agent: SeenAgent | undefined
    readonly uses: readonly ToolUse[]
  },
): Promise<AgentCoverage> {
  const { state, scope, agentId, agent, uses } = question
  const { bundleName } = resolveBundle(state, {
    agentId,
    env: scope.env,
    provided: agent?.bundleName ?? null,
  })
  const deployed = findDeployed(state, { env: scope.env, bundleName })
  // An agent that brings its own contracts may run some that are stored here: its hash says which.
  const contracts =
    deployed === undefined
      ? await cache.contractsByHash(scope.tenant, agent?.policyVersion ?? null)
      : await cache.contractsOf(scope.tenant, deployed.bundleName, deployed.bundleVersion)
  const governing = [
    ...contracts.map((contract) => govern(contract, 'console')),
    ...readManifest(agent?.manifest ?? null).map((contract) => govern(contract, 'local')),
  ]
  const byTool = new Map<string, ToolUse[]>()
  for (const use of uses) {
    const known = byTool.get(use.toolName)
    if (known === undefined) byTool.set(use.toolName, [use])
    else known.push(use)
  }
  return {
    deployed:
      deployed === undefined
        ? null
        : {
            name: deployed.bundleName,
            version: deployed.bundleVersion,
            revision_hash: deployed.revisionHash,
          },
    tools: [...byTool].map(([toolName, toolUses]) =>
      coverTool(toolName, { uses: toolUses, governing, bundleName: deployed?.bundleName ?? null }),
    ),
  }
}

export function summarize(tools: readonly CoveredTool[]): {
  readonly total_tools: number
  readonly enforced: number
  readonly observed: number
  readonly ungoverned: number
  readonly coverage_pct: number
} {
  const count = (wanted: CoveredTool['status']): number =>
    tools.filter(({ status }) => status === wanted).length
  const enforced = count('enforced')
  return {
    total_tools: tools.length,
    enforced,
    observed: count('observed'),
    ungoverned: count('ungoverned'),
    coverage_pct: tools.length === 0 ? 0 : Math.round((enforced / tools.length) * 1_000) / 10,
  }
}

/** Enforced when one contract enforces, observed when some only watch. */
function coverTool(
  toolName: string,
  known: {
    readonly uses: readonly ToolUse[]
    readonly governing: readonly Governing[]
    readonly bundleName: string | null
  },
): CoveredTool {
  const matching = known.governing.filter(({ matchers }) => matchers.some((matches) => matches(toolName)))
  const by = matching.find(({ mode }) => mode === 'enforce') ?? matching[0]
  const status = by === undefined ? 'ungoverned' : by.mode === 'enforce' ? 'enforced' : 'observed'
  const count = (actions: readonly string[]): number =>
    known.uses.reduce((sum, { action, events }) => (actions.includes(action) ? sum + events : sum), 0)
  return {
    tool_name: toolName,
    status,
    contract_name: by?.id ?? null,
    contract_type: by?.type ?? null,
    mode: by?.mode ?? null,
    bundle_name: by?.source === 'console' ? known.bundleName : null,
    source: by?.source ?? null,
    event_count: known.uses.reduce((sum, { events }) => sum + events, 0),
    last_used: new Date(Math.max(...known.uses.map(({ lastAt }) => lastAt))).toISOString(),
    deny_count: count(['call_denied', 'call_approval_denied', 'call_approval_timeout']),
    allow_count: count(['call_allowed', 'call_approval_granted']),
    observe_count: count(['call_would_deny']),
  }
}

function govern(contract: ContractSummary, source: 'console' | 'local'): Governing {
  const { id, type, mode, tools } = contract
  return { id, type, mode, source, matchers: tools.map(compileToolPattern) }
}

/** What a program on a developer's machine says about contracts of its own; whatever is not readable is left out. */
function readManifest(manifest: string | null): readonly ContractSummary[] {
  if (manifest === null) return []
  const { contracts } = JSON.parse(manifest) as { readonly contracts?: unknown }
  if (!Array.isArray(contracts)) return []
  return (contracts as readonly Readonly<Record<string, unknown>>[]).flatMap(({ id, type, tool, mode }) => {
    const tools = (Array.isArray(tool) ? tool : [tool]).filter(
      (name): name is string => typeof name === 'string',
    )
    if (typeof id !== 'string' || tools.length === 0) return []
    return [
      {
        id,
        type: (typeof type === 'string' ? type : 'pre') as ContractSummary['type'],
        tools,
        mode: mode === 'observe' ? ('observe' as const) : ('enforce' as const),
      },
    ]
  })
}
