// Agents as operators know them, and which bundle each is to run.
import { changeRegistration, type Registration, type Tags } from '../../store/assignments.js'
import type { SeenAgent } from '../../store/agents.js'
import { recordAction } from '../../store/operator-log.js'
import { publishers, viewers } from '../auth/roles.js'
import { identifierPattern } from '../bundles/upload.js'
import { Problem } from '../routing/problem.js'
import { ok, type Route, userRoute } from '../routing/route.js'
import type { Schema } from '../routing/schema-check.js'
import type { Services } from '../services.js'
import { type FleetState, resolveBundle } from './resolve-bundle.js'

const tag = 'agents'
const identifier: Schema = { type: 'string', pattern: identifierPattern }
/** Empty takes an assignment away. */
const assignment: Schema = { type: ['string', 'null'], pattern: `^$|${identifierPattern}` }
export const tagsSchema: Schema = {
  type: 'object',
  maxProperties: 64,
  propertyNames: { maxLength: 128 },
  additionalProperties: { type: 'string', maxLength: 256, pattern: '^[^\\u0000]*$' },
}

interface RegistrationBody {
  readonly display_name?: string | null
  readonly tags?: Tags
  readonly bundle_name?: string | null
}

export function registrationRoutes(services: Services): readonly Route[] {
  const { assignments, agents, database } = services.store
  return [
    userRoute(viewers, {
      method: 'GET',
      path: '/api/v1/agent-registrations',
      summary: 'All agents, those that were only announced too, with the bundle each is to run',
      tag,
      answers: { 200: { description: 'agents' } },
      handle: async ({ caller }) => {
        const [registrations, seen, state] = await Promise.all([
          assignments.listRegistrations(caller.tenant),
          agents.list({ tenant: caller.tenant }),
          services.fleet.read(caller.tenant),
        ])
        return ok(joinAgents(services, { registrations, seen, state }))
      },
    }),
    userRoute<{ agent_ids: readonly string[]; bundle_name: string }>(publishers, {
      method: 'POST',
      path: '/api/v1/agent-registrations/bulk-assign',
      summary: 'Assign a bundle to many agents',
      tag,
      body: {
        type: 'object',
        required: ['agent_ids', 'bundle_name'],
        properties: {
          agent_ids: { type: 'array', minItems: 1, maxItems: 100, items: identifier },
          bundle_name: identifier,
        },
      },
      answers: { 200: { description: 'how many' } },
      handle: async ({ caller, body, now }) => {
        const { tenant } = caller
        await requireBundle(services, tenant, body.bundle_name)
        const agentIds = [...new Set(body.agent_ids)].toSorted()
        await database.transaction(async (transaction) => {
          for (const agentId of agentIds)
            await changeRegistration(transaction, { tenant, agentId, bundleName: body.bundle_name, now })
          await recordAction(transaction, {
            tenant,
            at: now,
            actor: caller.user.email,
            action: 'agent.assign',
            subject: body.bundle_name,
            detail: { agents: agentIds },
          })
        })
        return ok({ updated: agentIds.length })
      },
    }),
    userRoute<RegistrationBody>(publishers, {
      method: 'PATCH',
      path: '/api/v1/agent-registrations/{agent_id}',
      summary: 'Name, tag or assign an agent, also one that nobody has heard of yet',
      tag,
      body: {
        type: 'object',
        minProperties: 1,
        properties: {
          display_name: { type: ['string', 'null'], maxLength: 255, pattern: '^[^<>\\u0000-\\u001f]*$' },
          tags: tagsSchema,
          bundle_name: assignment,
        },
      },
      answers: { 200: { description: 'the agent; it is being told' } },
      handle: async ({ caller, params, body, now }) => {
        const { tenant } = caller
        const agentId = params['agent_id'] ?? ''
        if (!new RegExp(identifierPattern).test(agentId))
          throw new Problem(422, 'invalid-request', { detail: 'not an agent id' })
        const bundleName = body.bundle_name === '' ? null : body.bundle_name
        if (typeof bundleName === 'string') await requireBundle(services, tenant, bundleName)
        const registration = await database.transaction(async (transaction) => {
          await recordAction(transaction, {
            tenant,
            at: now,
            actor: caller.user.email,
            action: 'agent.change',
            subject: agentId,
            detail: { ...body },
          })
          return changeRegistration(transaction, {
            tenant,
            agentId,
            ...(body.display_name === undefined ? {} : { displayName: body.display_name }),
            ...(body.tags === undefined ? {} : { tags: body.tags }),
            ...(bundleName === undefined ? {} : { bundleName }),
            now,
          })
        })
        const seen = await agents.list({ tenant, agentId })
        const state = await services.fleet.read(tenant)
        return ok(describeAgent(services, { agentId, registration, seen, state }))
      },
    }),
  ]
}

/** @throws Problem 422: an assignment to nothing would leave an agent without contracts. */
export async function requireBundle(services: Services, tenant: number, name: string): Promise<void> {
  const versions = await services.store.bundles.listVersions(tenant, name)
  if (versions.length === 0)
    throw new Problem(422, 'invalid-request', { detail: `there is no bundle ${name}` })
}

function joinAgents(
  services: Services,
  known: {
    readonly registrations: readonly Registration[]
    readonly seen: readonly SeenAgent[]
    readonly state: FleetState
  },
): readonly object[] {
  const { registrations, seen, state } = known
  const byAgent = new Map<string, SeenAgent[]>()
  for (const agent of seen) {
    const places = byAgent.get(agent.agentId)
    if (places === undefined) byAgent.set(agent.agentId, [agent])
    else places.push(agent)
  }
  const registered = new Map(registrations.map((registration) => [registration.agentId, registration]))
  const agentIds = [...new Set([...registered.keys(), ...byAgent.keys()])].toSorted()
  return agentIds.map((agentId) =>
    describeAgent(services, {
      agentId,
      registration: registered.get(agentId),
      seen: byAgent.get(agentId) ?? [],
      state,
    }),
  )
}

function describeAgent(
  { options }: Services,
  agent: {
    readonly agentId: string
    readonly registration: Registration | undefined
    readonly seen: readonly SeenAgent[]
    readonly state: FleetState
  },
): object {
  const { agentId, registration, seen, state } = agent
  const [last] = seen.toSorted((left, right) => right.lastSeenAt - left.lastSeenAt)
  const { env, bundleName: provided } = last ?? { env: options.environment, bundleName: null }
  const firstSeenAt = Math.min(registration?.createdAt ?? Infinity, ...seen.map((place) => place.firstSeenAt))
  return {
    id: registration?.id ?? agentId,
    agent_id: agentId,
    display_name: registration?.displayName ?? null,
    tags: registration?.tags ?? {},
    bundle_name: registration?.bundleName ?? null,
    resolved_bundle: resolveBundle(state, { agentId, env, provided }).bundleName,
    environments: seen.map((place) => place.env),
    last_seen_at: last === undefined ? null : new Date(last.lastSeenAt).toISOString(),
    created_at: Number.isFinite(firstSeenAt) ? new Date(firstSeenAt).toISOString() : null,
  }
}
