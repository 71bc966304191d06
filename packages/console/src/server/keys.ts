// API keys: made by administrators, shown once, gone the moment they are revoked.
import { createKey, type ApiKey, type KeyScope, keyScopes, revokeKey } from '../store/keys.js'
import { recordAction } from '../store/operator-log.js'
import { admins, viewers } from './auth/roles.js'
import { newApiKey } from './auth/tokens.js'
import { notFound, Problem } from './routing/problem.js'
import { created, ok, type Route, userRoute } from './routing/route.js'
import type { Services } from './services.js'

const tag = 'keys'

interface NewKey {
  readonly env: string
  readonly label?: string | null
  readonly scopes?: readonly KeyScope[]
  readonly agent_pattern?: string | null
  readonly expires_at?: string | null
}

export function keyRoutes(services: Services): readonly Route[] {
  const { database, keys } = services.store
  return [
    userRoute(viewers, {
      method: 'GET',
      path: '/api/v1/keys',
      summary: 'Keys in force',
      tag,
      answers: { 200: { description: 'without the keys themselves' } },
      handle: async ({ caller }) => ok((await keys.list(caller.tenant)).map(toWire)),
    }),
    userRoute<NewKey>(admins, {
      method: 'POST',
      path: '/api/v1/keys',
      summary: 'Make a key',
      tag,
      body: {
        type: 'object',
        required: ['env'],
        properties: {
          env: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$' },
          label: { type: ['string', 'null'], maxLength: 255, pattern: '^[^<>\\u0000-\\u001f]*$' },
          scopes: { type: 'array', minItems: 1, uniqueItems: true, items: { enum: keyScopes } },
          agent_pattern: { type: ['string', 'null'], pattern: '^[A-Za-z0-9._*-]{1,128}$' },
          expires_at: { type: ['string', 'null'], maxLength: 40 },
        },
      },
      answers: { 201: { description: 'with the key, this once' } },
      handle: async ({ caller, body, now }) => {
        const { key, prefix } = newApiKey(body.env)
        const expiresAt = readExpiry(body.expires_at, now)
        return database.transaction(async (transaction) => {
          const made = await createKey(transaction, {
            tenant: caller.tenant,
            env: body.env,
            label: body.label ?? null,
            prefix,
            scopes: body.scopes ?? ['agent'],
            agentPattern: body.agent_pattern ?? null,
            createdBy: caller.user.email,
            createdAt: now,
            expiresAt,
            keyHash: services.hasher.hash('api-key', key),
          })
          await recordAction(transaction, {
            tenant: caller.tenant,
            at: now,
            actor: caller.user.email,
            action: 'key.create',
            subject: made.id,
            detail: { env: made.env, scopes: made.scopes, prefix },
          })
          return created({ ...toWire(made), key })
        })
      },
    }),
    userRoute(admins, {
      method: 'DELETE',
      path: '/api/v1/keys/{id}',
      summary: 'Revoke a key',
      tag,
      answers: { 200: { description: 'it opens nothing from now on' }, 404: { description: 'no such key' } },
      handle: async ({ caller, params, now }) => {
        const id = params['id'] ?? ''
        return database.transaction(async (transaction) => {
          if (!(await revokeKey(transaction, { tenant: caller.tenant, id, at: now }))) throw notFound('key')
          await recordAction(transaction, {
            tenant: caller.tenant,
            at: now,
            actor: caller.user.email,
            action: 'key.revoke',
            subject: id,
            detail: {},
          })
          return ok({ id })
        })
      },
    }),
  ]
}

function readExpiry(text: string | null | undefined, now: number): number | null {
  if (text === undefined || text === null) return null
  const time = Date.parse(text)
  if (!Number.isFinite(time) || time <= now)
    throw new Problem(422, 'invalid-request', { detail: 'expires_at must be a time to come' })
  return time
}

function toWire(key: ApiKey): object {
  const time = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
  return {
    id: key.id,
    prefix: key.prefix,
    env: key.env,
    label: key.label,
    scopes: key.scopes,
    agent_pattern: key.agentPattern,
    created_by: key.createdBy,
    created_at: time(key.createdAt),
    expires_at: time(key.expiresAt),
    last_used_at: time(key.lastUsedAt),
  }
}
