// How much sessions do, counted from their events when somebody asks.
import { allOf } from './conditions.js'
import { type Database, first } from './database.js'

/** Counting more would keep other requests waiting. */
const mostCounted = 30_000

export interface CalibrationFilter {
  readonly tenant: number
  readonly since: number
  /** Only sessions whose calls ran under a guard that observes. */
  readonly mode?: 'observe' | undefined
  readonly env?: string | undefined
  readonly agentId?: string | undefined
}

/** What one session did with one tool. */
export interface ToolUse {
  readonly session: string
  readonly tool_name: string
  readonly executions: number
  /** Every call ends in exactly one of these: it ran, or it was refused. */
  readonly refused: number
}

export interface CountedUses {
  readonly uses: readonly ToolUse[]
  /** The oldest time that was looked at; undefined when all of the period was. */
  readonly horizon?: number
}

const hasRun = `action IN ('call_executed', 'call_failed')`
const wasRefused = `action IN ('call_denied', 'call_approval_denied', 'call_approval_timeout') AND mode <> 'observe'`

export class CalibrationStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async count(filter: CalibrationFilter): Promise<CountedUses> {
    const wanted = allOf([
      ['tenant = ?', filter.tenant],
      ['occurred_at >= ?', filter.since],
      ['env = ?', filter.env],
      ['agent_id = ?', filter.agentId],
    ])
    const horizon = await first<{ occurred_at: number }>(
      this.#database,
      `SELECT occurred_at FROM events WHERE ${wanted.sql} ORDER BY occurred_at DESC LIMIT 1 OFFSET ?`,
      [...wanted.values, mostCounted],
    )
    // What had begun by then would look smaller than it was.
    const start = horizon?.occurred_at ?? filter.since - 1
    const watched = filter.mode === 'observe' ? `HAVING sum(ran_watched) > 0` : ''
    const uses = await this.#database.all<ToolUse>(
      `WITH counted AS MATERIALIZED (
         SELECT session_id, env, tool_name,
           sum(CASE WHEN ${hasRun} THEN 1 ELSE 0 END) AS executions,
           sum(CASE WHEN ${wasRefused} THEN 1 ELSE 0 END) AS refused,
           sum(CASE WHEN ${hasRun} AND mode = 'observe' THEN 1 ELSE 0 END) AS ran_watched
         FROM events WHERE ${wanted.sql} AND occurred_at > ? AND session_id IS NOT NULL
         GROUP BY session_id, env, tool_name),
       begun AS (SELECT session_id, env FROM counted GROUP BY session_id, env ${watched}),
       whole AS (
         SELECT session_id, env FROM begun
         WHERE NOT EXISTS (SELECT 1 FROM events earlier WHERE earlier.tenant = ?
           AND earlier.session_id = begun.session_id AND earlier.occurred_at <= ?))
       SELECT counted.env || ' ' || counted.session_id AS session, tool_name, executions, refused
       FROM counted JOIN whole ON whole.session_id = counted.session_id AND whole.env = counted.env
       WHERE executions + refused > 0`,
      [...wanted.values, start, filter.tenant, start],
    )
    return horizon === undefined ? { uses } : { uses, horizon: horizon.occurred_at }
  }
}
