// Audit events: taken from agents in any published shape, stored once, read in pages.
import type { EventReceipt } from '../protocol/events.js'
import { protocolPrefix } from '../protocol/version.js'
import { type EventFilter, type EventPosition, type StoredEvent, storeManifest } from '../store/events.js'
import { matchesAgent } from './auth/agent-pattern.js'
import { viewers } from './auth/roles.js'
import { toFlatEvent, toNestedEvent } from './event-shapes.js'
import { toOurAction } from './event-words.js'
import { batchBody } from './ingest/event-batch.js'
import { Ingest } from './ingest/ingest.js'
import { Problem, tooMuch } from './routing/problem.js'
import {
  type Answer,
  type Call,
  type Caller,
  type KeyCaller,
  keyRoute,
  ok,
  type Route,
  sharedRoute,
} from './routing/route.js'
import type { Schema } from './routing/schema-check.js'
import type { Services } from './services.js'
import { readTime } from './time-range.js'

const tag = 'events'
const bodyLimit = 50 * 1_048_576

const receipt: Schema = {
  type: 'object',
  required: ['accepted', 'duplicates'],
  properties: {
    accepted: { type: 'integer' },
    duplicates: { type: 'integer' },
    rejected: {
      type: 'array',
      items: {
        type: 'object',
        properties: { index: { type: 'integer' }, reason: { type: 'string' } },
      },
    },
  },
}

const text: Schema = { type: 'string', maxLength: 10_000 }

/** What events can be looked for by, in every list and statistic. */
export const filterParameters = {
  env: text,
  agent_id: text,
  session_id: text,
  tool_name: text,
  verdict: text,
  action: text,
  mode: text,
  since: text,
  until: text,
}

export interface FilterQuery {
  readonly env?: string
  readonly agent_id?: string
  readonly session_id?: string
  readonly tool_name?: string
  readonly verdict?: string
  readonly action?: string
  readonly mode?: string
  readonly since?: string
  readonly until?: string
}

interface ListQuery extends FilterQuery {
  readonly limit: number
  readonly cursor?: string
}

export const eventReaders = { scopes: ['agent', 'read'], roles: viewers } as const

export function eventRoutes(services: Services): readonly Route[] {
  const ingest = new Ingest(services)
  const paths = ['/api/v1/events', '/v1/events', `${protocolPrefix}/events`]
  return [
    ...paths.map((path) =>
      keyRoute<Uint8Array>(['agent', 'ingest'], {
        method: 'POST',
        path,
        summary: 'Hand over audit events; the body may be gzipped',
        tag,
        body: batchBody,
        // Reading so much would keep others waiting; a thread of its own does it.
        bodyAs: 'bytes',
        bodyLimit,
        answers: {
          200: { description: 'what was taken is durable', schema: receipt },
          422: { description: 'not one event could be taken' },
          429: { description: 'later' },
          503: { description: 'later' },
        },
        handle: (call) => receive(services, ingest, call),
      }),
    ),
    listRoute(services, '/api/v1/events', (events, cursor) => ({
      status: 200,
      body: events.map(toNestedEvent),
      ...(cursor === undefined ? {} : { headers: { 'X-Next-Cursor': cursor } }),
    })),
    listRoute(services, '/v1/events', (events, cursor) =>
      ok({ events: events.map(toFlatEvent), next_cursor: cursor ?? null }),
    ),
  ]
}

async function receive(
  services: Services,
  ingest: Ingest,
  { caller, body, now }: Call<Uint8Array, unknown, KeyCaller>,
): Promise<Answer> {
  const { key } = caller
  const sender = { env: key.env, agentId: caller.agentId, agentPattern: key.agentPattern }
  const batch = await services.batchReader.open(body, sender)
  try {
    const waitSeconds = services.rateLimiter.take(key.id, { cost: batch.size, now })
    if (waitSeconds > 0) throw tooMuch('rate-limited', waitSeconds)
    const arrival = { tenant: caller.tenant, env: key.env, keyId: key.id, now }
    const receipt = await ingest.store(arrival, batch)
    if (receipt.accepted + receipt.duplicates === 0) throw nothingTaken(receipt)
    const { manifest } = batch
    if (manifest !== undefined && matchesAgent(key.agentPattern, manifest.agentId))
      await services.store.database.transaction((transaction) =>
        storeManifest(transaction, arrival, {
          agentId: manifest.agentId.replaceAll('\0', '\uFFFD'),
          content: manifest.content,
        }),
      )
    return ok(receipt)
  } finally {
    batch.drop()
  }
}

function nothingTaken({ rejected = [] }: EventReceipt): Problem {
  return new Problem(422, 'invalid-request', {
    detail: 'not one of the events could be taken',
    errors: rejected.slice(0, 100).map(({ index, reason }) => ({
      loc: ['body', 'events', index],
      msg: reason,
    })),
  })
}

function listRoute(
  services: Services,
  path: string,
  render: (events: readonly StoredEvent[], cursor: string | undefined) => Answer,
): Route {
  return sharedRoute<undefined, ListQuery>(eventReaders, {
    method: 'GET',
    path,
    summary: 'Audit events, newest first',
    tag,
    query: {
      type: 'object',
      properties: {
        ...filterParameters,
        limit: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
        cursor: { type: 'string', maxLength: 100 },
      },
    },
    answers: { 200: { description: 'a page; the cursor leads to the next one' } },
    handle: async (call) => {
      const { limit, cursor } = call.query
      const before = cursor === undefined ? undefined : readCursor(cursor)
      const events = await services.store.events.list(eventFilter(call), { before, limit })
      const last = events.length === limit ? events.at(-1) : undefined
      return render(events, last === undefined ? undefined : writeCursor(last))
    },
  })
}

/** A key sees its own environment, and if it belongs to certain agents, only theirs. */
export function eventFilter({ caller, query, now }: Call<unknown, FilterQuery, Caller>): EventFilter {
  const action = query.verdict ?? query.action
  if (caller.kind === 'key' && query.env !== undefined && query.env !== caller.key.env)
    throw new Problem(403, 'wrong-environment', { detail: 'this key belongs to another environment' })
  return {
    tenant: caller.tenant,
    env: caller.kind === 'key' ? caller.key.env : query.env,
    agentId: query.agent_id,
    agentPattern: (caller.kind === 'key' ? caller.key.agentPattern : null) ?? undefined,
    sessionId: query.session_id,
    toolName: query.tool_name,
    action: action === undefined ? undefined : toOurAction(action),
    mode: query.mode,
    since: readTime(query.since, 'since', now),
    until: readTime(query.until, 'until', now),
  }
}

export function writeCursor({ occurredAt, sequence }: EventPosition): string {
  return `${occurredAt}.${sequence}`
}

export function readCursor(cursor: string): EventPosition {
  const [, occurredAt, sequence] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? []
  if (occurredAt === undefined || sequence === undefined)
    throw new Problem(422, 'invalid-request', { detail: 'cursor is not one this server gave out' })
  return { occurredAt: Number(occurredAt), sequence: Number(sequence) }
}
