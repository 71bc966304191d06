// Audit events: stored once by content, counted by minute while they are stored, read in pages.
import { allOf, always, type Conditions, join } from './conditions.js'
import { countEvents, forgetCounts, minuteMs } from './count-events.js'
import { type Database, first, type Transaction, type Value } from './database.js'
import type { Scope } from './scope.js'

export interface NewEvent {
  /** Base64url SHA-256 over whose event it is and its canonical content: what makes it the same event. */
  readonly contentHash: string
  readonly occurredAt: number
  readonly agentId: string
  readonly sessionId: string | null
  readonly toolName: string
  /** In the words of the contract language: `call_denied`, not `call_blocked`. */
  readonly action: string
  readonly mode: string
  /** The contract that decided; empty when none did. */
  readonly contract: string
  readonly policyVersion: string | null
  /** Canonical JSON of the event as it came. */
  readonly content: string
}

export interface StoredEvent {
  readonly sequence: number
  readonly env: string
  readonly occurredAt: number
  readonly receivedAt: number
  readonly keyId: string
  readonly agentId: string
  readonly sessionId: string | null
  readonly toolName: string
  readonly action: string
  readonly mode: string
  readonly content: string
}

export interface EventFilter {
  readonly tenant: number
  readonly env?: string | undefined
  readonly agentId?: string | undefined
  readonly agentPattern?: string | undefined
  readonly sessionId?: string | undefined
  readonly toolName?: string | undefined
  readonly action?: string | undefined
  readonly mode?: string | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
}

/** Where a page ends, and the next one begins. Events of one time are in the order they arrived in. */
export interface EventPosition {
  readonly occurredAt: number
  readonly sequence: number
}

/** The order of every list of events. */
export const newestFirst = 'ORDER BY occurred_at DESC, sequence DESC'

/** The time is bounded by itself as well, because that is what the indexes can look up. */
export function olderThan({ occurredAt, sequence }: EventPosition): Conditions {
  return {
    sql: 'occurred_at <= ? AND (occurred_at < ? OR sequence < ?)',
    values: [occurredAt, occurredAt, sequence],
  }
}

const columns = [
  'tenant',
  'env',
  'content_hash',
  'occurred_at',
  'received_at',
  'key_id',
  'agent_id',
  'session_id',
  'tool_name',
  'action',
  'mode',
  'content',
] as const

/** The change that tells dashboards to look again. */
export const eventsStored = 'events-stored'

export interface Arrival extends Scope {
  readonly keyId: string
  readonly now: number
}

/** Some of the events are there already. Thrown by `storeNewEvents`, which does not know which. */
export class KnownEvents extends Error {
  override readonly name = 'KnownEvents'
}

/**
 * For events that are most likely new, as nearly all are.
 * @throws KnownEvents when one is not; the transaction is undone then, and `storeEvents` can be asked.
 */
export async function storeNewEvents(
  transaction: Transaction,
  arrival: Arrival,
  events: readonly NewEvent[],
): Promise<number> {
  const inserted = await transaction.insert({ into, rows: toRows(arrival, events), then: onceOnly })
  if (inserted < events.length) throw new KnownEvents('not all of these events are new')
  await countEvents(transaction, arrival, events)
  await noteAgents(transaction, arrival, events)
  return events.length
}

/** How many of them were not there before. */
export async function storeEvents(
  transaction: Transaction,
  arrival: Arrival,
  events: readonly NewEvent[],
): Promise<number> {
  const inserted = await transaction.insertReturning<{ content_hash: string }>({
    into,
    rows: toRows(arrival, events),
    then: `${onceOnly} RETURNING content_hash`,
  })
  const hashes = new Set(inserted.map(({ content_hash }) => content_hash))
  // The same event twice in one batch is one event.
  const fresh = events.filter(({ contentHash }) => hashes.delete(contentHash))
  if (fresh.length === 0) return 0
  await countEvents(transaction, arrival, fresh)
  await noteAgents(transaction, arrival, fresh)
  return fresh.length
}

const into = `events (${columns.join(', ')})`
const onceOnly = 'ON CONFLICT (tenant, occurred_at, content_hash) DO NOTHING'

function toRows(
  { tenant, env, keyId, now }: Arrival,
  events: readonly NewEvent[],
): readonly (readonly Value[])[] {
  return events.map((event) => [
    tenant,
    env,
    event.contentHash,
    event.occurredAt,
    now,
    keyId,
    event.agentId,
    event.sessionId,
    event.toolName,
    event.action,
    event.mode,
    event.content,
  ])
}

async function noteAgents(
  transaction: Transaction,
  { tenant, env, now }: Arrival,
  events: readonly NewEvent[],
): Promise<void> {
  const policies = new Map<string, string | null>()
  for (const { agentId, policyVersion } of events)
    policies.set(agentId, policyVersion ?? policies.get(agentId) ?? null)
  const ordered = [...policies].toSorted(([left], [right]) => (left < right ? -1 : 1))
  await transaction.insert({
    into: 'agents (tenant, env, agent_id, first_seen_at, last_seen_at, policy_version)',
    rows: ordered.map(([agentId, policyVersion]) => [tenant, env, agentId, now, now, policyVersion]),
    then: `ON CONFLICT (tenant, env, agent_id) DO UPDATE SET
      last_seen_at = excluded.last_seen_at,
      policy_version = COALESCE(excluded.policy_version, agents.policy_version)`,
  })
}

