// Sums over counts: how much they cost depends on how long a time they are of, and hardly on how much happened.
import { allOf, type Conditions } from './conditions.js'
import type { Database } from './database.js'

export interface OverviewFilter {
  readonly tenant: number
  readonly env?: string | undefined
  readonly since: number
  readonly until: number
  /** The counts to sum up: by minute for hours, by quarter of an hour for days. `since` is the start of one of them. */
  readonly grain: 'minute' | 'quarter-hour'
}

const sources = {
  minute: { table: 'event_counts', time: 'minute' },
  'quarter-hour': { table: 'quarter_hour_counts', time: 'start' },
} as const

/** What counts as denied: by a contract, by a limit, by a person or by silence. */
const isDenied = `action IN ('call_denied', 'call_approval_denied', 'call_approval_timeout') AND mode <> 'observe'`

export interface ActionCount {
  readonly bucket: number
  readonly action: string
  readonly mode: string
  readonly events: number
}

export interface NamedCount {
  readonly bucket: number
  readonly name: string
  readonly events: number
}

export interface DeniedCount {
  readonly tool_name: string
  readonly contract: string
  readonly events: number
  readonly last_at: number
}

export interface AgentSeen {
  readonly agent_id: string
  readonly env: string
  readonly last_seen_at: number
  readonly policy_version: string | null
}

export class OverviewStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  countActions(filter: OverviewFilter, bucketMs: number): Promise<readonly ActionCount[]> {
    const { table, time } = sources[filter.grain]
    const where = inPeriod(filter)
    return this.#database.all(
      `SELECT bucket, action, mode, sum(events) AS events
       FROM (SELECT ${time} - ${time} % ? AS bucket, action, mode, events FROM ${table} WHERE ${where.sql}) AS counted
       GROUP BY bucket, action, mode`,
      [bucketMs, ...where.values],
    )
  }

  /** Of the contracts or tools with the most denials, so many. */
  countDenials(
    column: 'contract' | 'tool_name',
    filter: OverviewFilter,
    page: { readonly bucketMs: number; readonly most: number },
  ): Promise<readonly NamedCount[]> {
    const { table, time } = sources[filter.grain]
    const where = inPeriod(filter)
    const denied = `${where.sql} AND ${isDenied} AND ${column} <> ''`
    return this.#database.all(
      `SELECT bucket, name, sum(events) AS events
       FROM (SELECT ${time} - ${time} % ? AS bucket, ${column} AS name, events FROM ${table} WHERE ${denied}
         AND ${column} IN (SELECT ${column} FROM ${table} WHERE ${denied}
           GROUP BY ${column} ORDER BY sum(events) DESC, ${column} LIMIT ?)) AS counted
       GROUP BY bucket, name`,
      [page.bucketMs, ...where.values, ...where.values, page.most],
    )
  }

  listTopDenied(filter: OverviewFilter, most: number): Promise<readonly DeniedCount[]> {
    const { table } = sources[filter.grain]
    const where = inPeriod(filter)
    return this.#database.all(
      `SELECT tool_name, contract, sum(events) AS events, max(last_at) AS last_at FROM ${table}
       WHERE ${where.sql} AND ${isDenied} GROUP BY tool_name, contract ORDER BY 3 DESC, 1, 2 LIMIT ?`,
      [...where.values, most],
    )
  }

  /** Last heard of first. */
  listAgents(filter: OverviewFilter, most: number): Promise<readonly AgentSeen[]> {
    const where = allOf([
      ['tenant = ?', filter.tenant],
      ['env = ?', filter.env],
    ])
    return this.#database.all(
      `SELECT agent_id, env, last_seen_at, policy_version FROM agents WHERE ${where.sql}
       ORDER BY last_seen_at DESC, agent_id LIMIT ?`,
      [...where.values, most],
    )
  }
}

function inPeriod({ tenant, env, since, until, grain }: OverviewFilter): Conditions {
  const { time } = sources[grain]
  return allOf([
    ['tenant = ?', tenant],
    // The counts by minute are looked up by environment first, so all environments are named.
    env === undefined ? ['env IN (SELECT env FROM agents WHERE tenant = ?)', tenant] : ['env = ?', env],
    [`${time} >= ?`, since],
    [`${time} <= ?`, until],
  ])
}
