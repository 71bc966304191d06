// How far a deployment has come: who runs it, who refused it, who has not said anything.
import type { Acknowledgement, DeployedBundle } from '../../store/deployments.js'
import type { Scope } from '../../store/scope.js'
import { isVersion, resolveBundle } from '../fleet/resolve-bundle.js'
import type { Services } from '../services.js'

type Progress = 'applied' | 'rejected' | 'pending'

/** Undefined when the bundle is not deployed. */
export async function describeRollout(
  services: Services,
  scope: Scope,
  bundleName: string,
): Promise<object | undefined> {
  const { deployments, agents } = services.store
  const deployed = await deployments.findDeployed(scope, bundleName)
  if (deployed === undefined) return undefined
  const [seen, acknowledged, state] = await Promise.all([
    agents.list(scope),
    deployments.listAcknowledgements(scope, bundleName),
    services.fleet.read(scope.tenant),
  ])
  const byAgent = new Map(acknowledged.map((ack) => [ack.agentId, ack]))
  const concerned = seen.filter(
    ({ agentId, env, bundleName: provided }) =>
      resolveBundle(state, { agentId, env, provided }).bundleName === bundleName,
  )
  const rows = concerned.map(({ agentId, policyVersion, lastSeenAt }) => {
    const ack = byAgent.get(agentId)
    const status = progressOf(deployed, { policyVersion, ack })
    return {
      agent_id: agentId,
      status,
      policy_version: policyVersion,
      reason: status === 'rejected' ? (ack?.reason ?? null) : null,
      acknowledged_at: ack === undefined ? null : new Date(ack.at).toISOString(),
      last_seen_at: new Date(lastSeenAt).toISOString(),
    }
  })
  const count = (wanted: Progress): number => rows.filter(({ status }) => status === wanted).length
  return {
    env: scope.env,
    bundle_name: bundleName,
    version: deployed.bundleVersion,
    sequence: deployed.sequence,
    revision_hash: deployed.revisionHash,
    deployed_at: new Date(deployed.deployedAt).toISOString(),
    summary: {
      total: rows.length,
      applied: count('applied'),
      rejected: count('rejected'),
      pending: count('pending'),
    },
    agents: rows,
  }
}

/** What an agent said about this very version counts more than what it was last seen to run. */
function progressOf(
  deployed: DeployedBundle,
  agent: { readonly policyVersion: string | null; readonly ack: Acknowledgement | undefined },
): Progress {
  const { ack, policyVersion } = agent
  if (ack !== undefined && isVersion(deployed, ack.revisionHash) && ack.at >= deployed.deployedAt)
    return ack.outcome
  return isVersion(deployed, policyVersion) ? 'applied' : 'pending'
}
