// The people of a tenant and what they may do. New ones come in by a link that the administrator passes on.
import { type UserRole, userRoles } from '../protocol/visitor.js'
import { recordAction } from '../store/operator-log.js'
import { changeUser, countAdmins, createUser, disableUser, endSessionsOf, type User } from '../store/users.js'
import { makeLoginLink } from './auth/login-link.js'
import { admins } from './auth/roles.js'
import { notFound, Problem } from './routing/problem.js'
import { type Call, created, ok, type Route, type UserCaller, userRoute } from './routing/route.js'
import type { Services } from './services.js'

const tag = 'users'
const role = { enum: userRoles }

export function userRoutes(services: Services): readonly Route[] {
  const { database, users } = services.store
  const { hasher, baseUrl } = services
  return [
    userRoute(admins, {
      method: 'GET',
      path: '/api/v1/users',
      summary: 'Users',
      tag,
      answers: { 200: { description: 'all of them' } },
      handle: async ({ caller }) => ok((await users.list(caller.tenant)).map(toWire)),
    }),
    userRoute<{ email: string; role: UserRole }>(admins, {
      method: 'POST',
      path: '/api/v1/users',
      summary: 'Add a user; the answer has a login link to pass on',
      tag,
      body: {
        type: 'object',
        required: ['email', 'role'],
        properties: {
          email: { type: 'string', maxLength: 255, pattern: '^[^@\\s<>]+@[^@\\s<>]+$' },
          role,
        },
      },
      answers: { 201: { description: 'with the link' }, 409: { description: 'the address is taken' } },
      handle: async (call) =>
        database.transaction(async (transaction) => {
          const { caller, body, now } = call
          const user = await createUser(transaction, {
            tenant: caller.tenant,
            email: body.email,
            role: body.role,
            createdAt: now,
          })
          if (user === undefined)
            throw new Problem(409, 'conflict', { detail: 'there is a user with this address' })
          const link = await makeLoginLink(transaction, { user, now, hasher, baseUrl })
          const detail = { email: user.email, role: user.role }
          await recordAction(transaction, actionOf(call, { action: 'user.create', subject: user.id, detail }))
          return created({ ...toWire(user), login_link: link })
        }),
    }),
    userRoute<{ role: UserRole }>(admins, {
      method: 'PATCH',
      path: '/api/v1/users/{id}',
      summary: 'Change a role',
      tag,
      body: { type: 'object', required: ['role'], properties: { role } },
      answers: { 200: { description: 'the user has to log in again' }, 404: { description: 'no such user' } },
      handle: async (call) =>
        database.transaction(async (transaction) => {
          const id = call.params['id'] ?? ''
          const { tenant } = call.caller
          await transaction.lock(`users ${tenant}`)
          if (!(await changeUser(transaction, { tenant, id, role: call.body.role }))) throw notFound('user')
          requireAdmin(await countAdmins(transaction, tenant))
          await endSessionsOf(transaction, id)
          const detail = { role: call.body.role }
          await recordAction(transaction, actionOf(call, { action: 'user.change', subject: id, detail }))
          return ok({ id, role: call.body.role })
        }),
    }),
    userRoute(admins, {
      method: 'DELETE',
      path: '/api/v1/users/{id}',
      summary: 'Remove a user',
      tag,
      answers: { 200: { description: 'gone, at once' }, 404: { description: 'no such user' } },
      handle: async (call) =>
        database.transaction(async (transaction) => {
          const id = call.params['id'] ?? ''
          const { tenant } = call.caller
          await transaction.lock(`users ${tenant}`)
          if (!(await disableUser(transaction, { tenant, id, at: call.now }))) throw notFound('user')
          requireAdmin(await countAdmins(transaction, tenant))
          await endSessionsOf(transaction, id)
          await recordAction(transaction, actionOf(call, { action: 'user.remove', subject: id, detail: {} }))
          return ok({ id })
        }),
    }),
    userRoute(admins, {
      method: 'POST',
      path: '/api/v1/users/{id}/login-link',
      summary: 'A new login link to pass on',
      tag,
      answers: { 201: { description: 'the link' }, 404: { description: 'no such user' } },
      handle: async (call) => {
        const user = await users.find(call.params['id'] ?? '')
        if (user === undefined || user.tenant !== call.caller.tenant) throw notFound('user')
        return database.transaction(async (transaction) => {
          const link = await makeLoginLink(transaction, { user, now: call.now, hasher, baseUrl })
          await recordAction(
            transaction,
            actionOf(call, { action: 'user.link', subject: user.id, detail: {} }),
          )
          return created({ login_link: link })
        })
      },
    }),
  ]
}

function toWire({ id, email, role: given, createdAt, hasPassword }: User): object {
  return { id, email, role: given, created_at: new Date(createdAt).toISOString(), has_password: hasPassword }
}

function requireAdmin(left: number): void {
  if (left === 0)
    throw new Problem(409, 'conflict', { detail: 'somebody has to be administrator; make another one first' })
}

function actionOf(
  { caller, now }: Call<unknown, unknown, UserCaller>,
  action: {
    readonly action: string
    readonly subject: string
    readonly detail: Readonly<Record<string, unknown>>
  },
): Parameters<typeof recordAction>[1] {
  return { tenant: caller.tenant, at: now, actor: caller.user.email, ...action }
}
