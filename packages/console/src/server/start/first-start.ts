// What an empty database gets: a tenant, an administrator who comes in by a link, and a key for the first agent.
import { first, type Transaction } from '../../store/database.js'
import { createKey } from '../../store/keys.js'
import type { Store } from '../../store/store.js'
import { createTenant, readSetting, writeSetting } from '../../store/tenants.js'
import { createUser } from '../../store/users.js'
import { makeLoginLink } from '../auth/login-link.js'
import { newApiKey, type TokenHasher } from '../auth/tokens.js'
import type { ConsoleOptions } from './options.js'

export interface Welcome {
  /** Only at the first start: a key is shown once. */
  readonly apiKey?: string
  /** Present as long as nobody has come in. */
  readonly loginLink?: string
}

class SecretMismatch extends Error {
  override readonly name = 'SecretMismatch'
}

const installation = 0
const fingerprintSetting = 'secret-fingerprint'
const firstAdministrator = 'admin@localhost'

interface Preparation {
  readonly store: Store
  readonly hasher: TokenHasher
  readonly options: ConsoleOptions
  readonly baseUrl: string
  readonly now: number
}

/** @throws SecretMismatch when the database was made with another secret: every key and link would be refused. */
export async function prepareFirstStart(preparation: Preparation): Promise<Welcome> {
  const { store, hasher, options, baseUrl, now } = preparation
  const { database } = store
  const apiKey = await database.exclusively(async (transaction) => {
    const stored = await readSetting(transaction, { tenant: installation, name: fingerprintSetting })
    if (stored !== undefined && stored !== hasher.fingerprint)
      throw new SecretMismatch(
        'this database belongs to another secret; give every node the same EDICTUM_SECRET or secrets.json',
      )
    if (stored !== undefined) return undefined
    await writeSetting(transaction, {
      tenant: installation,
      name: fingerprintSetting,
      value: hasher.fingerprint,
    })
    const tenant = await createTenant(transaction, { name: 'Default', at: now })
    await createUser(transaction, {
      tenant: tenant.id,
      email: firstAdministrator,
      role: 'admin',
      createdAt: now,
    })
    const { key, prefix } = newApiKey(options.environment)
    await createKey(transaction, {
      tenant: tenant.id,
      env: options.environment,
      label: 'made at the first start',
      prefix,
      scopes: ['agent'],
      agentPattern: null,
      createdBy: 'first start',
      createdAt: now,
      expiresAt: null,
      keyHash: hasher.hash('api-key', key),
    })
    return key
  })
  const needsLink = options.loginLink === 'always' || !(await store.users.hasAnyoneLoggedIn())
  const loginLink = await database.transaction(async (transaction) => {
    const user = needsLink ? await findFirstAdmin(transaction) : undefined
    return user === undefined ? undefined : makeLoginLink(transaction, { user, hasher, baseUrl, now })
  })
  return {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(loginLink === undefined ? {} : { loginLink }),
  }
}

function findFirstAdmin(transaction: Transaction): Promise<{ id: string; tenant: number } | undefined> {
  return first(
    transaction,
    `SELECT id, tenant FROM users WHERE role = 'admin' AND disabled_at IS NULL ORDER BY created_at, id LIMIT 1`,
    [],
  )
}
