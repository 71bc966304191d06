// Sessions against the limits of the contracts they run under, so that somebody sees it before an agent is stopped.
import { defaultLimits } from 'edictum'
import type { LimitedCounter, NearLimits, SessionAgainstLimits } from '../../protocol/session-limits.js'
import { protocolPrefix } from '../../protocol/version.js'
import type { CountedSession, CountedUse, LastEvent } from '../../store/agent-sessions.js'
import { viewers } from '../auth/roles.js'
import type { BundleLimits } from '../bundles/examine.js'
import { readField } from '../bundles/recorded-call.js'
import { ok, type Route, userRoute } from '../routing/route.js'
import type { Services } from '../services.js'
import { KnownLimits } from './known-limits.js'

const nearFrom = 0.8
const mostLookedAt = 200
const mostShown = 20

export function sessionLimitRoutes(services: Services): readonly Route[] {
  const known = new KnownLimits(services)
  return [
    userRoute<undefined, { session_id?: string }>(viewers, {
      method: 'GET',
      path: `${protocolPrefix}/session-limits`,
      summary: 'How near sessions are to their limits',
      tag: 'sessions',
      query: { type: 'object', properties: { session_id: { type: 'string', maxLength: 10_000 } } },
      answers: { 200: { description: 'counters against limits, the nearest session first' } },
      handle: async ({ caller: { tenant }, query }) => {
        const compared = await compare(services, known, { tenant, sessionId: query.session_id })
        const shown =
          query.session_id === undefined
            ? compared.filter((session) => shareOf(session) >= nearFrom).slice(0, mostShown)
            : compared
        return ok({ sessions: shown, near_from: nearFrom } satisfies NearLimits)
      },
    }),
  ]
}

async function compare(
  { store: { agentSessions } }: Services,
  known: KnownLimits,
  filter: { readonly tenant: number; readonly sessionId?: string | undefined },
): Promise<readonly SessionAgainstLimits[]> {
  const sessions = await agentSessions.list(filter, mostLookedAt)
  const lastEvents = await agentSessions.listLastEvents(filter.tenant, sessions)
  const reported = new Map<string, Report>()
  for (const event of lastEvents) reported.set(nameOf(event), latest(reported.get(nameOf(event)), event))
  const hashes = [...new Set([...reported.values()].flatMap(({ policyVersion }) => policyVersion ?? []))]
  const limitsOf = await known.find(filter.tenant, hashes)
  const isPerTool = [...limitsOf.values()].some(
    ({ limits }) => Object.keys(limits.maxCallsPerTool).length > 0,
  )
  const usesOf = groupUses(isPerTool ? await agentSessions.listUses(filter) : [])
  return sessions
    .map((session) => {
      const report = reported.get(nameOf(session))
      const version = limitsOf.get(report?.policyVersion ?? '')
      return {
        session_id: session.session_id,
        agent_id: session.agent_id,
        env: session.env,
        last_at: new Date(session.last_at).toISOString(),
        contract_version: version === undefined ? null : { name: version.name, version: version.version },
        counters:
          version === undefined
            ? []
            : listCounters(version.limits, { session, report, uses: usesOf.get(nameOf(session)) ?? [] }),
      }
    })
    .toSorted((left, right) => shareOf(right) - shareOf(left))
}

/** What a guard says about its session with an event. */
interface Report {
  readonly policyVersion: string | null
  readonly attempts: number
  readonly executions: number
}

function latest(before: Report | undefined, event: LastEvent): Report {
  const field = readField(event)
  const count = (name: string): number => {
    const value = field(name)
    return typeof value === 'number' ? value : 0
  }
  const version = field('policy_version')
  return {
    policyVersion: typeof version === 'string' ? version : (before?.policyVersion ?? null),
    attempts: Math.max(count('session_attempt_count'), before?.attempts ?? 0),
    executions: Math.max(count('session_execution_count'), before?.executions ?? 0),
  }
}

function listCounters(
  limits: BundleLimits,
  told: {
    readonly session: CountedSession
    readonly report: Report | undefined
    readonly uses: readonly CountedUse[]
  },
): readonly LimitedCounter[] {
  const { session, report, uses } = told
  // The guard's own count goes further back than the events that are counted here; it is absent from what others send.
  const attempts = Math.max(session.attempts, report?.attempts ?? 0)
  const executions = Math.max(session.executions, report?.executions ?? 0)
  return [
    {
      limit_name: 'max_attempts',
      tool_name: null,
      count: attempts,
      limit: limits.maxAttempts ?? defaultLimits.maxAttempts,
      is_default: limits.maxAttempts === undefined,
    },
    {
      limit_name: 'max_tool_calls',
      tool_name: null,
      count: executions,
      limit: limits.maxToolCalls ?? defaultLimits.maxToolCalls,
      is_default: limits.maxToolCalls === undefined,
    },
    ...Object.entries(limits.maxCallsPerTool).map(([tool, limit]) => ({
      limit_name: 'max_calls_per_tool' as const,
      tool_name: tool,
      count: uses.find(({ tool_name: name }) => name === tool)?.executions ?? 0,
      limit,
      is_default: false,
    })),
  ]
}

/** How much of its nearest limit a session has used up. */
function shareOf({ counters }: SessionAgainstLimits): number {
  return Math.max(0, ...counters.map(({ count, limit }) => count / Math.max(1, limit)))
}

function nameOf(session: { session_id: string; agent_id: string; env: string }): string {
  return JSON.stringify([session.session_id, session.agent_id, session.env])
}

function groupUses(uses: readonly CountedUse[]): ReadonlyMap<string, readonly CountedUse[]> {
  const groups = new Map<string, CountedUse[]>()
  for (const use of uses) {
    const group = groups.get(nameOf(use))
    if (group === undefined) groups.set(nameOf(use), [use])
    else group.push(use)
  }
  return groups
}
