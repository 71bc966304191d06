// The fleet: who is there, what runs where, which tools nobody watches.
import type { SeenAgent } from '../../store/agents.js'
import { viewers } from '../auth/roles.js'
import { notFound, Problem } from '../routing/problem.js'
import { type Call, ok, type Route, sharedRoute, type Caller } from '../routing/route.js'
import type { Schema } from '../routing/schema-check.js'
import type { Services } from '../services.js'
import { readTime } from '../time-range.js'
import { listHistory } from './agent-history.js'
import { describeStatus, driftOf } from './agent-status.js'
import { ContractCache, coverAgent, summarize } from './coverage.js'

const tag = 'agents'
const text: Schema = { type: 'string', maxLength: 128 }
const readers = { scopes: ['read'], roles: viewers } as const
const dayMs = 24 * 60 * 60 * 1_000

interface StatusQuery {
  readonly bundle_name?: string
  readonly env?: string
}

interface CoverageQuery {
  readonly since?: string
  readonly env?: string
}

export function agentRoutes(services: Services): readonly Route[] {
  const statusQuery: Schema = { type: 'object', properties: { bundle_name: text, env: text } }
  const coverageQuery: Schema = {
    type: 'object',
    properties: { since: text, env: text, include_verdicts: text },
  }
  return [
    ...(['/api/v1/agents/status', '/v1/agents'] as const).map((path) =>
      sharedRoute<undefined, StatusQuery>(readers, {
        method: 'GET',
        path,
        summary: 'Every agent: what it is to run, what it runs, whether it is connected',
        tag,
        query: statusQuery,
        answers: { 200: { description: 'agents' } },
        handle: async (call) => ok({ agents: await listStatus(services, call) }),
      }),
    ),
    sharedRoute<undefined, CoverageQuery>(readers, {
      method: 'GET',
      path: '/api/v1/agents/fleet-coverage',
      summary: 'How much of what agents do is under contracts',
      tag,
      query: coverageQuery,
      answers: { 200: { description: 'by agent, and the tools nobody watches' } },
      handle: async (call) => ok(await coverFleet(services, call)),
    }),
    sharedRoute<undefined, CoverageQuery>(readers, {
      method: 'GET',
      path: '/api/v1/agents/{id}/coverage',
      summary: 'Which tools of an agent are under contracts',
      tag,
      query: coverageQuery,
      answers: { 200: { description: 'by tool' }, 404: { description: 'it has not called any' } },
      handle: async (call) => ok(await coverOne(services, call)),
    }),
    sharedRoute<undefined, { limit: number; env?: string }>(readers, {
      method: 'GET',
      path: '/api/v1/agents/{id}/history',
      summary: 'When an agent came, what was deployed to it, when it drifted',
      tag,
      query: {
        type: 'object',
        properties: { limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 }, env: text },
      },
      answers: { 200: { description: 'newest first' } },
      handle: async ({ caller, params, query }) => {
        const agent = await findAgent(services, caller, { agentId: params['id'] ?? '', env: query.env })
        return ok({
          agent_id: agent.agentId,
          environment: agent.env,
          events: await listHistory(services, agent, query.limit),
        })
      },
    }),
  ]
}

async function listStatus(
  services: Services,
  { caller, query, now }: Call<undefined, StatusQuery, Caller>,
): Promise<readonly object[]> {
  await services.sightings.flush()
  const [seen, state] = await Promise.all([
    services.store.agents.list({ tenant: caller.tenant, env: envFor(caller, query.env) }),
    services.fleet.read(caller.tenant),
  ])
  const all = seen.map(
    (agent) => describeStatus(state, agent, now) as { readonly bundle_name: string | null },
  )
  return all.filter(({ bundle_name }) => query.bundle_name === undefined || bundle_name === query.bundle_name)
}

/** Of the places an agent was seen in the last one, unless one is asked for. */
async function findAgent(
  services: Services,
  caller: Caller,
  { agentId, env }: { readonly agentId: string; readonly env: string | undefined },
): Promise<SeenAgent> {
  await services.sightings.flush()
  const seen = await services.store.agents.list({ tenant: caller.tenant, agentId, env: envFor(caller, env) })
  const [last] = seen.toSorted((left, right) => right.lastSeenAt - left.lastSeenAt)
  if (last === undefined) throw notFound('agent')
  return last
}

