// What people did in the console, for people who ask later.
import type { Database, Transaction } from './database.js'

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
}

interface LogRow {
  readonly id: number
  readonly tenant: number
  readonly at: number
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly detail: string
}

/** In the transaction of what was done: neither is there without the other. */
export async function recordAction(transaction: Transaction, entry: OperatorAction): Promise<void> {
  await transaction.run(
    'INSERT INTO operator_log (tenant, at, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?, ?)',
    [entry.tenant, entry.at, entry.actor, entry.action, entry.subject, JSON.stringify(entry.detail)],
  )
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
      'SELECT id, tenant, at, actor, action, subject, detail FROM operator_log WHERE tenant = ? AND id < ? ORDER BY id DESC LIMIT ?',
      [tenant, page.before ?? Number.MAX_SAFE_INTEGER, page.limit],
    )
    return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) as Record<string, unknown> }))
  }
}
