// Approvals for people: what waits for them, and what has become of the rest.
import type { ApprovalList } from '../protocol/approvals.js'
import { protocolPrefix } from '../protocol/version.js'
import type { ApprovalPosition, StoredApproval } from '../store/approvals.js'
import { toApproval } from './approval-shapes.js'
import { viewers } from './auth/roles.js'
import { Problem } from './routing/problem.js'
import { ok, type Route, userRoute } from './routing/route.js'
import type { Services } from './services.js'

interface ListQuery {
  readonly status: 'pending' | 'settled'
  readonly env?: string
  readonly limit: number
  readonly cursor?: string
}

export function approvalListRoutes({ store: { approvals } }: Services): readonly Route[] {
  return [
    userRoute<undefined, ListQuery>(viewers, {
      method: 'GET',
      path: `${protocolPrefix}/approvals`,
      summary: 'Approvals that wait, the next to end first; or those that do not, newest first',
      tag: 'approvals',
      query: {
        type: 'object',
        properties: {
          status: { enum: ['pending', 'settled'], default: 'pending' },
          env: { type: 'string', maxLength: 128 },
          limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
          cursor: { type: 'string', maxLength: 100 },
        },
      },
      answers: { 200: { description: 'a page; the cursor leads to the next one' } },
      handle: async ({ caller, query, now }) => {
        const { status, limit, cursor } = query
        const filter = { tenant: caller.tenant, env: query.env }
        const before = cursor === undefined ? undefined : readCursor(cursor)
        const [found, pending] = await Promise.all([
          status === 'pending'
            ? approvals.listPending(filter, { limit, now })
            : approvals.listSettled(filter, { before, limit, now }),
          approvals.countPending(filter, now),
        ])
        return ok(toList(found, { pending, isPaged: status === 'settled' && found.length === limit }))
      },
    }),
  ]
}

function toList(
  found: readonly StoredApproval[],
  { pending, isPaged }: { readonly pending: number; readonly isPaged: boolean },
): ApprovalList {
  const last = isPaged ? found.at(-1) : undefined
  return {
    approvals: found.map(toApproval),
    pending,
    next_cursor: last === undefined ? null : `${last.createdAt}.${last.id}`,
  }
}

function readCursor(cursor: string): ApprovalPosition {
  const [, createdAt, id] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(cursor) ?? []
  if (createdAt === undefined || id === undefined)
    throw new Problem(422, 'invalid-request', { detail: 'cursor is not one this server gave out' })
  return { createdAt: Number(createdAt), id }
}
