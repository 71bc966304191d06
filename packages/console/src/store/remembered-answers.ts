// Requests that may arrive twice because an answer was lost: the second time they get the first answer and do nothing.
import { first, type Transaction } from './database.js'
import { StoreRefusal } from './refusal.js'

export interface RememberedRequest {
  readonly tenant: number
  /** Id of the key or user; keys of different callers do not meet. */
  readonly caller: string
  readonly idempotencyKey: string
  /** What was asked; the same key for something else is a mistake of the client. */
  readonly fingerprint: string
  readonly now: number
}

const rememberMs = 24 * 60 * 60 * 1_000

/**
 * @param request undefined: there is nothing to know it by, so it is a new one
 * @throws StoreRefusal when the key was used for another request
 */
export async function answerOnce<Result>(
  transaction: Transaction,
  request: RememberedRequest | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (request === undefined) return work()
  const { tenant, caller, idempotencyKey, fingerprint, now } = request
  await transaction.lock(`answer ${tenant} ${caller} ${idempotencyKey}`)
  const known = await first<{ fingerprint: string; answer: string }>(
    transaction,
    'SELECT fingerprint, answer FROM remembered_answers WHERE tenant = ? AND caller = ? AND idempotency_key = ? AND expires_at > ?',
    [tenant, caller, idempotencyKey, now],
  )
  if (known !== undefined && known.fingerprint !== fingerprint)
    throw new StoreRefusal('idempotency-mismatch', 'this idempotency key was used for another request')
  if (known !== undefined) return JSON.parse(known.answer) as Result
  const result = await work()
  await transaction.run(
    `INSERT INTO remembered_answers (tenant, caller, idempotency_key, fingerprint, answer, expires_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenant, caller, idempotency_key) DO UPDATE SET
       fingerprint = excluded.fingerprint, answer = excluded.answer, expires_at = excluded.expires_at`,
    [tenant, caller, idempotencyKey, fingerprint, JSON.stringify(result), now + rememberMs],
  )
  return result
}
