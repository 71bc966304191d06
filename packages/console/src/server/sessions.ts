// What the processes of an agent share: values, counters, execution slots. The same for both published generations; our
// own protocol sends keys in bodies and takes slots in one step.
import type { ReservationRequest, Settlement } from '../protocol/sessions.js'
import { protocolPrefix } from '../protocol/version.js'
import type { At } from '../store/sessions.js'
import { knownBy } from './idempotency.js'
import { notFound } from './routing/problem.js'
import { type Call, type KeyCaller, keyRoute, ok, type Route } from './routing/route.js'
import type { Schema } from './routing/schema-check.js'
import type { Services } from './services.js'
import { checkSessionKey, sessionKeyFromPath } from './session-key.js'

const tag = 'sessions'
const longestValue = 1_048_576
const mostKeys = 100

const key: Schema = { type: 'string', minLength: 1, maxLength: 20_000 }
const value: Schema = { type: 'string', maxLength: longestValue }
const amount: Schema = { type: 'number', minimum: -1e15, maximum: 1e15 }
const name: Schema = { type: 'string', minLength: 1, maxLength: 10_000 }
const limit: Schema = { type: 'number', minimum: 0, maximum: 1e15 }

const valueAnswer: Schema = {
  type: 'object',
  required: ['value'],
  properties: { value: { type: ['string', 'null'] } },
}
const numberAnswer: Schema = {
  type: 'object',
  required: ['value'],
  properties: { value: { type: 'number' } },
}
const valuesAnswer: Schema = {
  type: 'object',
  required: ['values'],
  properties: { values: { type: 'object', additionalProperties: { type: ['string', 'null'] } } },
}
const countersAnswer: Schema = {
  type: 'object',
  required: ['attempts', 'executions', 'toolExecutions'],
  properties: {
    attempts: { type: 'number' },
    executions: { type: 'number' },
    toolExecutions: { type: 'number' },
  },
}

export function sessionRoutes(services: Services): readonly Route[] {
  return [
    ...ownRoutes(services),
    ...['/api/v1', '/v1'].flatMap((prefix) => publishedRoutes(services, prefix)),
  ]
}

function publishedRoutes(services: Services, prefix: string): readonly Route[] {
  const { sessions } = services.store
  const path = `${prefix}/sessions/{key...}`
  const keyOf = ({ rawPath }: Call<unknown, unknown, KeyCaller>): string =>
    sessionKeyFromPath(rawPath, `${prefix}/sessions/`)
  return [
    keyRoute<{ keys: readonly string[] }>(['agent'], {
      method: 'POST',
      path: `${prefix}/sessions/batch`,
      summary: 'Read several session values',
      tag,
      body: keysBody({ least: 1, most: mostKeys }),
      answers: { 200: { description: 'null for keys that do not exist', schema: valuesAnswer } },
      handle: async (call) =>
        ok({ values: await sessions.batchGet(scopeOf(call), call.body.keys.map(checkSessionKey)) }),
    }),
    keyRoute<{ amount?: number }>(['agent'], {
      method: 'POST',
      path: `${prefix}/sessions/{key...}/increment`,
      summary: 'Add to a counter, atomically',
      tag,
      body: { type: 'object', properties: { amount } },
      answers: {
        200: { description: 'the new value', schema: numberAnswer },
        409: { description: 'the stored value is not a number' },
      },
      handle: async (call) => {
        const key = checkSessionKey(keyOf(call).replace(/\/increment$/, ''))
        const entry = { key, amount: call.body.amount ?? 1 }
        return ok({ value: await sessions.increment(scopeOf(call), entry, knownBy(call)) })
      },
    }),
    keyRoute(['agent'], {
      method: 'GET',
      path,
      summary: 'Read a session value',
      tag,
      answers: {
        200: { description: 'the value', schema: valueAnswer },
        404: { description: 'there is none' },
      },
      handle: async (call) => {
        const value = await sessions.get(scopeOf(call), checkSessionKey(keyOf(call)))
        if (value === null) throw notFound('session value')
        return ok({ value })
      },
    }),
    keyRoute<{ value: string }>(['agent'], {
      method: 'PUT',
      path,
      summary: 'Set a session value',
      tag,
      // The text may take more room in JSON than it has characters.
      bodyLimit: 4 * longestValue,
      body: { type: 'object', required: ['value'], properties: { value } },
      answers: { 200: { description: 'the value', schema: valueAnswer } },
      handle: async (call) => {
        const entry = { key: checkSessionKey(keyOf(call)), value: call.body.value }
        await sessions.set(scopeOf(call), entry)
        return ok({ value: entry.value })
      },
    }),
    keyRoute(['agent'], {
      method: 'DELETE',
      path,
      summary: 'Delete a session value',
      tag,
      answers: { 200: { description: 'whether or not there was one', schema: valueAnswer } },
      handle: async (call) => {
        const key = checkSessionKey(keyOf(call))
        await sessions.delete(scopeOf(call), key)
        return ok({ value: null })
      },
    }),
  ]
}

