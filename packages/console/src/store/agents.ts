// Agents as they are heard of: by events, by requests, by open streams.
import { allOf } from './conditions.js'
import type { Database, Transaction, Value } from './database.js'
import type { Scope } from './scope.js'

export interface SeenAgent extends Scope {
  readonly agentId: string
  readonly firstSeenAt: number
  readonly lastSeenAt: number
  /** Hash of what it says it runs. */
  readonly policyVersion: string | null
  /** JSON: contracts of its own, beside those of the console. */
  readonly manifest: string | null
  /** What it asks for. */
  readonly bundleName: string | null
  /** Since when a stream is open; null when none is known to be. */
  readonly connectedAt: number | null
  readonly streamSeenAt: number | null
  /** The environment it believes to be in, when its key is for another. */
  readonly claimedEnv: string | null
}

export interface Sighting extends Scope {
  readonly agentId: string
  readonly at: number
  readonly policyVersion?: string | undefined
  readonly bundleName?: string | undefined
  /** `open` and `closed` say what is known about its stream. */
  readonly stream?: 'open' | 'closed' | undefined
  /** Null once it is in the right one. */
  readonly claimedEnv?: string | null | undefined
}

/** Several sightings at once, in one order everywhere so that nodes do not lock each other up. */
export async function recordSightings(
  transaction: Transaction,
  sightings: readonly Sighting[],
): Promise<void> {
  const ordered = sightings.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))
  const rows = ordered.map((sighting): readonly Value[] => {
    const isOpen = sighting.stream === 'open'
    return [
      sighting.tenant,
      sighting.env,
      sighting.agentId,
      sighting.at,
      sighting.at,
      sighting.policyVersion ?? null,
      sighting.bundleName ?? null,
      isOpen ? sighting.at : null,
      isOpen ? sighting.at : null,
    ]
  })
  await transaction.insert({
    into: `agents (tenant, env, agent_id, first_seen_at, last_seen_at, policy_version, bundle_name, connected_at, stream_seen_at)`,
    rows,
    then: `ON CONFLICT (tenant, env, agent_id) DO UPDATE SET
      last_seen_at = CASE WHEN excluded.last_seen_at > agents.last_seen_at THEN excluded.last_seen_at ELSE agents.last_seen_at END,
      policy_version = COALESCE(excluded.policy_version, agents.policy_version),
      bundle_name = COALESCE(excluded.bundle_name, agents.bundle_name),
      connected_at = COALESCE(agents.connected_at, excluded.connected_at),
      stream_seen_at = COALESCE(excluded.stream_seen_at, agents.stream_seen_at)`,
  })
  for (const { tenant, env, agentId, stream, claimedEnv } of ordered) {
    const place = [tenant, env, agentId]
    if (stream === 'closed')
      await transaction.run(
        'UPDATE agents SET connected_at = NULL WHERE tenant = ? AND env = ? AND agent_id = ?',
        place,
      )
    if (claimedEnv !== undefined)
      await transaction.run(
        'UPDATE agents SET claimed_env = ? WHERE tenant = ? AND env = ? AND agent_id = ?',
        [claimedEnv, ...place],
      )
  }
}

function keyOf({ tenant, env, agentId }: Sighting): string {
  return `${tenant}\n${env}\n${agentId}`
}

export interface ToolUse {
  readonly env: string
  readonly agentId: string
  readonly toolName: string
  readonly action: string
  readonly mode: string
  readonly events: number
  readonly lastAt: number
}

export class AgentStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  list(filter: {
    readonly tenant: number
    readonly env?: string | undefined
    readonly agentId?: string | undefined
  }): Promise<readonly SeenAgent[]> {
    const where = allOf([
      ['tenant = ?', filter.tenant],
      ['env = ?', filter.env],
      ['agent_id = ?', filter.agentId],
    ])
    return this.#database.all<SeenAgent>(
      `SELECT tenant, env, agent_id AS "agentId", first_seen_at AS "firstSeenAt", last_seen_at AS "lastSeenAt",
         policy_version AS "policyVersion", manifest, bundle_name AS "bundleName", connected_at AS "connectedAt",
         stream_seen_at AS "streamSeenAt", claimed_env AS "claimedEnv"
       FROM agents WHERE ${where.sql} ORDER BY agent_id, env`,
      where.values,
    )
  }

  /** Which tools agents called and how it ended, from the counts by minute. */
  listToolUse(filter: {
    readonly tenant: number
    readonly env?: string | undefined
    readonly agentId?: string | undefined
    readonly since: number
  }): Promise<readonly ToolUse[]> {
    const where = allOf([
      ['tenant = ?', filter.tenant],
      // The counts are looked up by environment first, so all environments are named.
      filter.env === undefined
        ? ['env IN (SELECT env FROM agents WHERE tenant = ?)', filter.tenant]
        : ['env = ?', filter.env],
      ['agent_id = ?', filter.agentId],
      ['minute >= ?', filter.since - 60_000],
    ])
    return this.#database.all<ToolUse>(
      `SELECT env, agent_id AS "agentId", tool_name AS "toolName", action, mode,
         CAST(sum(events) AS BIGINT) AS events, max(last_at) AS "lastAt"
       FROM event_counts WHERE ${where.sql} GROUP BY env, agent_id, tool_name, action, mode
       ORDER BY env, agent_id, tool_name`,
      where.values,
    )
  }
}
