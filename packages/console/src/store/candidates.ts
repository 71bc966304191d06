// What contracts on trial said about calls, from the counts by quarter of an hour.
import { allOf } from './conditions.js'
import type { Database } from './database.js'

export interface CandidateFilter {
  readonly tenant: number
  readonly env?: string | undefined
  /** The start of a quarter of an hour. */
  readonly since: number
}

export interface CandidateCount {
  readonly contract: string
  readonly tool_name: string
  readonly agrees: number
  readonly differs: number
  readonly last_difference_at: number | null
}

const mostCounted = 2_000

export class CandidateStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** By candidate and tool. */
  count(filter: CandidateFilter): Promise<readonly CandidateCount[]> {
    const where = conditionsOf(filter)
    return this.#database.all(
      `SELECT contract, tool_name,
         sum(CASE WHEN action = 'call_allowed' THEN events ELSE 0 END) AS agrees,
         sum(CASE WHEN action = 'call_would_deny' THEN events ELSE 0 END) AS differs,
         max(CASE WHEN action = 'call_would_deny' THEN last_at END) AS last_difference_at
       FROM quarter_hour_counts
       WHERE ${where.sql} AND mode = 'observe' AND contract LIKE '%:candidate'
       GROUP BY contract, tool_name ORDER BY 4 DESC, 3 DESC, 1, 2 LIMIT ?`,
      [...where.values, mostCounted],
    )
  }

  /** What contracts in force denied. */
  async countDenials(
    filter: CandidateFilter,
    contracts: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    if (contracts.length === 0) return new Map()
    const where = conditionsOf(filter)
    const rows = await this.#database.all<{ contract: string; events: number }>(
      `SELECT contract, sum(events) AS events FROM quarter_hour_counts
       WHERE ${where.sql} AND action = 'call_denied' AND mode <> 'observe'
         AND contract IN (${contracts.map(() => '?').join(', ')}) GROUP BY contract`,
      [...where.values, ...contracts],
    )
    return new Map(rows.map(({ contract, events }) => [contract, events]))
  }
}

function conditionsOf({ tenant, env, since }: CandidateFilter): ReturnType<typeof allOf> {
  return allOf([
    ['tenant = ?', tenant],
    ['start >= ?', since],
    ['env = ?', env],
  ])
}
