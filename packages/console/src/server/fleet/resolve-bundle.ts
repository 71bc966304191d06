import type { ToolMatcher } from 'edictum'
import type { AssignmentRule, Tags } from '../../store/assignments.js'
import type { DeployedBundle } from '../../store/deployments.js'

export interface FleetState {
  /** By environment, then by name. */
  readonly deployed: ReadonlyMap<string, ReadonlyMap<string, DeployedBundle>>
  /** Agents whose bundle a person has chosen. */
  readonly assignments: ReadonlyMap<string, string>
  readonly tags: ReadonlyMap<string, Tags>
  /** In the order they are asked. */
  readonly rules: readonly (AssignmentRule & { readonly matches: ToolMatcher })[]
}

export interface Resolution {
  readonly bundleName: string | null
  readonly source: 'explicit' | 'rule' | 'agent_provided' | 'none'
  readonly rule?: AssignmentRule
}

export interface ResolvedAgent {
  readonly agentId: string
  readonly env: string
  /** What the agent asks for. */
  readonly provided: string | null
}

/** A person's choice first, then the rules, then what the agent asks for. */
export function resolveBundle(state: FleetState, { agentId, env, provided }: ResolvedAgent): Resolution {
  const assigned = state.assignments.get(agentId)
  if (assigned !== undefined) return { bundleName: assigned, source: 'explicit' }
  const tags = state.tags.get(agentId) ?? {}
  const rule = state.rules.find(
    (candidate) => candidate.env === env && candidate.matches(agentId) && hasTags(tags, candidate.tagMatch),
  )
  if (rule !== undefined) return { bundleName: rule.bundleName, source: 'rule', rule }
  if (provided !== null) return { bundleName: provided, source: 'agent_provided' }
  return { bundleName: null, source: 'none' }
}

export function findDeployed(
  state: FleetState,
  { env, bundleName }: { readonly env: string; readonly bundleName: string | null },
): DeployedBundle | undefined {
  return bundleName === null ? undefined : state.deployed.get(env)?.get(bundleName)
}

/** Whether a hash is that of the bundle, in whichever vocabulary it was served. */
export function isVersion(deployed: DeployedBundle, policyVersion: string | null | undefined): boolean {
  if (policyVersion === null || policyVersion === undefined) return false
  return policyVersion === deployed.revisionHash || policyVersion === deployed.translationHash
}

function hasTags(tags: Tags, wanted: Tags | null): boolean {
  return Object.entries(wanted ?? {}).every(
    ([name, value]) => Object.hasOwn(tags, name) && tags[name] === value,
  )
}
