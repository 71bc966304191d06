// API keys of agents and programs. The key itself is never stored; its keyed hash is, and finds it again.
import { randomUUID } from 'node:crypto'
import { type Database, first, type Transaction } from './database.js'

export const keyScopes = ['agent', 'ingest', 'read', 'publish', 'approve'] as const
/** `agent` is what a guard needs: counters, its own approvals, sending events, receiving contracts. */
export type KeyScope = (typeof keyScopes)[number]

export interface ApiKey {
  readonly id: string
  readonly tenant: number
  readonly env: string
  readonly label: string | null
  /** The beginning of the key, enough to recognise it. */
  readonly prefix: string
  readonly scopes: readonly KeyScope[]
  /** Which agents may use it, with `*`; null for any. */
  readonly agentPattern: string | null
  readonly createdBy: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly lastUsedAt: number | null
}

export interface NewApiKey extends Pick<
  ApiKey,
  'tenant' | 'env' | 'label' | 'prefix' | 'scopes' | 'agentPattern' | 'createdBy' | 'createdAt' | 'expiresAt'
> {
  readonly keyHash: string
}

interface KeyRow {
  readonly id: string
  readonly tenant: number
  readonly env: string
  readonly label: string | null
  readonly prefix: string
  readonly scopes: string
  readonly agent_pattern: string | null
  readonly created_by: string
  readonly created_at: number
  readonly expires_at: number | null
  readonly last_used_at: number | null
}

const columns =
  'id, tenant, env, label, prefix, scopes, agent_pattern, created_by, created_at, expires_at, last_used_at'

/** The change that tells every node to forget a key. */
export const keyRevoked = 'key-revoked'

export async function createKey(transaction: Transaction, key: NewApiKey): Promise<ApiKey> {
  const id = randomUUID()
  const { tenant, env, label, prefix, scopes, agentPattern, createdBy, createdAt, expiresAt } = key
  await transaction.run(
    `INSERT INTO api_keys (${columns}, key_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)`,
    [
      id,
      tenant,
      env,
      label,
      prefix,
      scopes.join(' '),
      agentPattern,
      createdBy,
      createdAt,
      expiresAt,
      key.keyHash,
    ],
  )
  return {
    id,
    tenant,
    env,
    label,
    prefix,
    scopes,
    agentPattern,
    createdBy,
    createdAt,
    expiresAt,
    lastUsedAt: null,
  }
}

export class KeyStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Undefined for a key that never was or is revoked. Whether it has expired is for the caller to see. */
  async find(keyHash: string): Promise<ApiKey | undefined> {
    const row = await first<KeyRow>(
      this.#database,
      `SELECT ${columns} FROM api_keys WHERE key_hash = ? AND revoked_at IS NULL`,
      [keyHash],
    )
    return row === undefined ? undefined : fromRow(row)
  }

  async list(tenant: number): Promise<readonly ApiKey[]> {
    const rows = await this.#database.all<KeyRow>(
      `SELECT ${columns} FROM api_keys WHERE tenant = ? AND revoked_at IS NULL ORDER BY created_at, id`,
      [tenant],
    )
    return rows.map(fromRow)
  }

  async recordUse(id: string, at: number): Promise<void> {
    await this.#database.run('UPDATE api_keys SET last_used_at = ? WHERE id = ?', [at, id])
  }
}

/** False when there is no such key, or it was revoked before. */
export async function revokeKey(
  transaction: Transaction,
  key: { readonly tenant: number; readonly id: string; readonly at: number },
): Promise<boolean> {
  const changed = await transaction.run(
    'UPDATE api_keys SET revoked_at = ? WHERE tenant = ? AND id = ? AND revoked_at IS NULL',
    [key.at, key.tenant, key.id],
  )
  if (changed === 0) return false
  await transaction.announce({ kind: keyRevoked, tenant: key.tenant, subject: key.id })
  return true
}

function fromRow(row: KeyRow): ApiKey {
  return {
    id: row.id,
    tenant: row.tenant,
    env: row.env,
    label: row.label,
    prefix: row.prefix,
    scopes: row.scopes.split(' ').filter(Boolean) as KeyScope[],
    agentPattern: row.agent_pattern,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  }
}
