// What administrators decide for their tenant: how long events are kept, and what happened in the console.
import { recordAction } from '../store/operator-log.js'
import { readSetting, writeSetting } from '../store/tenants.js'
import { admins } from './auth/roles.js'
import { ok, type Route, userRoute } from './routing/route.js'
import type { Services } from './services.js'
import { retentionSetting } from './upkeep.js'

const tag = 'settings'
const dayMs = 24 * 60 * 60 * 1_000
const mostPerRound = 5_000

export function settingRoutes(services: Services): readonly Route[] {
  const { database, events, operatorLog } = services.store
  return [
    userRoute(admins, {
      method: 'GET',
      path: '/api/v1/settings/retention',
      summary: 'How long events are kept',
      tag,
      answers: { 200: { description: 'days; null for ever' } },
      handle: async ({ caller }) => {
        const days = await readSetting(database, { tenant: caller.tenant, name: retentionSetting })
        return ok({ event_days: days === undefined || days === '' ? null : Number(days) })
      },
    }),
    userRoute<{ event_days: number | null }>(admins, {
      method: 'PUT',
      path: '/api/v1/settings/retention',
      summary: 'Set how long events are kept',
      tag,
      body: {
        type: 'object',
        required: ['event_days'],
        properties: { event_days: { type: ['integer', 'null'], minimum: 1, maximum: 36_500 } },
      },
      answers: { 200: { description: 'older ones are removed within minutes' } },
      handle: async ({ caller, body, now }) =>
        database.transaction(async (transaction) => {
          const value = body.event_days === null ? '' : String(body.event_days)
          await writeSetting(transaction, { tenant: caller.tenant, name: retentionSetting, value })
          await recordAction(transaction, {
            tenant: caller.tenant,
            at: now,
            actor: caller.user.email,
            action: 'retention.change',
            subject: 'events',
            detail: { event_days: body.event_days },
          })
          return ok({ event_days: body.event_days })
        }),
    }),
    userRoute<undefined, { older_than_days: number }>(admins, {
      method: 'DELETE',
      path: '/api/v1/settings/purge-events',
      summary: 'Remove old events now',
      tag,
      query: {
        type: 'object',
        required: ['older_than_days'],
        properties: { older_than_days: { type: 'integer', minimum: 1, maximum: 36_500 } },
      },
      answers: { 200: { description: 'how many' } },
      handle: async ({ caller, query, now }) => {
        const cutoff = now - query.older_than_days * dayMs
        let deleted = 0
        for (let removed = mostPerRound; removed === mostPerRound; deleted += removed)
          removed = await events.removeBefore(caller.tenant, cutoff, mostPerRound)
        await database.transaction((transaction) =>
          recordAction(transaction, {
            tenant: caller.tenant,
            at: now,
            actor: caller.user.email,
            action: 'events.purge',
            subject: 'events',
            detail: { older_than_days: query.older_than_days, deleted },
          }),
        )
        return ok({ deleted_count: deleted, cutoff: new Date(cutoff).toISOString() })
      },
    }),
    userRoute<undefined, { before?: number; limit: number }>(admins, {
      method: 'GET',
      path: '/api/v1/operator-log',
      summary: 'What people did in the console, newest first',
      tag,
      query: {
        type: 'object',
        properties: {
          before: { type: 'integer', minimum: 1 },
          limit: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
        },
      },
      answers: { 200: { description: 'a page; `before` the last id leads to the next one' } },
      handle: async ({ caller, query }) => {
        const entries = await operatorLog.list(caller.tenant, {
          before: query.before ?? null,
          limit: query.limit,
        })
        return ok({
          entries: entries.map(({ id, at, actor, action, subject, detail, hash }) => ({
            id,
            at: new Date(at).toISOString(),
            actor,
            action,
            subject,
            detail,
            hash,
          })),
        })
      },
    }),
    userRoute<undefined, { known?: string }>(admins, {
      method: 'GET',
      path: '/api/v1/operator-log/verification',
      summary: 'Whether the operator log is still the chain that was written',
      tag,
      query: {
        type: 'object',
        properties: { known: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' } },
      },
      answers: {
        200: {
          description:
            'the first entry that is not what was written, and the head; `known` is a head noted earlier',
        },
      },
      handle: async ({ caller, query }) => {
        const verdict = await operatorLog.verify(caller.tenant, query.known ?? null)
        const { entries, unchained, firstBroken, head, hasKnown } = verdict
        return ok({
          intact: firstBroken === null && hasKnown !== false,
          entries,
          unchained,
          first_broken: firstBroken,
          head,
          has_known: hasKnown,
        })
      },
    }),
  ]
}