async function coverOne(
  services: Services,
  { caller, params, query, now }: Call<undefined, CoverageQuery, Caller>,
): Promise<object> {
  const since = readSince(query.since, now)
  const agent = await findAgent(services, caller, { agentId: params['id'] ?? '', env: query.env })
  const { tenant, env, agentId } = agent
  const [uses, state] = await Promise.all([
    services.store.agents.listToolUse({ tenant, env, agentId, since }),
    services.fleet.read(tenant),
  ])
  if (uses.length === 0) throw notFound('events of the agent')
  const cache = new ContractCache(services)
  const { deployed, tools } = await coverAgent(cache, { state, scope: { tenant, env }, agentId, agent, uses })
  return {
    agent_id: agentId,
    environment: env,
    time_window: windowOf(since, now),
    deployed_bundle: deployed,
    tools,
    summary: summarize(tools),
  }
}

async function coverFleet(
  services: Services,
  { caller, query, now }: Call<undefined, CoverageQuery, Caller>,
): Promise<object> {
  const since = readSince(query.since, now)
  const { tenant } = caller
  const env = envFor(caller, query.env)
  const yesterday = now - dayMs
  const using = services.store.agents.listToolUse({ tenant, env, since })
  const [seen, uses, recent, state] = await Promise.all([
    services.store.agents.list({ tenant, env }),
    using,
    // What the page asks for; counting it twice would take twice as long.
    since === yesterday ? using : services.store.agents.listToolUse({ tenant, env, since: yesterday }),
    services.fleet.read(tenant),
  ])
  const cache = new ContractCache(services)
  const ungoverned = new Map<string, Set<string>>()
  const agents = []
  for (const agent of seen) {
    const own = uses.filter((use) => use.agentId === agent.agentId && use.env === agent.env)
    if (own.length === 0) continue
    const scope = { tenant, env: agent.env }
    const { tools } = await coverAgent(cache, { state, scope, agentId: agent.agentId, agent, uses: own })
    for (const { status, tool_name } of tools)
      if (status === 'ungoverned')
        ungoverned.set(tool_name, (ungoverned.get(tool_name) ?? new Set()).add(agent.agentId))
    agents.push({
      agent_id: agent.agentId,
      environment: agent.env,
      ...summarize(tools),
      drift_status: driftOf(state, agent),
      last_seen: new Date(agent.lastSeenAt).toISOString(),
      event_count_24h: recent
        .filter((use) => use.agentId === agent.agentId && use.env === agent.env)
        .reduce((sum, { events }) => sum + events, 0),
    })
  }
  return {
    time_window: windowOf(since, now),
    agents,
    fleet_summary: {
      total_agents: agents.length,
      fully_enforced: agents.filter((agent) => agent.enforced === agent.total_tools).length,
      with_ungoverned: agents.filter((agent) => agent.ungoverned > 0).length,
      with_drift: agents.filter((agent) => agent.drift_status === 'drift').length,
      total_ungoverned_tools: ungoverned.size,
      ungoverned_tools: [...ungoverned]
        .map(([tool_name, agentIds]) => ({
          tool_name,
          agent_count: agentIds.size,
          agent_ids: [...agentIds].slice(0, 100),
        }))
        .toSorted((left, right) => right.agent_count - left.agent_count),
    },
  }
}

/** A key sees its own environment. */
function envFor(caller: Caller, env: string | undefined): string | undefined {
  if (caller.kind === 'user') return env
  if (env !== undefined && env !== caller.key.env)
    throw new Problem(403, 'wrong-environment', {
      detail: `this key is for the environment ${caller.key.env}`,
    })
  return caller.key.env
}

function readSince(since: string | undefined, now: number): number {
  try {
    return readTime(since, 'since', now) ?? now - dayMs
  } catch (error) {
    if (error instanceof Problem) throw new Problem(400, error.code, { detail: error.message })
    throw error
  }
}

function windowOf(since: number, now: number): object {
  return { since: new Date(since).toISOString(), until: new Date(now).toISOString() }
}
