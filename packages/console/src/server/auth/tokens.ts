// Secrets the console hands out: random, shown once, kept only as keyed hashes. Without the installation's secret a copy
// of the database opens nothing.
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

export type TokenPurpose = 'api-key' | 'login-link' | 'login-session'

export interface TokenHasher {
  readonly hash: (purpose: TokenPurpose, token: string) => string
  /** The same for the same secret; kept in the database to notice a node that was given another one. */
  readonly fingerprint: string
}

export function createTokenHasher(secret: string): TokenHasher {
  const keys = new Map<string, Buffer>()
  function keyFor(purpose: string): Buffer {
    const known = keys.get(purpose)
    if (known !== undefined) return known
    const key = Buffer.from(hkdfSync('sha256', secret, 'edictum-console', purpose, 32))
    keys.set(purpose, key)
    return key
  }
  const hash = (purpose: string, token: string): string =>
    createHmac('sha256', keyFor(purpose)).update(token).digest('base64url')
  return { hash, fingerprint: hash('fingerprint', 'edictum-console') }
}

/** 32 random bytes, 43 characters. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Takes the same time wherever the texts differ. */
export function isSameText(left: string, right: string): boolean {
  const [first, second] = [Buffer.from(left), Buffer.from(right)]
  return first.length === second.length && timingSafeEqual(first, second)
}

const prefixLength = 8

export function newApiKey(env: string): { readonly key: string; readonly prefix: string } {
  const start = `edk_${env}_`
  const token = randomToken()
  return { key: start + token, prefix: start + token.slice(0, prefixLength) }
}
