// The keys bundles are signed with: which are valid, and a new one in place of the active one.
import { recordAction } from '../../store/operator-log.js'
import { addSigningKey } from '../../store/signing-keys.js'
import { admins, viewers } from '../auth/roles.js'
import { created, ok, type Route, sharedRoute, userRoute } from '../routing/route.js'
import type { Services } from '../services.js'
import type { PublishedKey } from './signer.js'

const tag = 'signing'
const dayMs = 24 * 60 * 60 * 1_000

export function signingRoutes(services: Services): readonly Route[] {
  const { signer, store } = services
  return [
    sharedRoute(
      { scopes: ['agent', 'read', 'publish'], roles: viewers },
      {
        method: 'GET',
        path: '/api/v1/signing-keys',
        summary: 'Public keys that are valid, the active one first',
        tag,
        answers: { 200: { description: 'keys in hexadecimal, with how long they are valid' } },
        handle: async ({ caller, now }) =>
          ok({ keys: (await signer.publishedKeys(caller.tenant, now)).map(toWire) }),
      },
    ),
    userRoute<undefined, { overlap_days: number }>(admins, {
      method: 'POST',
      path: '/api/v1/settings/rotate-signing-key',
      summary: 'Make a new key the active one; those before it stay valid for a while',
      tag,
      query: {
        type: 'object',
        properties: { overlap_days: { type: 'number', minimum: 0, maximum: 365, default: 30 } },
      },
      answers: { 201: { description: 'the new key; everything served from now on is signed with it' } },
      handle: async ({ caller, query, now }) => {
        const { tenant } = caller
        // There is always a key before this one, also when nothing was ever signed.
        await signer.publishedKeys(tenant, now)
        const key = signer.makeKey()
        await store.database.transaction(async (transaction) => {
          await transaction.lock(`signing key ${tenant}`)
          const othersUntil = now + query.overlap_days * dayMs
          await addSigningKey(transaction, tenant, { ...key, createdAt: now, othersUntil })
          await recordAction(transaction, {
            tenant,
            at: now,
            actor: caller.user.email,
            action: 'signing-key.rotate',
            subject: key.publicKey,
            detail: { overlap_days: query.overlap_days },
          })
        })
        const deployed = await store.deployments.listDeployed(tenant)
        return created({
          public_key: key.publicKey,
          rotated_at: new Date(now).toISOString(),
          deployments_re_signed: deployed.length,
        })
      },
    }),
  ]
}

function toWire({ publicKey, createdAt, validUntil }: PublishedKey): object {
  return {
    public_key: publicKey,
    status: validUntil === null ? 'active' : 'retiring',
    created_at: new Date(createdAt).toISOString(),
    valid_until: validUntil === null ? null : new Date(validUntil).toISOString(),
  }
}
