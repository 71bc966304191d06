// What people did in the console, for people who ask later. The entries of a tenant are a chain: each carries a hash over
// itself and the hash of the one before, so that nothing in it can be changed or taken out without a trace.
import { createHash } from 'node:crypto'
import { type Database, first, type Transaction } from './database.js'

export interface OperatorAction {
  readonly tenant: number
  readonly at: number
  /** An e-mail address, or `key:` and a key's prefix. */
  readonly actor: string
  /** `key.create`, `approval.decide`… */
  readonly action: string
  readonly subject: string
  readonly detail: Readonly<Record<string, unknown>>
}

export interface OperatorLogEntry extends OperatorAction {
  readonly id: number
  /** Null for entries of versions that did not chain them. */
  readonly hash: string | null
}

/** What is left of the chain, looked at from its beginning. */
export interface ChainVerdict {
  readonly entries: number
  /** At the beginning, from versions that did not chain them: nothing can be said about these. */
  readonly unchained: number
  /** The first entry that is not what was written behind the one before it. */
  readonly firstBroken: number | null
  readonly head: { readonly id: number; readonly hash: string } | null
  /** Whether an entry still has the hash somebody noted; null when none was asked for. */
  readonly hasKnown: boolean | null
}

interface LogRow {
  readonly id: number
  readonly tenant: number
  readonly at: number
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly detail: string
  readonly hash: string | null
}

const columns = 'id, tenant, at, actor, action, subject, detail, hash'
const entriesPerPage = 1_000

/** In the transaction of what was done: neither is there without the other. */
export async function recordAction(transaction: Transaction, entry: OperatorAction): Promise<void> {
  const { tenant, at, actor, action, subject } = entry
  const detail = JSON.stringify(entry.detail)
  // Of two at once the second would go behind the same entry.
  await transaction.lock(`operator log ${tenant}`)
  const last = await first<{ hash: string | null }>(
    transaction,
    'SELECT hash FROM operator_log WHERE tenant = ? ORDER BY id DESC LIMIT 1',
    [tenant],
  )
  const hash = hashOf({ tenant, at, actor, action, subject, detail }, last?.hash ?? null)
  await transaction.run(
    'INSERT INTO operator_log (tenant, at, actor, action, subject, detail, hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [tenant, at, actor, action, subject, detail, hash],
  )
}

function hashOf(row: Omit<LogRow, 'id' | 'hash'>, before: string | null): string {
  const { tenant, at, actor, action, subject, detail } = row
  return createHash('sha256')
    .update(JSON.stringify([before, tenant, at, actor, action, subject, detail]))
    .digest('base64url')
}

export class OperatorLog {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Newest first, from before an id on. */
  async list(
    tenant: number,
    page: { readonly before: number | null; readonly limit: number },
  ): Promise<readonly OperatorLogEntry[]> {
    const rows = await this.#database.all<LogRow>(
      `SELECT ${columns} FROM operator_log WHERE tenant = ? AND id < ? ORDER BY id DESC LIMIT ?`,
      [tenant, page.before ?? Number.MAX_SAFE_INTEGER, page.limit],
    )
    return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) as Record<string, unknown> }))
  }

  /** @param known a hash that was noted earlier, outside: only it shows that the end was cut off, or all was written anew. */
  async verify(tenant: number, known: string | null): Promise<ChainVerdict> {
    let entries = 0
    let unchained = 0
    let firstBroken: number | null = null
    let hasKnown = false
    let head: ChainVerdict['head'] = null
    for await (const row of this.#oldestFirst(tenant)) {
      entries++
      if (row.hash === null && head === null) {
        unchained++
        continue
      }
      if (row.hash !== hashOf(row, head?.hash ?? null)) firstBroken ??= row.id
      if (row.hash === known) hasKnown = true
      // The rest is held against what is written, so that one broken entry does not hide the next.
      head = { id: row.id, hash: row.hash ?? '' }
    }
    return { entries, unchained, firstBroken, head, hasKnown: known === null ? null : hasKnown }
  }

  async *#oldestFirst(tenant: number): AsyncGenerator<LogRow> {
    for (let last = 0; ;) {
      const rows = await this.#database.all<LogRow>(
        `SELECT ${columns} FROM operator_log WHERE tenant = ? AND id > ? ORDER BY id LIMIT ?`,
        [tenant, last, entriesPerPage],
      )
      yield* rows
      if (rows.length < entriesPerPage) return
      last = rows.at(-1)?.id ?? last
    }
  }
}
