// One definition per endpoint: from it come the handler, the checks in front of it and the API document.
import type { Context } from 'hono'
import type { HttpBindings } from '@hono/node-server'
import type { UserRole } from '../../protocol/visitor.js'
import type { ApiKey, KeyScope } from '../../store/keys.js'
import type { User } from '../../store/users.js'
import type { Schema } from './schema-check.js'

export type Bindings = { Bindings: HttpBindings }

/** Who may call: anyone, a key with one of the scopes, a person with one of the roles, or either. */
export interface Access {
  readonly scopes?: readonly KeyScope[]
  readonly roles?: readonly UserRole[]
}

export type Caller = KeyCaller | UserCaller

export interface KeyCaller {
  readonly kind: 'key'
  readonly tenant: number
  readonly key: ApiKey
  /** As the client says, or `key:` and the prefix of its key. */
  readonly agentId: string
}

export interface UserCaller {
  readonly kind: 'user'
  readonly tenant: number
  readonly user: User
  /** Of the session the person is using. */
  readonly sessionHash: string
}

export interface Call<Body = unknown, Query = unknown, Who = Caller> {
  readonly caller: Who
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  readonly now: number
  readonly requestId: string
  /** Of the client, seen through proxies that are trusted. */
  readonly address: string
  readonly header: (name: string) => string | undefined
  /** Path as it came, not decoded. */
  readonly rawPath: string
  /** Aborted when the client is gone or the server stops. */
  readonly signal: () => AbortSignal
  readonly context: Context<Bindings>
}

export interface Answer {
  readonly status: number
  /** Every answer has a body: some clients cannot read an empty one. */
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Route {
  readonly method: Method
  /** `{name}` is one part of the path, `{name...}` the rest of it. */
  readonly path: string
  readonly summary: string
  readonly tag: string
  /** Absent: anyone. */
  readonly access?: Access
  readonly query?: Schema
  readonly body?: Schema
  /** The handler gets the bytes and checks them itself. Absent: what they say, checked. */
  readonly bodyAs?: 'bytes'
  /** Bytes after decompression; one mebibyte if absent. */
  readonly bodyLimit?: number
  readonly answers: Readonly<Record<number, { readonly description: string; readonly schema?: Schema }>>
  readonly handle: (call: Call<never, never, never>) => Promise<Answer | Response>
}

type TypedRoute<Body, Query, Who> = Omit<Route, 'handle'> & {
  readonly handle: (call: Call<Body, Query, Who>) => Promise<Answer | Response>
}

/** For anyone: there may be no caller. */
export function publicRoute<Body = undefined, Query = undefined>(
  route: Omit<TypedRoute<Body, Query, undefined>, 'access'>,
): Route {
  return route
}

/** For programs with an API key that has one of the scopes. */
export function keyRoute<Body = undefined, Query = undefined>(
  scopes: readonly KeyScope[],
  route: Omit<TypedRoute<Body, Query, KeyCaller>, 'access'>,
): Route {
  return { ...route, access: { scopes } }
}

/** For people with one of the roles. */
export function userRoute<Body = undefined, Query = undefined>(
  roles: readonly UserRole[],
  route: Omit<TypedRoute<Body, Query, UserCaller>, 'access'>,
): Route {
  return { ...route, access: { roles } }
}

/** For either. */
export function sharedRoute<Body = undefined, Query = undefined>(
  access: Required<Access>,
  route: Omit<TypedRoute<Body, Query, Caller>, 'access'>,
): Route {
  return { ...route, access }
}

export function ok(body: object): Answer {
  return { status: 200, body }
}

export function created(body: object): Answer {
  return { status: 201, body }
}
