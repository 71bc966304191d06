// Whether this node is alive, whether it can do its work, and in detail.
import { consoleVersion } from './version.js'
import { viewers } from './auth/roles.js'
import { ok, publicRoute, type Answer, type Route, sharedRoute } from './routing/route.js'
import type { Services } from './services.js'

export function healthRoutes(services: Services): readonly Route[] {
  const tag = 'health'
  const health = async (): Promise<Answer> => ok({ status: 'ok', bootstrap_complete: true })
  const answers = { 200: { description: 'the server answers' } }
  return [
    publicRoute({
      method: 'GET',
      path: '/api/v1/health',
      summary: 'Whether the server answers',
      tag,
      answers,
      handle: health,
    }),
    publicRoute({
      method: 'GET',
      path: '/v1/health',
      summary: 'Whether the server answers',
      tag,
      answers,
      handle: health,
    }),
    publicRoute({
      method: 'GET',
      path: '/api/v1/health/live',
      summary: 'Whether the process runs',
      tag,
      answers,
      handle: async () => ok({ status: 'alive' }),
    }),
    publicRoute({
      method: 'GET',
      path: '/api/v1/health/ready',
      summary: 'Whether requests can be served',
      tag,
      answers: { ...answers, 503: { description: 'not now' } },
      handle: async () => {
        const { isReady, database, sessions } = await examine(services)
        return {
          status: isReady ? 200 : 503,
          body: {
            status: isReady ? 'ready' : 'not_ready',
            database: database.connected,
            sessions: sessions.connected,
          },
        }
      },
    }),
    sharedRoute(
      { scopes: ['read'], roles: viewers },
      {
        method: 'GET',
        path: '/api/v1/health/details',
        summary: 'The state of every part',
        tag,
        answers: { ...answers, 503: { description: 'something does not work' } },
        handle: async () => {
          const { isReady, database, sessions } = await examine(services)
          return {
            status: isReady ? 200 : 503,
            body: {
              status: isReady ? 'ok' : 'degraded',
              version: consoleVersion,
              auth_provider: 'local',
              bootstrap_complete: true,
              base_url_https: services.baseUrl.startsWith('https:'),
              database: { ...database, dialect: services.store.database.dialect },
              sessions: {
                ...sessions,
                store: services.options.redisUrl === undefined ? 'database' : 'redis',
              },
              change_feed: services.store.database.hearsChanges() ? 'connected' : 'disconnected',
              held_connections: services.sockets.size,
            },
          }
        },
      },
    ),
    sharedRoute(
      { scopes: ['read'], roles: viewers },
      {
        method: 'GET',
        path: '/metrics',
        summary: 'Metrics of this node, for Prometheus',
        tag,
        answers: { 200: { description: 'text in the exposition format' } },
        handle: async () =>
          new Response(services.metrics.toText(), {
            headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
          }),
      },
    ),
  ]
}

interface PartHealth {
  readonly connected: boolean
  readonly latency_ms: number
}

async function examine({ store, stopping }: Services): Promise<{
  readonly isReady: boolean
  readonly database: PartHealth
  readonly sessions: PartHealth
}> {
  const [database, sessions] = await Promise.all([
    timed(store.database.all('SELECT 1 AS one')),
    timed(store.sessions.ping()),
  ])
  return { isReady: database.connected && sessions.connected && !stopping.aborted, database, sessions }
}

async function timed(answer: Promise<unknown>): Promise<PartHealth> {
  const startedAt = performance.now()
  const connected = await answer.then(
    () => true,
    () => false,
  )
  return { connected, latency_ms: Math.round((performance.now() - startedAt) * 100) / 100 }
}
