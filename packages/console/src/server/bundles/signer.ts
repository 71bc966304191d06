// Signs what is served: the bytes of a bundle for published clients, a manifest for ours. Signatures are made when they are
// asked for, so a new key needs no pass over what is stored. Ed25519 always gives the same signature for the same bytes.
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { BundleSignature } from '../../protocol/bundles.js'
import type { Database } from '../../store/database.js'
import {
  addSigningKey,
  listSigningKeys,
  signingKeyRotated,
  type StoredSigningKey,
} from '../../store/signing-keys.js'
import type { Sealer } from '../auth/sealer.js'

export interface PublishedKey {
  /** Hexadecimal. */
  readonly publicKey: string
  readonly createdAt: number
  /** Null for the active key. */
  readonly validUntil: number | null
}

interface ReadyKey extends PublishedKey {
  readonly privateKey: KeyObject
}

export class Signer {
  readonly #database: Database
  readonly #sealer: Sealer
  readonly #keys = new Map<number, Promise<readonly ReadyKey[]>>()

  constructor(parts: { readonly database: Database; readonly sealer: Sealer }) {
    this.#database = parts.database
    this.#sealer = parts.sealer
    parts.database.subscribe((change) => {
      if (change.kind === signingKeyRotated || change.kind === 'resync') this.#keys.clear()
    })
  }

  /** By the active key first, then by every key that is still valid. */
  async sign(tenant: number, bytes: Uint8Array, now: number): Promise<readonly BundleSignature[]> {
    return (await this.#validKeys(tenant, now)).map(({ publicKey, privateKey }) => ({
      public_key: publicKey,
      signature: sign(null, bytes, privateKey).toString('base64'),
    }))
  }

  async publishedKeys(tenant: number, now: number): Promise<readonly PublishedKey[]> {
    const keys = await this.#validKeys(tenant, now)
    return keys.map(({ publicKey, createdAt, validUntil }) => ({ publicKey, createdAt, validUntil }))
  }

  /** A key pair to add with `addSigningKey`. */
  makeKey(): Pick<StoredSigningKey, 'publicKey' | 'sealedPrivateKey'> {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const { x } = publicKey.export({ format: 'jwk' })
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
    return {
      publicKey: Buffer.from(x ?? '', 'base64url').toString('hex'),
      sealedPrivateKey: this.#sealer.seal(pem),
    }
  }

  async #validKeys(tenant: number, now: number): Promise<readonly ReadyKey[]> {
    // While changes may go unheard, a key that was withdrawn elsewhere must not sign here.
    if (!this.#database.hearsChanges()) this.#keys.delete(tenant)
    let known = this.#keys.get(tenant)
    if (known === undefined) {
      known = this.#load(tenant, now)
      this.#keys.set(tenant, known)
      known.catch(() => this.#keys.delete(tenant))
    }
    return (await known).filter(({ validUntil }) => validUntil === null || validUntil > now)
  }

  async #load(tenant: number, now: number): Promise<readonly ReadyKey[]> {
    let stored = await listSigningKeys(this.#database, tenant, now)
    if (stored.length === 0) stored = await this.#makeFirst(tenant, now)
    return stored.map(({ publicKey, sealedPrivateKey, createdAt, validUntil }) => ({
      publicKey,
      privateKey: createPrivateKey(this.#sealer.open(sealedPrivateKey)),
      createdAt,
      validUntil,
    }))
  }

  #makeFirst(tenant: number, now: number): Promise<readonly StoredSigningKey[]> {
    return this.#database.transaction(async (transaction) => {
      await transaction.lock(`signing key ${tenant}`)
      const stored = await listSigningKeys(transaction, tenant, now)
      if (stored.length > 0) return stored
      await addSigningKey(transaction, tenant, { ...this.makeKey(), createdAt: now, othersUntil: now })
      return listSigningKeys(transaction, tenant, now)
    })
  }
}
