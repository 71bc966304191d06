// Channels: made and tried by administrators, seen by everyone, their secrets by nobody.
import { randomBytes, randomUUID } from 'node:crypto'
import {
  type Channel,
  changeChannel,
  createChannel,
  type Delivery,
  removeChannel,
} from '../../store/notifications.js'
import type {
  NotificationChannel,
  NotificationDelivery,
  NotificationFilters,
} from '../../protocol/notifications.js'
import { recordAction } from '../../store/operator-log.js'
import type { Transaction } from '../../store/database.js'
import { admins, viewers } from '../auth/roles.js'
import { notFound, Problem } from '../routing/problem.js'
import { type Call, created, ok, type Route, type UserCaller, userRoute } from '../routing/route.js'
import type { Schema } from '../routing/schema-check.js'
import type { Services } from '../services.js'
import { type ChannelConfig, writeBody } from './message.js'
import { Notifier } from './notifier.js'
import { checkUrl, findAddress, UnsafeAddress } from './safe-post.js'

const tag = 'notifications'
const path = '/api/v1/notifications/channels'
const patterns: Schema = {
  type: 'array',
  maxItems: 100,
  items: { type: 'string', minLength: 1, maxLength: 200 },
}
const name: Schema = { type: 'string', minLength: 1, maxLength: 100, pattern: '^[^<>\\u0000-\\u001f]*$' }
const config: Schema = { type: 'object', additionalProperties: { type: 'string', maxLength: 2_000 } }
const filters: Schema = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: { environments: patterns, agent_patterns: patterns, contract_names: patterns },
}

interface NewChannel {
  readonly name: string
  readonly channel_type: string
  readonly config: Readonly<Record<string, string>>
  readonly filters?: NotificationFilters | null
}

interface ChannelChange {
  readonly name?: string
  readonly config?: Readonly<Record<string, string>>
  readonly enabled?: boolean
  readonly filters?: NotificationFilters | null
}

export function channelRoutes(services: Services): readonly Route[] {
  const notifier = new Notifier(services)
  const { database, notifications } = services.store
  const seal = (value: ChannelConfig): string => services.sealer.seal(JSON.stringify(value))
  const find = async ({ caller, params }: Call<unknown, unknown, UserCaller>): Promise<Channel> => {
    const channel = await notifications.findChannel(caller.tenant, params['id'] ?? '')
    if (channel === undefined) throw notFound('channel')
    return channel
  }
  const show = (channel: Channel): NotificationChannel => toWire(channel, readConfig(services, channel))
  return [
    userRoute(viewers, {
      method: 'GET',
      path,
      summary: 'Channels, without their secrets',
      tag,
      answers: { 200: { description: 'channels' } },
      handle: async ({ caller }) => ok((await notifications.listChannels(caller.tenant)).map(show)),
    }),
    userRoute<NewChannel>(admins, {
      method: 'POST',
      path,
      summary: 'Add a channel: a webhook of yours, or one of Slack',
      tag,
      body: {
        type: 'object',
        required: ['name', 'channel_type', 'config'],
        properties: { name, channel_type: { type: 'string', maxLength: 32 }, config, filters },
      },
      answers: { 201: { description: 'the channel; its secret, this once, when one was made' } },
      handle: async (call) => {
        const { caller, body, now } = call
        const type = readType(body.channel_type)
        const given = await checkConfig(services, type, body.config)
        // Unsigned messages teach the other side to believe anybody.
        const secret =
          type === 'webhook' ? (given.secret ?? randomBytes(32).toString('base64url')) : undefined
        const complete: ChannelConfig = secret === undefined ? given : { ...given, secret }
        const channel = await database.transaction(async (transaction) => {
          const made = await createChannel(transaction, {
            tenant: caller.tenant,
            name: body.name,
            type,
            config: seal(complete),
            isEnabled: true,
            filters: body.filters ?? {},
            createdAt: now,
          })
          await record(transaction, call, { action: 'channel.create', id: made.id })
          return made
        })
        return created({
          ...show(channel),
          ...(given.secret === undefined && secret !== undefined ? { secret } : {}),
        })
      },
    }),
    userRoute<ChannelChange>(admins, {
      method: 'PUT',
      path: `${path}/{id}`,
      summary: 'Change a channel',
      tag,
      body: {
        type: 'object',
        minProperties: 1,
        properties: { name, config, enabled: { type: 'boolean' }, filters },
      },
      answers: { 200: { description: 'the channel' } },
      handle: async (call) => {
        const before = await find(call)
        const { body } = call
        const current = readConfig(services, before)
        const changed =
          body.config === undefined
            ? current
            : { ...current, ...(await checkConfig(services, before.type, body.config)) }
        const channel: Channel = {
          ...before,
          name: body.name ?? before.name,
          config: seal(changed),
          isEnabled: body.enabled ?? before.isEnabled,
          filters: body.filters === undefined ? before.filters : (body.filters ?? {}),
        }
        await database.transaction(async (transaction) => {
          await changeChannel(transaction, channel)
          await record(transaction, call, { action: 'channel.change', id: channel.id })
        })
        return ok(show(channel))
      },
    }),
    userRoute(admins, {
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Remove a channel and what it still had to say',
      tag,
      answers: { 200: { description: 'it is gone' } },
      handle: async (call) => {
        const { id } = await find(call)
        await database.transaction(async (transaction) => {
          await removeChannel(transaction, call.caller.tenant, id)
          await record(transaction, call, { action: 'channel.remove', id })
        })
        return ok({ removed: true })
      },
    }),
    userRoute(admins, {
      method: 'POST',
      path: `${path}/{id}/test`,
      summary: 'Send something now, to see whether it arrives',
      tag,
      answers: { 200: { description: 'whether it did' } },
      handle: async (call) => {
        const channel = await find(call)
        const text = 'The console says hello: this channel works.'
        const body = writeBody(channel.type, { event: 'test', fields: { message: text }, text })
        const fault = await notifier.deliver(channel, { id: randomUUID(), body })
        await notifications.recordTest(channel, { at: call.now, isOk: fault === undefined })
        return ok({ success: fault === undefined, message: fault ?? 'delivered' })
      },
    }),
    userRoute<undefined, { limit: number }>(viewers, {
      method: 'GET',
      path: `${path}/{id}/deliveries`,
      summary: 'What was sent through a channel, and how it went',
      tag,
      query: {
        type: 'object',
        properties: { limit: { type: 'integer', minimum: 1, maximum: 500, default: 100 } },
      },
      answers: { 200: { description: 'newest first' } },
      handle: async (call) => {
        const { tenant, id } = await find(call)
        const deliveries = await notifications.listDeliveries(tenant, id, call.query.limit)
        return ok({ deliveries: deliveries.map(toDelivery) })
      },
    }),
  ]
}

