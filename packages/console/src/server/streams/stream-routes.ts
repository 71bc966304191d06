// Streams for agents of all generations, and for people.
import { protocolPrefix } from '../../protocol/version.js'
import { changeRegistration, findRegistration, type Tags } from '../../store/assignments.js'
import { viewers } from '../auth/roles.js'
import { identifierPattern } from '../bundles/upload.js'
import { Problem } from '../routing/problem.js'
import { type Call, type KeyCaller, keyRoute, type Route, userRoute } from '../routing/route.js'
import type { Services } from '../services.js'
import type { StreamKind } from './agent-connection.js'
import { AgentStreams } from './agent-streams.js'
import { DashboardStreams } from './dashboard-streams.js'
import { openEventStream, streamAnswer } from './event-stream.js'

const tag = 'streams'
const answers = {
  200: { description: 'text/event-stream; the state first, then every change' },
  403: { description: 'the key is for another environment' },
}

interface StreamQuery {
  readonly env?: string
  readonly bundle_name?: string
  readonly policy_version?: string
  readonly tags?: string
}

const query = {
  type: 'object',
  properties: {
    env: { type: 'string', maxLength: 128 },
    bundle_name: { type: 'string', maxLength: 128 },
    policy_version: { type: 'string', maxLength: 128 },
    tags: { type: 'string', maxLength: 65_536 },
  },
}

const paths: readonly (readonly [string, StreamKind])[] = [
  ['/api/v1/stream', 'first-generation'],
  ['/v1/stream', 'second-generation'],
  [`${protocolPrefix}/stream`, 'own'],
]

export function streamRoutes(services: Services): readonly Route[] {
  const agents = new AgentStreams(services)
  const dashboards = new DashboardStreams(services)
  return [
    userRoute(viewers, {
      method: 'GET',
      path: '/api/v1/stream/dashboard',
      summary: 'Everything that changes, for people who watch',
      tag,
      answers,
      handle: async (call) => {
        const { caller, now } = call
        const stream = openEventStream(services, call)
        dashboards.add(caller.tenant, stream)
        // Whoever was shut out after the identity was checked and before the connection was held.
        const user = await services.store.users.findBySession(caller.sessionHash, now).catch(() => undefined)
        if (user === undefined) stream.abort()
        return streamAnswer
      },
    }),
    ...paths.map(([path, kind]) =>
      keyRoute<undefined, StreamQuery>(['agent'], {
        method: 'GET',
        path,
        summary: 'What an agent must know as soon as it changes',
        tag,
        query,
        answers,
        handle: async (call) => {
          await openForAgent(services, agents, { call, kind })
          return streamAnswer
        },
      }),
    ),
  ]
}

async function openForAgent(
  services: Services,
  agents: AgentStreams,
  { call, kind }: { readonly call: Call<undefined, StreamQuery, KeyCaller>; readonly kind: StreamKind },
): Promise<void> {
  const { caller, query: asked, now } = call
  const { tenant, key, agentId } = caller
  requireEnvironment(services, call)
  const provided = asked.bundle_name === undefined || asked.bundle_name === '' ? null : asked.bundle_name
  if (provided !== null && !new RegExp(identifierPattern).test(provided))
    throw new Problem(422, 'invalid-request', { detail: 'bundle_name is not the name of a bundle' })
  await storeTags(services, call)
  const stream = openEventStream(services, call)
  services.sightings.note({
    tenant,
    env: key.env,
    agentId,
    at: now,
    policyVersion: asked.policy_version,
    bundleName: provided ?? undefined,
    claimedEnv: null,
  })
  try {
    await agents.add({
      stream,
      kind,
      tenant,
      env: key.env,
      agentId,
      keyId: key.id,
      keyExpiresAt: key.expiresAt,
      provided,
      policyVersion: asked.policy_version ?? null,
      listens:
        kind !== 'own' && asked.env === undefined && provided === null
          ? 'to-every-bundle'
          : 'to-its-own-bundle',
    })
    // A key that was revoked after it was checked and before the connection was held.
    const token = /^Bearer +(\S+)$/i.exec(call.header('Authorization') ?? '')?.[1] ?? ''
    if ((await services.keyRing.resolve(token, now)) === undefined) stream.abort()
  } catch (error) {
    // The stream is open, so there is no answer left to give: the client comes back.
    services.log('warn', 'a stream could not be served', { error: String(error) })
    stream.abort()
  }
}

/** The client does not show that it is in the wrong place, so the console does. */
function requireEnvironment(
  services: Services,
  { caller, query: asked, now }: Call<undefined, StreamQuery, KeyCaller>,
): void {
  const { env } = asked
  if (env === undefined || env === caller.key.env) return
  const { tenant, key, agentId } = caller
  if (!agentId.startsWith('key:'))
    services.sightings.note({ tenant, env: key.env, agentId, at: now, claimedEnv: env.replaceAll('\0', '') })
  throw new Problem(403, 'wrong-environment', { detail: `this key is for the environment ${key.env}` })
}

/** Rules may choose by them, so they must be known before the bundle is worked out. */
async function storeTags(
  services: Services,
  { caller, query: asked, now }: Call<undefined, StreamQuery, KeyCaller>,
): Promise<void> {
  if (asked.tags === undefined || caller.agentId.startsWith('key:')) return
  const tags = readTags(asked.tags)
  const { tenant, agentId } = caller
  const known = await findRegistration(services.store.database, tenant, agentId)
  if (known !== undefined && JSON.stringify(known.tags) === JSON.stringify(tags)) return
  await services.store.database.transaction((transaction) =>
    changeRegistration(transaction, { tenant, agentId, tags, now }),
  )
}

/** @throws Problem 422 */
function readTags(text: string): Tags {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  const entries =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  const isFine =
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    entries.length <= 64 &&
    entries.every(
      ([name, tag]) =>
        name.length <= 128 && typeof tag === 'string' && tag.length <= 256 && !`${name}${tag}`.includes('\0'),
    )
  if (!isFine)
    throw new Problem(422, 'invalid-request', {
      detail: 'tags must be a JSON object of at most 64 short texts',
    })
  return Object.fromEntries(entries as [string, string][])
}
