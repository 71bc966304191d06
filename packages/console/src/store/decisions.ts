// Looking for events. Ingest keeps few indexes, so a search that none of them serves reads a bounded number of events and
// says how far it came: an answer that is always quick, and can be continued, instead of one that may take minutes.
import { allOf, always, type Conditions, join } from './conditions.js'
import { quarterHourMs } from './count-events.js'
import { type Database, first } from './database.js'
import {
  type EventFilter,
  type EventPosition,
  type EventRow,
  fromRow,
  newestFirst,
  olderThan,
  type StoredEvent,
} from './events.js'

export interface DecisionFilter extends EventFilter {
  /** The contract that decided. */
  readonly contract?: string | undefined
  /** User or service on whose behalf the call was made. */
  readonly principal?: string | undefined
  /** Anywhere in the event. */
  readonly text?: string | undefined
}

export interface SearchResult {
  readonly found: readonly StoredEvent[]
  /** Where to go on; absent when everything was looked at. */
  readonly end?: EventPosition
}

/** Of events that have to be opened, and of those whose columns are enough. */
const mostOpened = 10_000
const mostLookedAt = 50_000
const mostRelated = 200
const relatedWithinMs = 24 * 60 * 60 * 1_000
const columns =
  'sequence, env, occurred_at, received_at, key_id, agent_id, session_id, tool_name, action, mode, content'

export class DecisionStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async search(
    filter: DecisionFilter,
    page: { readonly before?: EventPosition | undefined; readonly limit: number },
  ): Promise<SearchResult> {
    const served = servedByIndex(filter, page.before)
    const rest = notServed(filter)
    const horizon = rest.sql === '' ? undefined : await this.#findHorizon(served, filter)
    const where = join(served, rest, horizon === undefined ? always : notBefore(horizon))
    const rows = await this.#database.all<EventRow>(
      `SELECT ${columns} FROM events WHERE ${where.sql} ${newestFirst} LIMIT ?`,
      [...where.values, page.limit],
    )
    const found = rows.map(fromRow)
    const end = found.length === page.limit ? found.at(-1) : horizon
    return end === undefined ? { found } : { found, end }
  }

  /** The last event that is looked at; undefined when all of them are. */
  #findHorizon(served: Conditions, filter: DecisionFilter): Promise<EventPosition | undefined> {
    const { contract, principal, text } = filter
    const isOpened = [contract, principal, text].some((value) => value !== undefined)
    return first<EventPosition>(
      this.#database,
      `SELECT occurred_at AS "occurredAt", sequence FROM events WHERE ${served.sql} ${newestFirst} LIMIT 1 OFFSET ?`,
      [...served.values, (isOpened ? mostOpened : mostLookedAt) - 1],
    )
  }

  async find(tenant: number, sequence: number): Promise<StoredEvent | undefined> {
    const row = await first<EventRow>(
      this.#database,
      `SELECT ${columns} FROM events WHERE tenant = ? AND sequence = ?`,
      [tenant, sequence],
    )
    return row === undefined ? undefined : fromRow(row)
  }

  /** All events of one call, oldest first. */
  async listCall(tenant: number, event: StoredEvent, callId: string): Promise<readonly StoredEvent[]> {
    const { occurredAt, sessionId, agentId, env } = event
    const where = allOf([
      ['tenant = ?', tenant],
      ['env = ?', env],
      ['session_id = ?', sessionId ?? undefined],
      ['agent_id = ?', agentId],
      ['occurred_at >= ?', occurredAt - relatedWithinMs],
      ['occurred_at <= ?', occurredAt + relatedWithinMs],
      [`content LIKE ? ESCAPE '!'`, holdsField('call_id', callId)],
    ])
    const rows = await this.#database.all<EventRow>(
      `SELECT ${columns} FROM events WHERE ${where.sql} ORDER BY occurred_at, sequence LIMIT ?`,
      [...where.values, mostRelated],
    )
    return rows.map(fromRow)
  }

  /** The values there are in the counts, the most frequent first. */
  async facet(
    column: 'env' | 'tool_name' | 'contract' | 'action',
    filter: { readonly tenant: number; readonly since: number },
    most: number,
  ): Promise<readonly { readonly value: string; readonly events: number }[]> {
    return this.#database.all(
      `SELECT ${column} AS value, sum(events) AS events FROM quarter_hour_counts
       WHERE tenant = ? AND start >= ? AND ${column} <> '' GROUP BY ${column} ORDER BY 2 DESC, 1 LIMIT ?`,
      [filter.tenant, filter.since - quarterHourMs, most],
    )
  }

  /** Last heard of first. */
  async listAgents(
    filter: { readonly tenant: number; readonly since: number },
    most: number,
  ): Promise<readonly { readonly value: string }[]> {
    return this.#database.all(
      `SELECT agent_id AS value FROM agents WHERE tenant = ? AND last_seen_at >= ?
       GROUP BY agent_id ORDER BY max(last_seen_at) DESC, agent_id LIMIT ?`,
      [filter.tenant, filter.since, most],
    )
  }
}

function servedByIndex(filter: DecisionFilter, before: EventPosition | undefined): Conditions {
  const where = allOf([
    ['tenant = ?', filter.tenant],
    ['session_id = ?', filter.sessionId],
    ['agent_id = ?', filter.agentId],
    ['occurred_at >= ?', filter.since],
    ['occurred_at <= ?', filter.until],
  ])
  return join(where, before === undefined ? always : olderThan(before))
}

function notServed(filter: DecisionFilter): Conditions {
  const { contract, principal, text } = filter
  const where = allOf([
    ['env = ?', filter.env],
    ['tool_name = ?', filter.toolName],
    ['action = ?', filter.action],
    ['mode = ?', filter.mode],
    [`content LIKE ? ESCAPE '!'`, contract === undefined ? undefined : holdsField('decision_name', contract)],
    [`lower(content) LIKE ? ESCAPE '!'`, text === undefined ? undefined : holds(text.toLowerCase())],
  ])
  if (principal === undefined) return where
  return join(where, {
    sql: `(content LIKE ? ESCAPE '!' OR content LIKE ? ESCAPE '!')`,
    values: [holdsField('user_id', principal), holdsField('service_id', principal)],
  })
}

function notBefore({ occurredAt, sequence }: EventPosition): Conditions {
  return {
    sql: 'occurred_at >= ? AND (occurred_at > ? OR sequence >= ?)',
    values: [occurredAt, occurredAt, sequence],
  }
}

/** The content is canonical JSON, so a field is written in exactly one way. */
function holdsField(name: string, value: string): string {
  return holds(`"${name}":${JSON.stringify(value)}`)
}

function holds(text: string): string {
  return `%${text.replaceAll(/[!%_]/g, (character) => `!${character}`)}%`
}
