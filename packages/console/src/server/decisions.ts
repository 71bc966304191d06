// Events for people: searched, opened, with everything that belongs to the same call.
import type { Decision, DecisionFacets, DecisionPage, DecisionRow } from '../protocol/decisions.js'
import { protocolPrefix } from '../protocol/version.js'
import type { StoredEvent } from '../store/events.js'
import { viewers } from './auth/roles.js'
import { readTiming } from './call-timing.js'
import { eventFilter, filterParameters, type FilterQuery, readCursor, writeCursor } from './events.js'
import { notFound } from './routing/problem.js'
import { ok, type Route, userRoute } from './routing/route.js'
import type { Services } from './services.js'

const tag = 'decisions'
const longestReason = 300
const mostFacetValues = 200
const facetMs = 7 * 24 * 60 * 60 * 1_000

interface SearchQuery extends FilterQuery {
  readonly contract?: string
  readonly principal?: string
  readonly text?: string
  readonly limit: number
  readonly cursor?: string
}

export function decisionRoutes(services: Services): readonly Route[] {
  const { decisions } = services.store
  const path = `${protocolPrefix}/decisions`
  return [
    userRoute<undefined, SearchQuery>(viewers, {
      method: 'GET',
      path,
      summary: 'Search events, newest first',
      tag,
      query: {
        type: 'object',
        properties: {
          ...filterParameters,
          contract: filterParameters.tool_name,
          principal: filterParameters.tool_name,
          text: { type: 'string', maxLength: 500 },
          limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
          cursor: { type: 'string', maxLength: 100 },
        },
      },
      answers: { 200: { description: 'a page; the cursor leads to the next one' } },
      handle: async (call) => {
        const { contract, principal, text, limit, cursor } = call.query
        const before = cursor === undefined ? undefined : readCursor(cursor)
        const filter = { ...eventFilter(call), contract, principal, text }
        const { found, end } = await decisions.search(filter, { before, limit })
        const isCutShort = end !== undefined && found.length < limit
        const page: DecisionPage = {
          decisions: found.map(toRow),
          next_cursor: end === undefined ? null : writeCursor(end),
          looked_back_to: isCutShort ? new Date(end.occurredAt).toISOString() : null,
        }
        return ok(page)
      },
    }),
    userRoute(viewers, {
      method: 'GET',
      path: `${path}/facets`,
      summary: 'What the events of the last week can be filtered by',
      tag,
      answers: {
        200: {
          description: 'values with their counts, the most frequent first; agents, last heard of first',
        },
      },
      handle: async ({ caller: { tenant }, now }) => {
        const filter = { tenant, since: now - facetMs }
        const [environments, tools, contracts, actions, agents] = await Promise.all([
          decisions.facet('env', filter, mostFacetValues),
          decisions.facet('tool_name', filter, mostFacetValues),
          decisions.facet('contract', filter, mostFacetValues),
          decisions.facet('action', filter, mostFacetValues),
          decisions.listAgents(filter, mostFacetValues),
        ])
        const facets: DecisionFacets = { environments, agents, tools, contracts, actions }
        return ok(facets)
      },
    }),
    userRoute(viewers, {
      method: 'GET',
      path: `${path}/{id}`,
      summary: 'One event with everything it holds, and the others of the same call',
      tag,
      answers: { 200: { description: 'the event' }, 404: { description: 'no such event' } },
      handle: async ({ caller: { tenant }, params }) => {
        const id = params['id'] ?? ''
        const event = /^\d{1,15}$/.test(id) ? await decisions.find(tenant, Number(id)) : undefined
        if (event === undefined) throw notFound('decision')
        const content = contentOf(event)
        const callId = textOf(content, 'call_id')
        // Some clients leave the id of the call empty; then nothing says what belongs together.
        const related = callId === null ? [event] : await decisions.listCall(tenant, event, callId)
        const decision: Decision = {
          ...toRow(event),
          received_at: new Date(event.receivedAt).toISOString(),
          key_id: event.keyId,
          event: content,
          related: related.map(toRow),
          timing: readTiming(related),
        }
        return ok(decision)
      },
    }),
  ]
}

type Content = Readonly<Record<string, unknown>>

function contentOf(event: StoredEvent): Content {
  return JSON.parse(event.content) as Content
}

function toRow(event: StoredEvent): DecisionRow {
  const content = contentOf(event)
  const { payload } = content
  const nested = typeof payload === 'object' && payload !== null ? (payload as Content) : {}
  const named = (name: string): string | null => textOf(content, name) ?? textOf(nested, name)
  return {
    id: String(event.sequence),
    at: new Date(event.occurredAt).toISOString(),
    env: event.env,
    agent_id: event.agentId,
    session_id: event.sessionId,
    tool_name: event.toolName,
    action: event.action,
    mode: event.mode,
    contract: named('decision_name'),
    decision_source: named('decision_source'),
    reason: named('reason')?.slice(0, longestReason) ?? null,
  }
}

function textOf(content: Content, name: string): string | null {
  const value = content[name]
  return typeof value === 'string' && value !== '' ? value : null
}
