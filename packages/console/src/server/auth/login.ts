// How people come in and go out: with a password, or with a link that opens once.
import type { Transaction } from '../../store/database.js'
import { recordAction } from '../../store/operator-log.js'
import { endSessionsOf, openLoginSession, setPassword, useLoginLink, type User } from '../../store/users.js'
import { Problem, tooMuch } from '../routing/problem.js'
import { ok, publicRoute, type Route, userRoute } from '../routing/route.js'
import type { Schema } from '../routing/schema-check.js'
import type { Services } from '../services.js'
import { sessionCookie } from './authenticate.js'
import { hashPassword, isPassword } from './passwords.js'
import { viewers } from './roles.js'
import { randomToken } from './tokens.js'

const tag = 'login'
const bodyLimit = 4_096
const sessionMs = 24 * 60 * 60 * 1_000

const newPassword: Schema = { type: 'string', minLength: 12, maxLength: 1_024, pattern: '^[^\\u0000]*$' }

export function loginRoutes(services: Services): readonly Route[] {
  return [
    publicRoute<{ email: string; password: string }>({
      method: 'POST',
      path: '/api/v1/auth/login',
      summary: 'Log in with a password',
      tag,
      bodyLimit,
      body: {
        type: 'object',
        required: ['email', 'password'],
        properties: {
          email: { type: 'string', maxLength: 255 },
          password: { type: 'string', maxLength: 1_024 },
        },
      },
      answers: {
        200: { description: 'a cookie' },
        401: { description: 'no' },
        429: { description: 'later' },
      },
      handle: async ({ body, address, now }) => {
        limitAttempts(services, address, now)
        const found = await services.store.users.findByEmail(body.email)
        const isRight = await isPassword(body.password, found?.password ?? null)
        if (found === undefined || !isRight)
          throw new Problem(401, 'unauthenticated', { detail: 'wrong address or password' })
        services.loginLimiter.giveBack(address, 1)
        const cookie = await services.store.database.transaction((transaction) =>
          openSession(services, transaction, { user: found.user, now, action: 'login.password' }),
        )
        return { status: 200, body: { message: 'logged in' }, headers: { 'Set-Cookie': cookie } }
      },
    }),
    publicRoute({
      method: 'POST',
      // Opening the address shows a page with a button: programs that look at links in messages must not use them up.
      path: '/login/{token}',
      summary: 'Log in with a link',
      tag,
      answers: { 303: { description: 'a cookie' }, 401: { description: 'no' } },
      handle: async ({ params, address, now }) => {
        limitAttempts(services, address, now)
        const tokenHash = services.hasher.hash('login-link', params['token'] ?? '')
        const cookie = await services.store.database.transaction(async (transaction) => {
          const user = await useLoginLink(transaction, { tokenHash, at: now })
          return user === undefined
            ? undefined
            : openSession(services, transaction, { user, now, action: 'login.link' })
        })
        if (cookie === undefined)
          throw new Problem(401, 'unauthenticated', { detail: 'this link was used before, or is too old' })
        services.loginLimiter.giveBack(address, 1)
        return new Response(null, { status: 303, headers: { Location: '/', 'Set-Cookie': cookie } })
      },
    }),
    userRoute(viewers, {
      method: 'POST',
      path: '/api/v1/auth/logout',
      summary: 'Log out',
      tag,
      answers: { 200: { description: 'the session is gone' } },
      handle: async ({ caller }) => {
        await services.store.users.closeSession(caller.sessionHash)
        const headers = { 'Set-Cookie': cookieText(services, '', 0) }
        return { status: 200, body: { message: 'logged out' }, headers }
      },
    }),
    userRoute(viewers, {
      method: 'GET',
      path: '/api/v1/auth/me',
      summary: 'Who is logged in',
      tag,
      answers: { 200: { description: 'the user' } },
      handle: async ({ caller: { user } }) => {
        const tenant = await services.store.tenants.find(user.tenant)
        return ok({
          user_id: user.id,
          tenant_id: tenant.publicId,
          email: user.email,
          role: user.role,
          is_admin: user.role === 'admin',
          has_password: user.hasPassword,
        })
      },
    }),
    userRoute<{ current_password?: string; password: string }>(viewers, {
      method: 'PUT',
      path: '/api/v1/auth/password',
      summary: 'Set or change the own password',
      tag,
      bodyLimit,
      body: {
        type: 'object',
        required: ['password'],
        properties: { current_password: { type: 'string', maxLength: 1_024 }, password: newPassword },
      },
      answers: { 200: { description: 'all other sessions are ended' } },
      handle: async ({ caller: { user }, body, address, now }) => {
        limitAttempts(services, address, now)
        const stored = await services.store.users.findByEmail(user.email)
        const isAllowed =
          !user.hasPassword || (await isPassword(body.current_password ?? '', stored?.password ?? null))
        if (!isAllowed) throw new Problem(403, 'forbidden', { detail: 'the current password is another one' })
        services.loginLimiter.giveBack(address, 1)
        const password = await hashPassword(body.password)
        const cookie = await services.store.database.transaction(async (transaction) => {
          await setPassword(transaction, { id: user.id, password })
          await endSessionsOf(transaction, user.id)
          return openSession(services, transaction, { user, now, action: 'password.change' })
        })
        return { status: 200, body: { message: 'changed' }, headers: { 'Set-Cookie': cookie } }
      },
    }),
    publicRoute({
      method: 'POST',
      path: '/api/v1/setup',
      summary: 'First administrator; made at the first start here',
      tag,
      bodyLimit,
      answers: { 409: { description: 'always: the login link was printed at the first start' } },
      handle: async () => {
        throw new Problem(409, 'already-set-up', {
          detail: 'the first administrator logs in with the link printed at the start',
        })
      },
    }),
  ]
}

async function openSession(
  services: Services,
  transaction: Transaction,
  { user, now, action }: { readonly user: User; readonly now: number; readonly action: string },
): Promise<string> {
  const token = randomToken()
  await openLoginSession(transaction, {
    tokenHash: services.hasher.hash('login-session', token),
    tenant: user.tenant,
    userId: user.id,
    createdAt: now,
    expiresAt: now + sessionMs,
  })
  await recordAction(transaction, {
    tenant: user.tenant,
    at: now,
    actor: user.email,
    action,
    subject: user.id,
    detail: {},
  })
  return cookieText(services, token, sessionMs / 1_000)
}

function cookieText(services: Services, token: string, seconds: number): string {
  const secure = services.baseUrl.startsWith('https:') ? '; Secure' : ''
  return `${sessionCookie}=${token}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${seconds}${secure}`
}

/** Taken before, so that guesses made at once count as well; given back to those who were right. */
function limitAttempts(services: Services, address: string, now: number): void {
  const waitSeconds = services.loginLimiter.take(address, { cost: 1, now })
  if (waitSeconds > 0) throw tooMuch('rate-limited', waitSeconds)
}
