// Sessions as their events tell. Nothing is kept for them at ingest: the newest events are counted when somebody looks.
import { allOf, type Conditions } from './conditions.js'
import { type Database, first } from './database.js'

/** Counting more would keep other requests waiting. */
const mostCounted = 20_000

const countOf = (condition: string): string => `sum(CASE WHEN ${condition} THEN 1 ELSE 0 END)`
const wasDecided = `action IN ('call_allowed', 'call_denied', 'call_approval_granted', 'call_approval_denied',
  'call_approval_timeout') AND mode <> 'observe'`
const wasDenied = `action IN ('call_denied', 'call_approval_denied', 'call_approval_timeout') AND mode <> 'observe'`
const hasRun = `action IN ('call_executed', 'call_failed')`
const hasEnded = `${hasRun} OR ${wasDenied}`
/** A guard that observes decides nothing; what ran under it was asked for all the same. */
const attempts = `CASE WHEN ${countOf(wasDecided)} > ${countOf(hasEnded)} THEN ${countOf(wasDecided)}
  ELSE ${countOf(hasEnded)} END AS attempts`
const executions = `${countOf(hasRun)} AS executions`
const denied = `${countOf(wasDenied)} AS denied`
const failed = `sum(CASE WHEN action = 'call_failed' THEN 1 ELSE 0 END) AS failed`

export interface CountedSession {
  readonly session_id: string
  readonly agent_id: string
  readonly env: string
  readonly first_at: number
  readonly last_at: number
  readonly attempts: number
  readonly executions: number
  readonly denied: number
  readonly failed: number
}

export interface CountedTool {
  readonly tool_name: string
  readonly attempts: number
  readonly executions: number
  readonly denied: number
}

/** The last thing that was heard of a session. */
export interface LastEvent {
  readonly session_id: string
  readonly agent_id: string
  readonly env: string
  readonly content: string
}

export interface CountedUse {
  readonly session_id: string
  readonly agent_id: string
  readonly env: string
  readonly tool_name: string
  readonly executions: number
}

export interface SessionFilter {
  readonly tenant: number
  readonly sessionId?: string | undefined
}

export class AgentSessionStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The time of the oldest event that is counted; undefined when all are. */
  async findHorizon(filter: SessionFilter): Promise<number | undefined> {
    const where = conditionsOf(filter)
    const row = await first<{ occurred_at: number }>(
      this.#database,
      `SELECT occurred_at FROM events WHERE ${where.sql} ORDER BY occurred_at DESC LIMIT 1 OFFSET ?`,
      [...where.values, mostCounted - 1],
    )
    return row?.occurred_at
  }

  /** The one last heard of first. */
  list(filter: SessionFilter, most: number): Promise<readonly CountedSession[]> {
    const { sql, values } = newest(filter)
    return this.#database.all(
      `SELECT session_id, agent_id, env, min(occurred_at) AS first_at, max(occurred_at) AS last_at,
         ${attempts}, ${executions}, ${denied}, ${failed}
       FROM (${sql}) AS newest WHERE session_id IS NOT NULL
       GROUP BY session_id, agent_id, env ORDER BY last_at DESC, session_id LIMIT ?`,
      [...values, most],
    )
  }

  listTools(filter: SessionFilter, most: number): Promise<readonly CountedTool[]> {
    const { sql, values } = newest(filter)
    return this.#database.all(
      `SELECT tool_name, ${attempts}, ${executions}, ${denied} FROM (${sql}) AS newest
       GROUP BY tool_name ORDER BY attempts DESC, tool_name LIMIT ?`,
      [...values, most],
    )
  }

  /** More than one of a session that was told of twice in the same millisecond. */
  async listLastEvents(tenant: number, sessions: readonly CountedSession[]): Promise<readonly LastEvent[]> {
    if (sessions.length === 0) return []
    const ofOne = '(tenant = ? AND session_id = ? AND occurred_at = ? AND agent_id = ? AND env = ?)'
    return this.#database.all(
      `SELECT session_id, agent_id, env, content FROM events WHERE ${sessions.map(() => ofOne).join(' OR ')}`,
      sessions.flatMap(({ session_id, last_at, agent_id, env }) => [
        tenant,
        session_id,
        last_at,
        agent_id,
        env,
      ]),
    )
  }

  /** What ran, by session and tool. */
  listUses(filter: SessionFilter): Promise<readonly CountedUse[]> {
    const { sql, values } = newest(filter)
    return this.#database.all(
      `SELECT session_id, agent_id, env, tool_name, ${executions} FROM (${sql}) AS newest
       WHERE session_id IS NOT NULL GROUP BY session_id, agent_id, env, tool_name`,
      values,
    )
  }
}

function conditionsOf({ tenant, sessionId }: SessionFilter): Conditions {
  return allOf([
    ['tenant = ?', tenant],
    ['session_id = ?', sessionId],
  ])
}

function newest(filter: SessionFilter): Conditions {
  const where = conditionsOf(filter)
  return {
    sql: `SELECT session_id, agent_id, env, tool_name, action, mode, occurred_at FROM events WHERE ${where.sql}
      ORDER BY occurred_at DESC LIMIT ${mostCounted}`,
    values: where.values,
  }
}
