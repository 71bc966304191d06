// Channels people are told through, and every message sent: waiting, delivered, or given up.
import { randomUUID } from 'node:crypto'
import type { ChannelType, NotificationFilters } from '../protocol/notifications.js'
import { type Database, first, type Transaction } from './database.js'

export interface Channel {
  readonly id: string
  readonly tenant: number
  readonly name: string
  readonly type: ChannelType
  /** Sealed JSON. */
  readonly config: string
  readonly isEnabled: boolean
  readonly filters: NotificationFilters
  readonly createdAt: number
  readonly lastTestAt: number | null
  readonly lastTestOk: boolean | null
}

export interface Delivery {
  readonly id: string
  readonly tenant: number
  readonly channelId: string
  readonly event: string
  readonly subject: string
  readonly body: string
  readonly status: 'waiting' | 'delivered' | 'failed'
  readonly attempts: number
  readonly nextAt: number
  /** What the other side answered, or why it could not be reached. */
  readonly detail: string | null
  readonly createdAt: number
  readonly deliveredAt: number | null
}

interface ChannelRow {
  readonly id: string
  readonly tenant: number
  readonly name: string
  readonly channel_type: ChannelType
  readonly config: string
  readonly enabled: number
  readonly filters: string
  readonly created_at: number
  readonly last_test_at: number | null
  readonly last_test_ok: number | null
}

const channelColumns =
  'id, tenant, name, channel_type, config, enabled, filters, created_at, last_test_at, last_test_ok'
const deliveryColumns = `id, tenant, channel_id AS "channelId", event, subject, body, status, attempts, next_at AS "nextAt",
  detail, created_at AS "createdAt", delivered_at AS "deliveredAt"`

export type ChannelFields = Pick<Channel, 'name' | 'config' | 'isEnabled' | 'filters'>

export async function createChannel(
  transaction: Transaction,
  channel: ChannelFields & Pick<Channel, 'tenant' | 'type' | 'createdAt'>,
): Promise<Channel> {
  const id = randomUUID()
  await transaction.run(
    `INSERT INTO notification_channels (${channelColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)`,
    [
      id,
      channel.tenant,
      channel.name,
      channel.type,
      channel.config,
      channel.isEnabled ? 1 : 0,
      JSON.stringify(channel.filters),
      channel.createdAt,
    ],
  )
  return { ...channel, id, lastTestAt: null, lastTestOk: null }
}

export async function changeChannel(transaction: Transaction, channel: Channel): Promise<void> {
  await transaction.run(
    'UPDATE notification_channels SET name = ?, config = ?, enabled = ?, filters = ? WHERE tenant = ? AND id = ?',
    [
      channel.name,
      channel.config,
      channel.isEnabled ? 1 : 0,
      JSON.stringify(channel.filters),
      channel.tenant,
      channel.id,
    ],
  )
}

/** With what still waits to be sent through it. */
export async function removeChannel(transaction: Transaction, tenant: number, id: string): Promise<boolean> {
  const removed = await transaction.run('DELETE FROM notification_channels WHERE tenant = ? AND id = ?', [
    tenant,
    id,
  ])
  if (removed > 0)
    await transaction.run('DELETE FROM notification_deliveries WHERE tenant = ? AND channel_id = ?', [
      tenant,
      id,
    ])
  return removed > 0
}

/** Once per channel, event and subject, however many nodes try. */
export async function enqueueDelivery(
  transaction: Transaction,
  delivery: Pick<Delivery, 'tenant' | 'channelId' | 'event' | 'subject' | 'body' | 'createdAt'>,
): Promise<void> {
  const { tenant, channelId, event, subject, body, createdAt } = delivery
  await transaction.run(
    `INSERT INTO notification_deliveries (id, tenant, channel_id, event, subject, body, status, attempts, next_at, created_at)
     VALUES (?, ?, ?, ?, ?, ?, 'waiting', 0, ?, ?) ON CONFLICT (channel_id, event, subject) DO NOTHING`,
    [randomUUID(), tenant, channelId, event, subject, body, createdAt, createdAt],
  )
}

export class NotificationStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async listChannels(tenant: number): Promise<readonly Channel[]> {
    const rows = await this.#database.all<ChannelRow>(
      `SELECT ${channelColumns} FROM notification_channels WHERE tenant = ? ORDER BY created_at, id`,
      [tenant],
    )
    return rows.map(fromRow)
  }

  async findChannel(tenant: number, id: string): Promise<Channel | undefined> {
    const row = await first<ChannelRow>(
      this.#database,
      `SELECT ${channelColumns} FROM notification_channels WHERE tenant = ? AND id = ?`,
      [tenant, id],
    )
    return row === undefined ? undefined : fromRow(row)
  }

  async recordTest(channel: Channel, test: { readonly at: number; readonly isOk: boolean }): Promise<void> {
    await this.#database.run(
      'UPDATE notification_channels SET last_test_at = ?, last_test_ok = ? WHERE tenant = ? AND id = ?',
      [test.at, test.isOk ? 1 : 0, channel.tenant, channel.id],
    )
  }

  listDeliveries(tenant: number, channelId: string, limit: number): Promise<readonly Delivery[]> {
    return this.#database.all<Delivery>(
      `SELECT ${deliveryColumns} FROM notification_deliveries WHERE tenant = ? AND channel_id = ?
       ORDER BY created_at DESC, id LIMIT ?`,
      [tenant, channelId, limit],
    )
  }

  /** What is due, taken by this node until `until`: a node that dies with it leaves it to the others. */
  async claim(now: number, until: number, most: number): Promise<readonly Delivery[]> {
    const due = await this.#database.all<Delivery>(
      `SELECT ${deliveryColumns} FROM notification_deliveries WHERE status = 'waiting' AND next_at <= ?
       ORDER BY next_at LIMIT ?`,
      [now, most],
    )
    const claimed: Delivery[] = []
    for (const delivery of due) {
      const taken = await this.#database.run(
        `UPDATE notification_deliveries SET next_at = ?, attempts = attempts + 1
         WHERE id = ? AND status = 'waiting' AND next_at = ?`,
        [until, delivery.id, delivery.nextAt],
      )
      if (taken > 0) claimed.push({ ...delivery, attempts: delivery.attempts + 1 })
    }
    return claimed
  }

  async recordOutcome(
    id: string,
    outcome: Pick<Delivery, 'status' | 'nextAt' | 'detail' | 'deliveredAt'>,
  ): Promise<void> {
    await this.#database.run(
      'UPDATE notification_deliveries SET status = ?, next_at = ?, detail = ?, delivered_at = ? WHERE id = ?',
      [outcome.status, outcome.nextAt, outcome.detail, outcome.deliveredAt, id],
    )
  }

  async removeBefore(cutoff: number): Promise<void> {
    await this.#database.run(`DELETE FROM notification_deliveries WHERE created_at < ?`, [cutoff])
  }
}

function fromRow(row: ChannelRow): Channel {
  return {
    id: row.id,
    tenant: row.tenant,
    name: row.name,
    type: row.channel_type,
    config: row.config,
    isEnabled: row.enabled === 1,
    filters: JSON.parse(row.filters) as NotificationFilters,
    createdAt: row.created_at,
    lastTestAt: row.last_test_at,
    lastTestOk: row.last_test_ok === null ? null : row.last_test_ok === 1,
  }
}
