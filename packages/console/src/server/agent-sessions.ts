// Sessions for people: who is busy, who is stuck, who is denied.
import type { SessionCounts, SessionList, SessionRow } from '../protocol/agent-sessions.js'
import { protocolPrefix } from '../protocol/version.js'
import type { CountedSession } from '../store/agent-sessions.js'
import { viewers } from './auth/roles.js'
import { notFound } from './routing/problem.js'
import { ok, type Route, userRoute } from './routing/route.js'
import type { Services } from './services.js'

const tag = 'sessions'
const mostSessions = 200
const mostTools = 200

export function agentSessionRoutes({ store: { agentSessions } }: Services): readonly Route[] {
  const path = `${protocolPrefix}/agent-sessions`
  return [
    userRoute(viewers, {
      method: 'GET',
      path,
      summary: 'Sessions of agents, the one last heard of first, counted from the newest events',
      tag,
      answers: { 200: { description: 'sessions' } },
      handle: async ({ caller: { tenant } }) => {
        const [sessions, since] = await Promise.all([
          agentSessions.list({ tenant }, mostSessions),
          agentSessions.findHorizon({ tenant }),
        ])
        const list: SessionList = { sessions: sessions.map(toRow), counted_since: toTime(since) }
        return ok(list)
      },
    }),
    userRoute(viewers, {
      method: 'GET',
      path: `${path}/{id...}`,
      summary: 'One session, by agent and by tool',
      tag,
      answers: { 200: { description: 'counts' }, 404: { description: 'no event of such a session' } },
      handle: async ({ caller: { tenant }, params }) => {
        const filter = { tenant, sessionId: params['id'] ?? '' }
        const [sessions, tools, since] = await Promise.all([
          agentSessions.list(filter, mostSessions),
          agentSessions.listTools(filter, mostTools),
          agentSessions.findHorizon(filter),
        ])
        if (sessions.length === 0) throw notFound('session')
        const counts: SessionCounts = { sessions: sessions.map(toRow), tools, counted_since: toTime(since) }
        return ok(counts)
      },
    }),
  ]
}

function toRow({ first_at, last_at, ...session }: CountedSession): SessionRow {
  return { ...session, first_at: new Date(first_at).toISOString(), last_at: new Date(last_at).toISOString() }
}

function toTime(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString()
}
