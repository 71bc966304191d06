import { createHash } from 'node:crypto'
import { idempotencyHeader } from '../protocol/version.js'
import type { Transaction } from '../store/database.js'
import { answerOnce, type RememberedRequest } from '../store/remembered-answers.js'
import { Problem } from './routing/problem.js'
import type { Call, Caller } from './routing/route.js'

/** The change, or the answer it had the first time this request arrived. Without a key every request is a new one. */
export function changeOnce<Result>(
  transaction: Transaction,
  call: Call<unknown, unknown, Caller>,
  work: () => Promise<Result>,
): Promise<Result> {
  return answerOnce(transaction, knownBy(call), work)
}

/** What a request is known by when it arrives again; undefined when it carries no key. */
export function knownBy(call: Call<unknown, unknown, Caller>): RememberedRequest | undefined {
  const idempotencyKey = call.header(idempotencyHeader)
  if (idempotencyKey === undefined) return undefined
  if (!/^[\x21-\x7e]{1,200}$/.test(idempotencyKey))
    throw new Problem(422, 'invalid-request', {
      detail: `${idempotencyHeader} must be 1 to 200 visible ASCII characters`,
    })
  const { caller, now } = call
  const fingerprint = createHash('sha256')
    .update(`${call.rawPath}\n${JSON.stringify(call.body)}`)
    .digest('base64url')
  return {
    tenant: caller.tenant,
    caller: caller.kind === 'key' ? caller.key.id : caller.user.id,
    idempotencyKey,
    fingerprint,
    now,
  }
}
