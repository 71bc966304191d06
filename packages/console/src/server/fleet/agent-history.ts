// The life of an agent, from what is stored about it: when it came, what was deployed to it, which contracts its events
// say it ran.
import type { SeenAgent } from '../../store/agents.js'
import type { Deployment } from '../../store/deployments.js'
import type { Services } from '../services.js'
import { resolveBundle } from './resolve-bundle.js'

interface HistoryEvent {
  readonly type: 'deployment' | 'drift_detected' | 'drift_resolved' | 'first_seen'
  readonly timestamp: string
  readonly [field: string]: unknown
}

/** How far back events are read for the hash they carry. */
const mostEvents = 1_000

export async function listHistory(
  services: Services,
  agent: SeenAgent,
  limit: number,
): Promise<readonly HistoryEvent[]> {
  const { tenant, env, agentId, firstSeenAt } = agent
  const state = await services.fleet.read(tenant)
  const { bundleName } = resolveBundle(state, { agentId, env, provided: agent.bundleName })
  const deployments =
    bundleName === null ? [] : await services.store.deployments.list({ tenant, env, bundleName }, 200)
  const history: HistoryEvent[] = [
    { type: 'first_seen', timestamp: new Date(firstSeenAt).toISOString(), environment: env },
    ...deployments.map(({ bundleVersion, deployedBy, createdAt }) => ({
      type: 'deployment' as const,
      timestamp: new Date(createdAt).toISOString(),
      bundle_name: bundleName,
      bundle_version: bundleVersion,
      deployed_by: deployedBy,
    })),
    ...(bundleName === null ? [] : await listDrift(services, { agent, bundleName, deployments })),
  ]
  return history.toSorted((left, right) => (left.timestamp < right.timestamp ? 1 : -1)).slice(0, limit)
}

async function listDrift(
  services: Services,
  known: {
    readonly agent: SeenAgent
    readonly bundleName: string
    readonly deployments: readonly Deployment[]
  },
): Promise<readonly HistoryEvent[]> {
  const { agent, bundleName, deployments } = known
  const { tenant, env, agentId } = agent
  const [events, versions] = await Promise.all([
    services.store.events.list({ tenant, env, agentId }, { limit: mostEvents }),
    services.store.bundles.listVersions(tenant, bundleName),
  ])
  const hashes = new Map(
    versions.map((version) => [version.version, [version.revisionHash, version.translationHash]]),
  )
  const history: HistoryEvent[] = []
  let wasDrifting = false
  for (const { occurredAt, content } of events.toReversed()) {
    const policyVersion = policyVersionOf(content)
    const inForce = deployments.find(({ createdAt }) => createdAt <= occurredAt)
    if (policyVersion === undefined || inForce === undefined) continue
    const isDrifting = !(hashes.get(inForce.bundleVersion) ?? []).includes(policyVersion)
    if (isDrifting !== wasDrifting)
      history.push({
        type: isDrifting ? 'drift_detected' : 'drift_resolved',
        timestamp: new Date(occurredAt).toISOString(),
        policy_version: policyVersion,
        bundle_name: bundleName,
        bundle_version: inForce.bundleVersion,
      })
    wasDrifting = isDrifting
  }
  return history
}

function policyVersionOf(content: string): string | undefined {
  const event = JSON.parse(content) as {
    policy_version?: unknown
    payload?: { policy_version?: unknown } | null
  }
  const version = event.policy_version ?? event.payload?.policy_version
  return typeof version === 'string' && version !== '' ? version : undefined
}
