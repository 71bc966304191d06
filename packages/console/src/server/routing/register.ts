// From a route to what the HTTP server runs: identity, permission, limits, shape, then the handler.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context, Hono } from 'hono'
import { agentHeader, policyVersionHeader } from '../../protocol/version.js'
import { DatabaseAway } from '../../store/database.js'
import { StoreRefusal } from '../../store/refusal.js'
import { authenticate } from '../auth/authenticate.js'
import { securityHeaders } from '../security-headers.js'
import type { Services } from '../services.js'
import type { BodyClaim } from './body-room.js'
import { Problem, tooMuch } from './problem.js'
import { parseJson, readBody } from './read-body.js'
import type { Answer, Bindings, Call, Caller, Route } from './route.js'
import { type Check, createCheck } from './schema-check.js'

const defaultBodyLimit = 1_048_576
const requestIdForm = /^[A-Za-z0-9._-]{1,100}$/

/** For every address no route has. */
export function answerNotFound(app: Hono<Bindings>, services: Services): void {
  const body = { detail: 'there is nothing at this address', code: 'not-found' }
  app.notFound((context) =>
    toResponse({ status: 404, body }, { services, requestId: requestIdOf(context.env.incoming) }),
  )
}

export function registerRoute(app: Hono<Bindings>, services: Services, route: Route): void {
  const checkQuery = route.query === undefined ? undefined : createCheck<object>(route.query, 'query')
  const checkBody = route.body === undefined ? undefined : createCheck<object>(route.body, 'body')
  const path = route.path.replaceAll(/\{(\w+)\.\.\.\}/g, ':$1{.+}').replaceAll(/\{(\w+)\}/g, ':$1')
  const labels = `method="${route.method}",route="${route.path}"`
  app.on(route.method, path, async (context) => {
    const startedAt = performance.now()
    const requestId = requestIdOf(context.env.incoming)
    const response = await respond({ services, route, context, checkQuery, checkBody, requestId })
    services.metrics.time(`${labels},status="${response.status}"`, performance.now() - startedAt)
    return response
  })
}

type Answering = Pick<Request, 'services' | 'requestId'>

interface Request {
  readonly services: Services
  readonly route: Route
  readonly context: Context<Bindings>
  readonly checkQuery: Check<object> | undefined
  readonly checkBody: Check<object> | undefined
  readonly requestId: string
}

async function respond(request: Request): Promise<Response> {
  const { services, route, requestId } = request
  const room = services.bodyRoom.open()
  try {
    const answer = await answerTo(request, room)
    if (answer === RESPONSE_ALREADY_SENT) return RESPONSE_ALREADY_SENT
    return answer instanceof Response ? addHeaders(answer, request) : toResponse(answer, request)
  } catch (error) {
    return toResponse(refuse(error, { services, route, requestId }), request)
  } finally {
    room.release()
  }
}

async function answerTo(request: Request, room: BodyClaim): Promise<Answer | Response> {
  const { services, route, context, requestId } = request
  const { incoming } = context.env
  const now = services.now()
  const address = clientAddress(incoming, services.options.trustedProxies)
  const caller = await identify(request, { address, now })
  const query = request.checkQuery?.({ ...context.req.query() })
  const bytes =
    route.body === undefined
      ? undefined
      : await readBody(incoming, { limit: route.bodyLimit ?? defaultBodyLimit, room })
  const body = bytes === undefined || route.bodyAs === 'bytes' ? bytes : request.checkBody?.(parseJson(bytes))
  const call: Call<unknown, unknown, Caller | undefined> = {
    caller,
    params: context.req.param(),
    query,
    body,
    now,
    requestId,
    address,
    header: (name) => {
      const value = incoming.headers[name.toLowerCase()]
      return Array.isArray(value) ? value[0] : value
    },
    rawPath: (incoming.url ?? '').split('?', 1)[0] ?? '',
    // No getter: the platform would make, and keep, a new shape of object for each request.
    signal: () => signalOf(context, services.stopping),
    context,
  }
  return route.handle(call as Call<never, never, never>)
}

async function identify(
  { services, route, context }: Request,
  { address, now }: { readonly address: string; readonly now: number },
): Promise<Caller | undefined> {
  if (route.access === undefined) return undefined
  const { incoming } = context.env
  const caller = await authenticate(services, {
    method: route.method,
    access: route.access,
    incoming,
    address,
    now,
  })
  const name = caller.kind === 'key' ? caller.key.id : caller.user.id
  const waitSeconds = services.rateLimiter.take(name, { cost: 1, now })
  if (waitSeconds > 0) throw tooMuch('rate-limited', waitSeconds)
  noteAgent(services, { caller, incoming, at: now })
  return caller
}

/** Every request of an agent is a sign of life, and may say which contracts it runs. */
function noteAgent(
  { sightings }: Services,
  { caller, incoming, at }: { caller: Caller; incoming: IncomingMessage; at: number },
): void {
  if (caller.kind !== 'key' || incoming.headers[agentHeader.toLowerCase()] === undefined) return
  const claimed = incoming.headers[policyVersionHeader.toLowerCase()]
  const policyVersion = typeof claimed === 'string' && /^[0-9a-f]{64}$/.test(claimed) ? claimed : undefined
  sightings.note({ tenant: caller.tenant, env: caller.key.env, agentId: caller.agentId, at, policyVersion })
}

function refuse(
  error: unknown,
  { services, route, requestId }: Pick<Request, 'services' | 'route' | 'requestId'>,
): Answer {
  if (error instanceof Problem) return { status: error.status, body: error.toBody(), headers: error.headers }
  if (error instanceof StoreRefusal) return { status: 409, body: { detail: error.message, code: error.code } }
  if (error instanceof DatabaseAway) {
    services.log('warn', 'the database does not answer', { requestId, cause: String(error.cause) })
    return refuse(tooMuch('overloaded', 1), { services, route, requestId })
  }
  services.log('error', 'a request failed', {
    requestId,
    route: `${route.method} ${route.path}`,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
  return { status: 500, body: { detail: 'the server failed', code: 'internal' } }
}

function toResponse({ status, body, headers }: Answer, { services, requestId }: Answering): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      ...securityHeaders(services.baseUrl),
      'Content-Type': 'application/json; charset=utf-8',
      'X-Request-Id': requestId,
      ...headers,
    },
  })
}

/** What an answer of a kind of its own says about itself stays. */
function addHeaders(response: Response, { services, requestId }: Answering): Response {
  response.headers.set('X-Request-Id', requestId)
  for (const [name, value] of Object.entries(securityHeaders(services.baseUrl))) {
    if (!response.headers.has(name)) response.headers.set(name, value)
  }
  return response
}

function requestIdOf(incoming: IncomingMessage): string {
  const given = incoming.headers['x-request-id']
  return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUID()
}

function signalOf(context: Context<Bindings>, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController()
  context.env.outgoing.once('close', () => gone.abort())
  return AbortSignal.any([gone.signal, stopping])
}

/** The last address that no trusted proxy added. */
function clientAddress(incoming: IncomingMessage, trustedProxies: readonly string[]): string {
  const forwarded = incoming.headers['x-forwarded-for']
  const claimed = typeof forwarded === 'string' ? forwarded.split(',').map((part) => part.trim()) : []
  const chain = [...claimed, plainAddress(incoming.socket.remoteAddress ?? '')]
  while (chain.length > 1 && trustedProxies.includes(chain.at(-1) ?? '')) chain.pop()
  return chain.at(-1) ?? ''
}

function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
}
