// Who is calling, and whether they may.
import type { IncomingMessage } from 'node:http'
import { agentHeader } from '../../protocol/version.js'
import { Problem, tooMuch } from '../routing/problem.js'
import type { Access, Caller, KeyCaller, Method, UserCaller } from '../routing/route.js'
import type { Services } from '../services.js'
import { matchesAgent } from './agent-pattern.js'

export const sessionCookie = 'edictum_session'

const identifier = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

interface Request {
  readonly method: Method
  readonly access: Access
  readonly incoming: IncomingMessage
  /** Of the client, seen through proxies that are trusted. */
  readonly address: string
  readonly now: number
}

/**
 * @throws Problem 401 without a valid credential, 403 for one that does not reach this far, 429 when too many wrong keys
 *   came from one address
 */
export async function authenticate(services: Services, request: Request): Promise<Caller> {
  const { access, incoming } = request
  const authorization = incoming.headers.authorization
  if (authorization !== undefined && access.scopes !== undefined)
    return authenticateKey(services, request, authorization)
  const caller = access.roles === undefined ? undefined : await findUser(services, request)
  if (caller === undefined)
    throw new Problem(401, 'unauthenticated', {
      detail: access.scopes === undefined ? 'log in first' : 'send an API key as bearer token',
    })
  if (!(access.roles ?? []).includes(caller.user.role))
    throw new Problem(403, 'forbidden', { detail: `not allowed for the role ${caller.user.role}` })
  requireOwnPage(request)
  return caller
}

async function authenticateKey(
  services: Services,
  { access, incoming, address, now }: Request,
  authorization: string,
): Promise<KeyCaller> {
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  const key = token === undefined ? undefined : await services.keyRing.resolve(token, now)
  if (key === undefined) throw refuseKey(services, address, now)
  if (!key.scopes.some((scope) => access.scopes?.includes(scope)))
    throw new Problem(403, 'forbidden', {
      detail: `this key may not do that; it takes one of: ${access.scopes?.join(', ') ?? ''}`,
    })
  return { kind: 'key', tenant: key.tenant, key, agentId: readAgentId(incoming, key) }
}

/** Only wrong keys count, and a right one is never looked at here: nobody can shut out others who share an address. */
function refuseKey({ keyLimiter, metrics }: Services, address: string, now: number): Problem {
  metrics.count('edictum_wrong_keys_total', { help: 'Requests with a key that is none.' })
  const waitSeconds = keyLimiter.take(address, { cost: 1, now })
  return waitSeconds > 0
    ? tooMuch('rate-limited', waitSeconds)
    : new Problem(401, 'unauthenticated', { detail: 'not an API key, or no longer one' })
}

function readAgentId(incoming: IncomingMessage, key: KeyCaller['key']): string {
  const claimed = incoming.headers[agentHeader.toLowerCase()]
  if (claimed === undefined) return `key:${key.prefix}`
  if (typeof claimed !== 'string' || !identifier.test(claimed))
    throw new Problem(422, 'invalid-request', { detail: `${agentHeader} is not an agent id` })
  if (!matchesAgent(key.agentPattern, claimed))
    throw new Problem(403, 'agent-not-allowed', { detail: 'this key belongs to other agents' })
  return claimed
}

/** Undefined when nobody is logged in. */
export async function findUser(
  services: Services,
  { incoming, now }: Pick<Request, 'incoming' | 'now'>,
): Promise<UserCaller | undefined> {
  const token = readCookie(incoming.headers.cookie, sessionCookie)
  if (token === undefined) return undefined
  const sessionHash = services.hasher.hash('login-session', token)
  const user = await services.store.users.findBySession(sessionHash, now)
  return user === undefined ? undefined : { kind: 'user', tenant: user.tenant, user, sessionHash }
}

/** A cookie travels with requests that other pages cause; a header of its own does not. */
function requireOwnPage({ method, incoming }: Request): void {
  if (method === 'GET') return
  const proof = incoming.headers['x-requested-with']
  if (typeof proof !== 'string' || proof === '')
    throw new Problem(403, 'csrf-header-missing', { detail: 'send the header X-Requested-With' })
}

function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [key, value] = part.trim().split('=', 2)
    if (key === name && value !== undefined && value !== '') return value
  }
  return undefined
}
