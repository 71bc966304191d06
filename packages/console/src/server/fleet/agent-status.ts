// What each agent is to run, what it runs, and whether that is the same.
import type { SeenAgent } from '../../store/agents.js'
import { findDeployed, type FleetState, isVersion, resolveBundle } from './resolve-bundle.js'

export type DriftStatus = 'current' | 'drift' | 'unknown'

/** Streams are looked at every few seconds; one that was not for so long is gone. */
const streamMs = 30_000

/** Against what is deployed of its own bundle in its own environment. */
export function driftOf(state: FleetState, agent: SeenAgent): DriftStatus {
  const { agentId, env, bundleName: provided, policyVersion } = agent
  const { bundleName } = resolveBundle(state, { agentId, env, provided })
  const deployed = findDeployed(state, { env, bundleName })
  if (deployed === undefined || policyVersion === null) return 'unknown'
  return isVersion(deployed, policyVersion) ? 'current' : 'drift'
}

export function describeStatus(state: FleetState, agent: SeenAgent, now: number): object {
  const { agentId, env, bundleName: provided, policyVersion, connectedAt, streamSeenAt, claimedEnv } = agent
  const resolution = resolveBundle(state, { agentId, env, provided })
  const isConnected = connectedAt !== null && now - (streamSeenAt ?? 0) < streamMs
  return {
    agent_id: agentId,
    env,
    bundle_name: resolution.bundleName,
    bundle_source: resolution.source,
    policy_version: policyVersion,
    status: driftOf(state, agent),
    connected: isConnected,
    connected_at: isConnected ? new Date(connectedAt).toISOString() : null,
    last_seen_at: new Date(agent.lastSeenAt).toISOString(),
    /** It believes to be in another environment than its key. */
    claimed_env: claimedEnv,
  }
}
