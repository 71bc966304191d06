// The first page people look at: one request, everything counted here.
import type { DenialSeries, Overview, OverviewBucket } from '../protocol/overview.js'
import { protocolPrefix } from '../protocol/version.js'
import { minuteMs, quarterHourMs } from '../store/count-events.js'
import type { ActionCount, NamedCount } from '../store/overview.js'
import { viewers } from './auth/roles.js'
import { Problem } from './routing/problem.js'
import { ok, type Route, userRoute } from './routing/route.js'
import type { Services } from './services.js'
import { readTime } from './time-range.js'

const dayMs = 24 * 60 * 60 * 1_000
/** Longer periods are summed up from coarser counts. */
const longestByMinuteMs = 6 * 60 * 60 * 1_000
const wantedBuckets = 60
const mostSeries = 6
const mostRows = 10
const longestPeriodMs = 90 * dayMs
const deniedActions = new Set(['call_denied', 'call_approval_denied', 'call_approval_timeout'])

export function overviewRoutes({ store }: Services): readonly Route[] {
  return [
    userRoute<undefined, { since?: string; env?: string }>(viewers, {
      method: 'GET',
      path: `${protocolPrefix}/overview`,
      summary: 'What is going on: decisions over time, denials, agents, what waits',
      tag: 'statistics',
      query: {
        type: 'object',
        properties: {
          since: { type: 'string', maxLength: 40 },
          env: { type: 'string', maxLength: 128 },
        },
      },
      answers: { 200: { description: 'counts' } },
      handle: async ({ caller: { tenant }, query, now }) => {
        const since = readTime(query.since, 'since', now) ?? now - dayMs
        if (since >= now || now - since > longestPeriodMs)
          throw new Problem(422, 'invalid-request', { detail: 'since must be within the last 90 days' })
        const grain = now - since > longestByMinuteMs ? 'quarter-hour' : 'minute'
        const grainMs = grain === 'minute' ? minuteMs : quarterHourMs
        const bucketMs = Math.ceil((now - since) / wantedBuckets / grainMs) * grainMs
        // Whole buckets, or the first one would look quieter than it was.
        const filter = {
          tenant,
          env: query.env,
          since: since - (since % bucketMs),
          until: now,
          grain,
        } as const
        const [actions, contracts, tools, topDenied, agents, pending] = await Promise.all([
          store.overview.countActions(filter, bucketMs),
          store.overview.countDenials('contract', filter, { bucketMs, most: mostSeries }),
          store.overview.countDenials('tool_name', filter, { bucketMs, most: mostSeries }),
          store.overview.listTopDenied(filter, mostRows),
          store.overview.listAgents(filter, mostRows),
          store.approvals.countPending({ tenant, env: query.env }, now),
        ])
        const starts = listStarts(filter, bucketMs)
        const overview: Overview = {
          since: new Date(filter.since).toISOString(),
          until: new Date(now).toISOString(),
          bucket_seconds: bucketMs / 1_000,
          totals: sumUp(actions),
          buckets: toBuckets(starts, actions),
          denials_by_contract: toSeries(starts, contracts),
          denials_by_tool: toSeries(starts, tools),
          top_denied: topDenied.map((row) => ({ ...row, last_at: new Date(row.last_at).toISOString() })),
          agents: agents.map((row) => ({ ...row, last_seen_at: new Date(row.last_seen_at).toISOString() })),
          pending_approvals: pending,
        }
        return ok(overview)
      },
    }),
  ]
}

function listStarts({ since, until }: { since: number; until: number }, bucketMs: number): readonly number[] {
  return Array.from(
    { length: Math.floor((until - since) / bucketMs) + 1 },
    (_, index) => since + index * bucketMs,
  )
}

/** What only watches decides nothing. */
function isAllowed({ action, mode }: ActionCount): boolean {
  return action === 'call_allowed' && mode !== 'observe'
}

function isDenied({ action, mode }: ActionCount): boolean {
  return deniedActions.has(action) && mode !== 'observe'
}

function sumUp(counts: readonly ActionCount[]): Overview['totals'] {
  const sum = (isMeant: (count: ActionCount) => boolean): number =>
    counts.filter(isMeant).reduce((total, { events }) => total + events, 0)
  const denied = sum(isDenied)
  return {
    // A call that a person approved leaves no event of its own kind but this.
    decided: denied + sum((count) => isAllowed(count) || count.action === 'call_approval_granted'),
    denied,
    would_deny: sum(({ action }) => action === 'call_would_deny'),
    asked: sum(({ action }) => action === 'call_approval_requested'),
    failed: sum(({ action }) => action === 'call_failed'),
  }
}

function toBuckets(starts: readonly number[], counts: readonly ActionCount[]): readonly OverviewBucket[] {
  const buckets = new Map(starts.map((start) => [start, { allowed: 0, denied: 0 }]))
  for (const count of counts) {
    const bucket = buckets.get(count.bucket)
    if (bucket === undefined) continue
    if (isDenied(count)) bucket.denied += count.events
    else if (isAllowed(count) || count.action === 'call_approval_granted') bucket.allowed += count.events
  }
  return [...buckets].map(([start, { allowed, denied }]) => ({
    start: new Date(start).toISOString(),
    allowed,
    denied,
  }))
}

function toSeries(starts: readonly number[], counts: readonly NamedCount[]): readonly DenialSeries[] {
  const position = new Map(starts.map((start, index) => [start, index]))
  const series = new Map<string, number[]>()
  for (const { bucket, name, events } of counts) {
    const numbers = series.get(name) ?? starts.map(() => 0)
    series.set(name, numbers)
    const index = position.get(bucket)
    if (index !== undefined) numbers[index] = events
  }
  const total = (numbers: readonly number[]): number => numbers.reduce((sum, count) => sum + count, 0)
  return [...series]
    .map(([name, denied]) => ({ name, denied }))
    .toSorted((left, right) => total(right.denied) - total(left.denied) || (left.name < right.name ? -1 : 1))
}
