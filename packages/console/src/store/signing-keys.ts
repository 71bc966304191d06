// Keys that sign bundles. The newest is the active one; an older one stays valid until its time is over.
import { randomUUID } from 'node:crypto'
import type { Connection, Transaction } from './database.js'

export interface StoredSigningKey {
  readonly id: string
  /** Hexadecimal. */
  readonly publicKey: string
  /** Sealed: the store cannot read it. */
  readonly sealedPrivateKey: string
  readonly createdAt: number
  /** Null for the active key. */
  readonly validUntil: number | null
}

/** The change that tells every node to read the keys again. */
export const signingKeyRotated = 'signing-key-rotated'

/** Newest first: the active key, then those whose time is not over. */
export async function listSigningKeys(
  connection: Connection,
  tenant: number,
  now: number,
): Promise<readonly StoredSigningKey[]> {
  return connection.all<StoredSigningKey>(
    `SELECT id, public_key AS "publicKey", private_key AS "sealedPrivateKey", created_at AS "createdAt",
       valid_until AS "validUntil"
     FROM signing_keys WHERE tenant = ? AND (valid_until IS NULL OR valid_until > ?)
     ORDER BY valid_until IS NOT NULL, created_at DESC`,
    [tenant, now],
  )
}

/** Adds a key and makes it the active one; those before it stay valid until `othersUntil`. */
export async function addSigningKey(
  transaction: Transaction,
  tenant: number,
  key: Pick<StoredSigningKey, 'publicKey' | 'sealedPrivateKey' | 'createdAt'> & {
    readonly othersUntil: number
  },
): Promise<void> {
  await transaction.run(
    'UPDATE signing_keys SET valid_until = ? WHERE tenant = ? AND (valid_until IS NULL OR valid_until > ?)',
    [key.othersUntil, tenant, key.othersUntil],
  )
  await transaction.run(
    'INSERT INTO signing_keys (id, tenant, public_key, private_key, created_at, valid_until) VALUES (?, ?, ?, ?, ?, NULL)',
    [randomUUID(), tenant, key.publicKey, key.sealedPrivateKey, key.createdAt],
  )
  const subject = JSON.stringify({ public_key: key.publicKey })
  await transaction.announce({ kind: signingKeyRotated, tenant, subject })
}
