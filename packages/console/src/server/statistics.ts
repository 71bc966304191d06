// Numbers for people, from the counts by minute: they cost the same whether there are a thousand events or a billion.
import { viewers } from './auth/roles.js'
import { eventFilter, eventReaders, filterParameters, type FilterQuery } from './events.js'
import { Problem } from './routing/problem.js'
import { ok, type Route, sharedRoute } from './routing/route.js'
import type { Services } from './services.js'

const tag = 'statistics'
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const mostBuckets = 10_000

interface Bucket {
  readonly bucket_start: string
  allowed: number
  denied: number
  pending: number
  observed: number
}

const column: Readonly<Record<string, Exclude<keyof Bucket, 'bucket_start'>>> = {
  call_allowed: 'allowed',
  call_denied: 'denied',
  call_approval_denied: 'denied',
  call_approval_timeout: 'denied',
  call_approval_requested: 'pending',
  call_would_deny: 'observed',
}

export function statisticRoutes(services: Services): readonly Route[] {
  const { events, approvals } = services.store
  return [
    sharedRoute<undefined, FilterQuery & { bucket_seconds: number }>(eventReaders, {
      method: 'GET',
      path: '/api/v1/events/histogram',
      summary: 'Decisions over time',
      tag,
      query: {
        type: 'object',
        properties: {
          ...filterParameters,
          bucket_seconds: { type: 'integer', minimum: 60, maximum: 86_400, multipleOf: 60, default: 3_600 },
        },
      },
      answers: { 200: { description: 'counts per bucket; empty buckets are left out' } },
      handle: async (call) => {
        const given = eventFilter(call)
        const filter = { ...given, sessionId: undefined, since: given.since ?? call.now - dayMs }
        const bucketMs = call.query.bucket_seconds * 1_000
        if (((filter.until ?? call.now) - filter.since) / bucketMs > mostBuckets)
          throw new Problem(422, 'invalid-request', { detail: 'too many buckets; take larger ones' })
        const buckets = new Map<number, Bucket>()
        for (const { bucket, action, events: count } of await events.histogram(filter, bucketMs)) {
          const name = column[action]
          if (name === undefined) continue
          const counts = buckets.get(bucket) ?? emptyBucket(bucket)
          counts[name] += count
          buckets.set(bucket, counts)
        }
        return ok([...buckets.values()])
      },
    }),
    sharedRoute<undefined, { env?: string }>(
      { scopes: ['agent', 'read'], roles: viewers },
      {
        method: 'GET',
        path: '/api/v1/stats/overview',
        summary: 'The last day in numbers',
        tag,
        query: { type: 'object', properties: { env: filterParameters.env } },
        answers: { 200: { description: 'counts' } },
        handle: async (call) => {
          const filter = { ...eventFilter(call), since: call.now - dayMs }
          const [actions, contracts, active, total, pending] = await Promise.all([
            events.countByAction(filter),
            events.countByContract(filter),
            events.countAgents(filter, call.now - hourMs),
            events.countAgents(filter, 0),
            approvals.countPending(filter, call.now),
          ])
          const triggered = contracts.filter(({ contract, action }) => contract !== '' && isFinding(action))
          return ok({
            pending_approvals: pending,
            active_agents: active,
            total_agents: total,
            events_24h: [...actions.values()].reduce((sum, count) => sum + count, 0),
            denials_24h: actions.get('call_denied') ?? 0,
            observe_findings_24h: actions.get('call_would_deny') ?? 0,
            contracts_triggered_24h: new Set(triggered.map(({ contract }) => contract)).size,
          })
        },
      },
    ),
    sharedRoute<undefined, FilterQuery>(
      { scopes: ['read'], roles: viewers },
      {
        method: 'GET',
        path: '/api/v1/stats/contracts',
        summary: 'How often each contract decided',
        tag,
        query: { type: 'object', properties: filterParameters },
        answers: { 200: { description: 'one entry per contract' } },
        handle: async (call) => {
          const given = eventFilter(call)
          const since = given.since ?? call.now - dayMs
          const until = given.until ?? call.now
          const rows = await events.countByContract({ ...given, since, until, sessionId: undefined })
          return ok({
            coverage: groupByContract(rows),
            total_events: rows.reduce((sum, row) => sum + row.events, 0),
            period_start: new Date(since).toISOString(),
            period_end: new Date(until).toISOString(),
          })
        },
      },
    ),
  ]
}

function emptyBucket(start: number): Bucket {
  return { bucket_start: new Date(start).toISOString(), allowed: 0, denied: 0, pending: 0, observed: 0 }
}

function isFinding(action: string): boolean {
  return action === 'call_denied' || action === 'call_would_deny' || action === 'postcondition_warning'
}

interface ContractCount {
  readonly contract: string
  readonly action: string
  readonly events: number
  readonly last_at: number
}

function groupByContract(rows: readonly ContractCount[]): readonly object[] {
  const contracts = new Map<
    string,
    { evaluations: number; denials: number; warnings: number; last: number }
  >()
  for (const { contract, action, events, last_at } of rows) {
    if (contract === '') continue
    const sums = contracts.get(contract) ?? { evaluations: 0, denials: 0, warnings: 0, last: 0 }
    contracts.set(contract, {
      evaluations: sums.evaluations + events,
      denials: sums.denials + (action === 'call_denied' ? events : 0),
      warnings: sums.warnings + (isFinding(action) && action !== 'call_denied' ? events : 0),
      last: Math.max(sums.last, last_at),
    })
  }
  return [...contracts].map(([name, { evaluations, denials, warnings, last }]) => ({
    decision_name: name,
    total_evaluations: evaluations,
    total_denials: denials,
    total_warnings: warnings,
    last_triggered: new Date(last).toISOString(),
  }))
}