/** What a program on a developer's machine says about the contracts it has there. */
export async function storeManifest(
  transaction: Transaction,
  { tenant, env, now }: Arrival,
  manifest: { readonly agentId: string; readonly content: string },
): Promise<void> {
  await transaction.run(
    `INSERT INTO agents (tenant, env, agent_id, first_seen_at, last_seen_at, manifest) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenant, env, agent_id) DO UPDATE SET last_seen_at = excluded.last_seen_at, manifest = excluded.manifest`,
    [tenant, env, manifest.agentId, now, now, manifest.content],
  )
}

export interface EventRow {
  readonly sequence: number
  readonly env: string
  readonly occurred_at: number
  readonly received_at: number
  readonly key_id: string
  readonly agent_id: string
  readonly session_id: string | null
  readonly tool_name: string
  readonly action: string
  readonly mode: string
  readonly content: string
}

export function fromRow(row: EventRow): StoredEvent {
  return {
    sequence: row.sequence,
    env: row.env,
    occurredAt: row.occurred_at,
    receivedAt: row.received_at,
    keyId: row.key_id,
    agentId: row.agent_id,
    sessionId: row.session_id,
    toolName: row.tool_name,
    action: row.action,
    mode: row.mode,
    content: row.content,
  }
}

export class EventStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Newest first, from before a position on. */
  async list(
    filter: EventFilter,
    page: { readonly before?: EventPosition | undefined; readonly limit: number },
  ): Promise<readonly StoredEvent[]> {
    const where = join(
      writeConditions(filter, 'occurred_at'),
      page.before === undefined ? always : olderThan(page.before),
    )
    const rows = await this.#database.all<EventRow>(
      `SELECT sequence, env, occurred_at, received_at, key_id, agent_id, session_id, tool_name, action, mode, content
       FROM events WHERE ${where.sql} ${newestFirst} LIMIT ?`,
      [...where.values, page.limit],
    )
    return rows.map(fromRow)
  }

  /** Counts per bucket and action, from the counts by minute. */
  async histogram(
    filter: EventFilter,
    bucketMs: number,
  ): Promise<readonly { bucket: number; action: string; mode: string; events: number }[]> {
    const where = writeConditions(filter, 'minute')
    return this.#database.all(
      `SELECT bucket, action, mode, sum(events) AS events
       FROM (SELECT minute - minute % ? AS bucket, action, mode, events FROM event_counts WHERE ${where.sql}) AS counted
       GROUP BY bucket, action, mode ORDER BY bucket`,
      [bucketMs, ...where.values],
    )
  }

  async countByAction(filter: EventFilter): Promise<ReadonlyMap<string, number>> {
    const where = writeConditions(filter, 'minute')
    const rows = await this.#database.all<{ action: string; events: number }>(
      `SELECT action, sum(events) AS events FROM event_counts WHERE ${where.sql} GROUP BY action`,
      where.values,
    )
    return new Map(rows.map(({ action, events }) => [action, events]))
  }

  async countByContract(
    filter: EventFilter,
  ): Promise<readonly { contract: string; action: string; mode: string; events: number; last_at: number }[]> {
    const where = writeConditions(filter, 'minute')
    return this.#database.all(
      `SELECT contract, action, mode, sum(events) AS events, max(last_at) AS last_at
       FROM event_counts WHERE ${where.sql} GROUP BY contract, action, mode ORDER BY contract`,
      where.values,
    )
  }

  /** Agents heard of since a time; since ever with 0. */
  async countAgents(filter: Pick<EventFilter, 'tenant' | 'env'>, since: number): Promise<number> {
    const scope = filter.env === undefined ? '' : 'AND env = ?'
    const row = await first<{ agents: number }>(
      this.#database,
      `SELECT count(DISTINCT agent_id) AS agents FROM agents WHERE tenant = ? AND last_seen_at >= ? ${scope}`,
      [filter.tenant, since, ...(filter.env === undefined ? [] : [filter.env])],
    )
    return row?.agents ?? 0
  }

  /** Removes at most so many events that happened before a time; the rest is left for another round. */
  async removeBefore(tenant: number, cutoff: number, most: number): Promise<number> {
    return this.#database.transaction(async (transaction) => {
      const removed = await transaction.run(
        `DELETE FROM events WHERE sequence IN
           (SELECT sequence FROM events WHERE tenant = ? AND occurred_at < ? ORDER BY occurred_at LIMIT ?)`,
        [tenant, cutoff, most],
      )
      await forgetCounts(transaction, tenant, cutoff)
      return removed
    })
  }
}

function writeConditions(filter: EventFilter, time: 'occurred_at' | 'minute'): Conditions {
  const { agentPattern } = filter
  return allOf([
    ['tenant = ?', filter.tenant],
    ['env = ?', filter.env],
    ['agent_id = ?', filter.agentId],
    [`agent_id LIKE ? ESCAPE '!'`, agentPattern === undefined ? undefined : toLike(agentPattern)],
    ['session_id = ?', filter.sessionId],
    ['tool_name = ?', filter.toolName],
    ['action = ?', filter.action],
    ['mode = ?', filter.mode],
    [`${time} >= ?`, time === 'minute' ? startOfMinute(filter.since) : filter.since],
    [`${time} <= ?`, filter.until],
  ])
}

function startOfMinute(time: number | undefined): number | undefined {
  return time === undefined ? undefined : Math.floor(time / minuteMs) * minuteMs
}

function toLike(pattern: string): string {
  return pattern.replaceAll(/[!%_]/g, (character) => `!${character}`).replaceAll('*', '%')
}
