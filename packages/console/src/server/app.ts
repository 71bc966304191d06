// All endpoints on one port: both published generations, our own protocol, and what operators use.
import { Hono } from 'hono'
import { agentSessionRoutes } from './agent-sessions.js'
import { approvalListRoutes } from './approval-list.js'
import { approvalRoutes } from './approvals.js'
import { loginRoutes } from './auth/login.js'
import { bundleRoutes } from './bundles/bundle-routes.js'
import { candidateRoutes } from './bundles/candidate-routes.js'
import { checkRoutes } from './bundles/check-routes.js'
import { deploymentRoutes } from './bundles/deployment-routes.js'
import { evaluateRoutes } from './bundles/evaluate-routes.js'
import { explanationRoutes } from './bundles/explanation-routes.js'
import { rulesetRoutes } from './bundles/ruleset-routes.js'
import { signingRoutes } from './bundles/signing-routes.js'
import { calibrationRoutes } from './calibration/calibration-routes.js'
import { visitorRoutes } from './auth/visitor.js'
import { decisionRoutes } from './decisions.js'
import { eventRoutes } from './events.js'
import { agentRoutes } from './fleet/agent-routes.js'
import { registrationRoutes } from './fleet/registration-routes.js'
import { ruleRoutes } from './fleet/rule-routes.js'
import { healthRoutes } from './health.js'
import { keyRoutes } from './keys.js'
import { channelRoutes } from './notifications/channel-routes.js'
import { openApiRoute } from './openapi.js'
import { overviewRoutes } from './overview.js'
import { answerNotFound, registerRoute } from './routing/register.js'
import type { Bindings, Route } from './routing/route.js'
import { sessionRoutes } from './sessions.js'
import { sessionLimitRoutes } from './session-limits/session-limit-routes.js'
import { settingRoutes } from './settings.js'
import { streamRoutes } from './streams/stream-routes.js'
import { statisticRoutes } from './statistics.js'
import { userRoutes } from './users.js'
import type { Services } from './services.js'
import { serveWebPage } from './web-page.js'

/** One entry per resource. Where two paths could match, the first wins. */
export function listRoutes(services: Services): readonly Route[] {
  return [
    ...healthRoutes(services),
    ...sessionRoutes(services),
    ...statisticRoutes(services),
    ...eventRoutes(services),
    ...decisionRoutes(services),
    ...explanationRoutes(services),
    ...overviewRoutes(services),
    ...agentSessionRoutes(services),
    ...sessionLimitRoutes(services),
    ...calibrationRoutes(services),
    ...approvalListRoutes(services),
    ...approvalRoutes(services),
    ...loginRoutes(services),
    ...visitorRoutes(services),
    ...userRoutes(services),
    ...keyRoutes(services),
    ...settingRoutes(services),
    ...evaluateRoutes(services),
    ...deploymentRoutes(services),
    ...checkRoutes(services),
    ...candidateRoutes(services),
    ...bundleRoutes(services),
    ...rulesetRoutes(services),
    ...signingRoutes(services),
    ...streamRoutes(services),
    ...agentRoutes(services),
    ...registrationRoutes(services),
    ...ruleRoutes(services),
    ...channelRoutes(services),
  ]
}

export function createApp(services: Services): Hono<Bindings> {
  const app = new Hono<Bindings>()
  const routes = listRoutes(services)
  for (const route of [...routes, openApiRoute(routes)]) registerRoute(app, services, route)
  serveWebPage(app, services)
  answerNotFound(app, services)
  return app
}
