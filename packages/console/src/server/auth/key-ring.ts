// API keys as they are used: looked up once, remembered until somebody revokes one, on whatever node that happens.
import { keyRevoked, type ApiKey, type KeyStore } from '../../store/keys.js'
import type { Database } from '../../store/database.js'
import type { TokenHasher } from './tokens.js'

interface Remembered {
  readonly key: ApiKey
  readonly until: number
}

/** A net below the announcements, should one ever be lost. */
const rememberMs = 30_000
const mostRemembered = 10_000
/** How exact "last used" is. */
const useRecordMs = 60_000
const keyForm = /^edk_[A-Za-z0-9._-]{1,128}_[A-Za-z0-9_-]{43}$/

export class KeyRing {
  readonly #keys: KeyStore
  readonly #database: Database
  readonly #hasher: TokenHasher
  readonly #remembered = new Map<string, Remembered>()
  readonly #usedAt = new Map<string, number>()
  /** Counts what was forgotten, so that a lookup under way does not bring back a key revoked meanwhile. */
  #generation = 0

  constructor(parts: { readonly keys: KeyStore; readonly database: Database; readonly hasher: TokenHasher }) {
    this.#keys = parts.keys
    this.#database = parts.database
    this.#hasher = parts.hasher
    parts.database.subscribe((change) => {
      if (change.kind === keyRevoked || change.kind === 'resync') this.#forget()
    })
  }

  /** Undefined for anything that is not a key in force. */
  async resolve(token: string, now: number): Promise<ApiKey | undefined> {
    if (!keyForm.test(token)) return undefined
    const keyHash = this.#hasher.hash('api-key', token)
    const key = await this.#lookUp(keyHash, now)
    if (key === undefined || (key.expiresAt !== null && key.expiresAt <= now)) return undefined
    this.#recordUse(key, now)
    return key
  }

  async #lookUp(keyHash: string, now: number): Promise<ApiKey | undefined> {
    const remembered = this.#remembered.get(keyHash)
    if (remembered !== undefined && remembered.until > now && this.#database.hearsChanges())
      return remembered.key
    const generation = this.#generation
    const key = await this.#keys.find(keyHash)
    if (key === undefined || generation !== this.#generation) return key
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear()
    this.#remembered.set(keyHash, { key, until: now + rememberMs })
    return key
  }

  #forget(): void {
    this.#generation++
    this.#remembered.clear()
  }

  #recordUse(key: ApiKey, now: number): void {
    const recorded = this.#usedAt.get(key.id) ?? key.lastUsedAt ?? 0
    if (now - recorded < useRecordMs) return
    this.#usedAt.set(key.id, now)
    // A nicety: no request waits for it or fails with it.
    this.#keys.recordUse(key.id, now).catch(() => this.#usedAt.delete(key.id))
  }
}