function readType(type: string): Channel['type'] {
  if (type === 'webhook' || type === 'slack') return type
  throw new Problem(422, 'invalid-request', {
    detail: `channels are of the type webhook or slack, not ${type.slice(0, 32)}`,
  })
}

/** @throws Problem 422 when the address is missing or leads inside. */
async function checkConfig(
  { options }: Services,
  type: Channel['type'],
  given: Readonly<Record<string, string>>,
): Promise<ChannelConfig> {
  const field = type === 'slack' ? 'webhook_url' : 'url'
  const address = given[field] ?? ''
  try {
    await findAddress(checkUrl(address), options.webhookHosts ?? [])
  } catch (error) {
    const why = error instanceof UnsafeAddress ? error.message : 'the host cannot be found'
    throw new Problem(422, 'invalid-request', {
      detail: `config.${field}: ${why}`,
      errors: [{ loc: ['body', 'config', field], msg: why }],
    })
  }
  const { secret } = given
  return secret === undefined || secret === '' ? { url: address } : { url: address, secret }
}

function readConfig({ sealer }: Services, channel: Channel): ChannelConfig {
  return JSON.parse(sealer.open(channel.config)) as ChannelConfig
}

function record(
  transaction: Transaction,
  { caller, now }: Call<unknown, unknown, UserCaller>,
  { action, id }: { readonly action: string; readonly id: string },
): Promise<void> {
  const { tenant, user } = caller
  return recordAction(transaction, { tenant, at: now, actor: user.email, action, subject: id, detail: {} })
}

function toWire(channel: Channel, { url, secret }: ChannelConfig): NotificationChannel {
  return {
    id: channel.id,
    name: channel.name,
    channel_type: channel.type,
    // The rest of the address is as good as a password.
    config: {
      [channel.type === 'slack' ? 'webhook_url' : 'url']: `${new URL(url).origin}/…`,
      ...(secret === undefined ? {} : { secret: '••••' }),
    },
    enabled: channel.isEnabled,
    filters: channel.filters,
    created_at: new Date(channel.createdAt).toISOString(),
    last_test_at: channel.lastTestAt === null ? null : new Date(channel.lastTestAt).toISOString(),
    last_test_ok: channel.lastTestOk,
  }
}

function toDelivery(delivery: Delivery): NotificationDelivery {
  return {
    id: delivery.id,
    event: delivery.event,
    subject: delivery.subject,
    status: delivery.status,
    attempts: delivery.attempts,
    detail: delivery.detail,
    next_at: delivery.status === 'waiting' ? new Date(delivery.nextAt).toISOString() : null,
    created_at: new Date(delivery.createdAt).toISOString(),
    delivered_at: delivery.deliveredAt === null ? null : new Date(delivery.deliveredAt).toISOString(),
  }
}