function ownRoutes(services: Services): readonly Route[] {
  const { sessions } = services.store
  const path = (step: string): string => `${protocolPrefix}/sessions/${step}`
  return [
    keyRoute<{ key: string }>(['agent'], {
      method: 'POST',
      path: path('get'),
      summary: 'Read a session value',
      tag,
      body: { type: 'object', required: ['key'], properties: { key } },
      answers: { 200: { description: 'null when there is none', schema: valueAnswer } },
      handle: async (call) => ok({ value: await sessions.get(scopeOf(call), call.body.key) }),
    }),
    keyRoute<{ key: string; value: string }>(['agent'], {
      method: 'POST',
      path: path('set'),
      summary: 'Set a session value',
      tag,
      bodyLimit: 4 * longestValue,
      body: { type: 'object', required: ['key', 'value'], properties: { key, value } },
      answers: { 200: { description: 'it is stored' } },
      handle: async (call) => {
        const entry = { key: call.body.key, value: call.body.value }
        await sessions.set(scopeOf(call), entry)
        return ok({})
      },
    }),
    keyRoute<{ key: string }>(['agent'], {
      method: 'POST',
      path: path('delete'),
      summary: 'Delete a session value',
      tag,
      body: { type: 'object', required: ['key'], properties: { key } },
      answers: { 200: { description: 'whether or not there was one' } },
      handle: async (call) => {
        const key = call.body.key
        await sessions.delete(scopeOf(call), key)
        return ok({})
      },
    }),
    keyRoute<{ key: string; amount?: number }>(['agent'], {
      method: 'POST',
      path: path('increment'),
      summary: 'Add to a counter, atomically',
      tag,
      body: { type: 'object', required: ['key'], properties: { key, amount } },
      answers: { 200: { description: 'the new value', schema: numberAnswer } },
      handle: async (call) => {
        const entry = { key: call.body.key, amount: call.body.amount ?? 1 }
        return ok({ value: await sessions.increment(scopeOf(call), entry, knownBy(call)) })
      },
    }),
    keyRoute<{ keys: readonly string[] }>(['agent'], {
      method: 'POST',
      path: path('batch-get'),
      summary: 'Read several session values',
      tag,
      body: keysBody({ least: 0, most: 1_000 }),
      answers: { 200: { description: 'null for keys that do not exist', schema: valuesAnswer } },
      handle: async (call) => ok({ values: await sessions.batchGet(scopeOf(call), call.body.keys) }),
    }),
    keyRoute<ReservationRequest>(['agent'], {
      method: 'POST',
      path: path('reserve'),
      summary: 'Count an attempt and take an execution slot, as one atomic step',
      tag,
      body: {
        type: 'object',
        required: ['sessionId', 'toolName', 'attempt', 'slot', 'limits', 'leaseSeconds'],
        properties: {
          sessionId: name,
          toolName: name,
          attempt: { enum: ['count', 'counted'] },
          slot: { enum: ['take', 'leave'] },
          limits: {
            type: 'object',
            properties: { attempts: limit, executions: limit, toolExecutions: limit },
          },
          leaseSeconds: { type: 'number', exclusiveMinimum: 0, maximum: 604_800 },
        },
      },
      answers: {
        200: {
          description: 'the counters, and the slot if there was room',
          schema: {
            type: 'object',
            required: ['counters', 'slot'],
            properties: { counters: countersAnswer, slot: { type: 'object' } },
          },
        },
      },
      handle: async (call) => ok(await sessions.reserve(scopeOf(call), call.body, knownBy(call))),
    }),
    keyRoute<Settlement>(['agent'], {
      method: 'POST',
      path: path('settle'),
      summary: 'End a reservation, as one atomic step',
      tag,
      body: {
        type: 'object',
        required: ['sessionId', 'toolName', 'slotId', 'outcome'],
        properties: {
          sessionId: name,
          toolName: name,
          slotId: { type: 'string', minLength: 1, maxLength: 128 },
          outcome: { enum: ['executed', 'failed', 'uncertain', 'released'] },
        },
      },
      answers: { 200: { description: 'the counters afterwards', schema: countersAnswer } },
      handle: async (call) => ok(await sessions.settle(scopeOf(call), call.body, knownBy(call))),
    }),
  ]
}

function scopeOf({ caller, now }: Call<unknown, unknown, KeyCaller>): At {
  return { tenant: caller.tenant, env: caller.key.env, now }
}

function keysBody({ least, most }: { readonly least: number; readonly most: number }): Schema {
  return {
    type: 'object',
    required: ['keys'],
    properties: { keys: { type: 'array', items: key, minItems: least, maxItems: most } },
  }
}
