import type { Transaction } from '../../store/database.js'
import { createLoginLink, type User } from '../../store/users.js'
import { randomToken, type TokenHasher } from './tokens.js'

const lifetimeMs = 24 * 60 * 60 * 1_000

export interface LinkRequest {
  readonly user: Pick<User, 'id' | 'tenant'>
  readonly hasher: TokenHasher
  readonly baseUrl: string
  readonly now: number
}

/** A new link for a user; whoever has it is that user, once. */
export async function makeLoginLink(transaction: Transaction, request: LinkRequest): Promise<string> {
  const { user, hasher, baseUrl, now } = request
  const token = randomToken()
  await createLoginLink(transaction, {
    tokenHash: hasher.hash('login-link', token),
    tenant: user.tenant,
    userId: user.id,
    expiresAt: now + lifetimeMs,
  })
  return `${baseUrl}/login/${token}`
}
