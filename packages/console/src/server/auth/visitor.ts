// Who looks at the web page. Asked by everyone who opens it, so being nobody is an answer and not an error.
import { VERSION } from 'edictum'
import type { Visitor } from '../../protocol/visitor.js'
import { protocolPrefix } from '../../protocol/version.js'
import { ok, publicRoute, type Route } from '../routing/route.js'
import type { Services } from '../services.js'
import { findUser } from './authenticate.js'

export function visitorRoutes(services: Services): readonly Route[] {
  return [
    publicRoute({
      method: 'GET',
      path: `${protocolPrefix}/visitor`,
      summary: 'Who is looking at the web page, if anybody is logged in',
      tag: 'login',
      answers: { 200: { description: 'the user, or null' } },
      handle: async ({ context, now }) => {
        const caller = await findUser(services, { incoming: context.env.incoming, now })
        const visitor: Visitor = {
          version: VERSION,
          user:
            caller === undefined
              ? null
              : {
                  id: caller.user.id,
                  email: caller.user.email,
                  role: caller.user.role,
                  has_password: caller.user.hasPassword,
                },
        }
        return ok(visitor)
      },
    }),
  ]
}
