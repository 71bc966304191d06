// All endpoints on one port: both published generations, our own protocol, and what operators use.
import { Hono } from 'hono'
import { healthRoutes } from './health.js'
import { openApiRoute } from './openapi.js'
import { answerNotFound, registerRoute } from './routing/register.js'
import type { Bindings, Route } from './routing/route.js'
import type { Services } from './services.js'

/** One entry per resource. Where two paths could match, the first wins. */
export function listRoutes(services: Services): readonly Route[] {
  return [...healthRoutes(services)]
}

export function createApp(services: Services): Hono<Bindings> {
  const app = new Hono<Bindings>()
  const routes = listRoutes(services)
  for (const route of [...routes, openApiRoute(routes)]) registerRoute(app, services, route)
  answerNotFound(app, services)
  return app
}
