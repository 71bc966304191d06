// Requests for a person's consent. Whether one has expired is computed from the clock whenever it is looked at, so nobody
// can decide on, or wait for, something that is over.
import { randomUUID } from 'node:crypto'
import type { ApprovalStatus } from '../protocol/approvals.js'
import { allOf, type Conditions } from './conditions.js'
import { type Connection, type Database, first, type Transaction, type Value } from './database.js'
import { StoreRefusal } from './refusal.js'

export interface NewApproval {
  readonly tenant: number
  readonly env: string
  readonly keyId: string
  readonly agentId: string
  readonly toolName: string
  /** JSON. */
  readonly toolArgs: string
  readonly argsHash: string
  readonly message: string
  readonly timeoutSeconds: number
  readonly timeoutEffect: 'deny' | 'allow'
  /** JSON, or null. */
  readonly principal: string | null
  /** JSON. */
  readonly metadata: string
  readonly sessionId: string | null
  readonly decisionSource: string | null
  readonly contractName: string | null
  readonly createdAt: number
}

export interface StoredApproval extends NewApproval {
  readonly id: string
  readonly status: ApprovalStatus
  readonly expiresAt: number
  readonly decidedBy: string | null
  readonly decidedAt: number | null
  readonly decisionReason: string | null
  readonly decidedVia: string | null
}

interface ApprovalRow {
  readonly id: string
  readonly tenant: number
  readonly env: string
  readonly key_id: string
  readonly agent_id: string
  readonly tool_name: string
  readonly tool_args: string
  readonly args_hash: string
  readonly message: string
  readonly timeout_seconds: number
  readonly timeout_effect: 'deny' | 'allow'
  readonly principal: string | null
  readonly metadata: string
  readonly session_id: string | null
  readonly decision_source: string | null
  readonly contract_name: string | null
  readonly status: Exclude<ApprovalStatus, 'timeout'>
  readonly created_at: number
  readonly expires_at: number
  readonly decided_by: string | null
  readonly decided_at: number | null
  readonly decision_reason: string | null
  readonly decided_via: string | null
}

const columns = `id, tenant, env, key_id, agent_id, tool_name, tool_args, args_hash, message, timeout_seconds,
  timeout_effect, principal, metadata, session_id, decision_source, contract_name, status, created_at, expires_at,
  decided_by, decided_at, decision_reason, decided_via`

/** The change that wakes whoever waits for an approval or looks at the list. */
export const approvalChanged = 'approval-changed'

/**
 * @param collapseMs an equal request that is pending and not older than this is taken for the same one: some clients
 * send a request again when an answer is lost. 0 never does so.
 */
export async function createApproval(
  transaction: Transaction,
  approval: NewApproval,
  collapseMs: number,
): Promise<StoredApproval> {
  const same = collapseMs === 0 ? undefined : await findSame(transaction, approval, collapseMs)
  if (same !== undefined) return same
  const id = randomUUID()
  const expiresAt = Math.ceil(approval.createdAt + approval.timeoutSeconds * 1_000)
  const values: readonly Value[] = [
    id,
    approval.tenant,
    approval.env,
    approval.keyId,
    approval.agentId,
    approval.toolName,
    approval.toolArgs,
    approval.argsHash,
    approval.message,
    approval.timeoutSeconds,
    approval.timeoutEffect,
    approval.principal,
    approval.metadata,
    approval.sessionId,
    approval.decisionSource,
    approval.contractName,
    'pending',
    approval.createdAt,
    expiresAt,
  ]
  await transaction.run(
    `INSERT INTO approvals (${columns}) VALUES (${values.map(() => '?').join(', ')}, NULL, NULL, NULL, NULL)`,
    values,
  )
  await transaction.announce({ kind: approvalChanged, tenant: approval.tenant, subject: id })
  const undecided = { decidedBy: null, decidedAt: null, decisionReason: null, decidedVia: null }
  return { ...approval, ...undecided, id, status: 'pending', expiresAt }
}

async function findSame(
  transaction: Transaction,
  approval: NewApproval,
  collapseMs: number,
): Promise<StoredApproval | undefined> {
  const { tenant, env, keyId, agentId, argsHash, message, createdAt } = approval
  await transaction.lock(`approval ${tenant} ${env} ${agentId} ${argsHash}`)
  const row = await first<ApprovalRow>(
    transaction,
    `SELECT ${columns} FROM approvals WHERE tenant = ? AND env = ? AND key_id = ? AND agent_id = ? AND args_hash = ?
       AND message = ? AND COALESCE(session_id, '') = ? AND status = 'pending' AND expires_at > ? AND created_at > ?
     ORDER BY created_at DESC LIMIT 1`,
    [
      tenant,
      env,
      keyId,
      agentId,
      argsHash,
      message,
      approval.sessionId ?? '',
      createdAt,
      createdAt - collapseMs,
    ],
  )
  return row === undefined ? undefined : fromRow(row, createdAt)
}

export interface Decision {
  readonly tenant: number
  readonly id: string
  readonly status: 'approved' | 'denied' | 'cancelled'
  readonly by: string
  readonly via: string
  readonly reason: string | null
  readonly now: number
}

/** Of all who decide at once one wins. @throws StoreRefusal for the others, and when it is too late. */
export async function decideApproval(transaction: Transaction, decision: Decision): Promise<StoredApproval> {
  const { tenant, id, status, by, via, reason, now } = decision
  const [row] = await transaction.all<ApprovalRow>(
    `UPDATE approvals SET status = ?, decided_by = ?, decided_via = ?, decision_reason = ?, decided_at = ?
     WHERE tenant = ? AND id = ? AND status = 'pending' AND expires_at > ? RETURNING ${columns}`,
    [status, by, via, reason, now, tenant, id, now],
  )
  if (row === undefined)
    throw new StoreRefusal('approval-not-pending', 'there is no such approval waiting for a decision')
  await transaction.announce({ kind: approvalChanged, tenant, subject: id })
  return fromRow(row, now)
}

export interface ApprovalFilter {
  readonly tenant: number
  readonly env?: string | undefined
  readonly agentId?: string | undefined
  readonly keyId?: string | undefined
  readonly sessionId?: string | undefined
  readonly status?: ApprovalStatus | undefined
}

/** Where a page ends, and the next one begins. */
export type ApprovalPosition = Pick<StoredApproval, 'createdAt' | 'id'>

export class ApprovalStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  find(tenant: number, id: string, now: number): Promise<StoredApproval | undefined> {
    return findApproval(this.#database, { tenant, id, now })
  }

  /** Newest first. */
  async list(
    filter: ApprovalFilter,
    page: { readonly limit: number; readonly offset: number; readonly now: number },
  ): Promise<readonly StoredApproval[]> {
    const where = writeConditions(filter, page.now)
    const rows = await this.#database.all<ApprovalRow>(
      `SELECT ${columns} FROM approvals WHERE ${where.sql} ORDER BY created_at DESC, id LIMIT ? OFFSET ?`,
      [...where.values, page.limit, page.offset],
    )
    return rows.map((row) => fromRow(row, page.now))
  }

  /** Those that wait, the next to end first. */
  async listPending(
    filter: Omit<ApprovalFilter, 'status'>,
    page: { readonly limit: number; readonly now: number },
  ): Promise<readonly StoredApproval[]> {
    const where = writeConditions({ ...filter, status: 'pending' }, page.now)
    const rows = await this.#database.all<ApprovalRow>(
      `SELECT ${columns} FROM approvals WHERE ${where.sql} ORDER BY expires_at, id LIMIT ?`,
      [...where.values, page.limit],
    )
    return rows.map((row) => fromRow(row, page.now))
  }

  /** Those that wait no longer, newest first, from before a position on. */
  async listSettled(
    filter: Omit<ApprovalFilter, 'status'>,
    page: { readonly before?: ApprovalPosition | undefined; readonly limit: number; readonly now: number },
  ): Promise<readonly StoredApproval[]> {
    const { before, now } = page
    const where = writeConditions(filter, now)
    const beyond = before === undefined ? '' : 'AND (created_at < ? OR (created_at = ? AND id < ?))'
    const position = before === undefined ? [] : [before.createdAt, before.createdAt, before.id]
    const rows = await this.#database.all<ApprovalRow>(
      `SELECT ${columns} FROM approvals WHERE ${where.sql} AND (status <> 'pending' OR expires_at <= ?) ${beyond}
       ORDER BY created_at DESC, id DESC LIMIT ?`,
      [...where.values, now, ...position, page.limit],
    )
    return rows.map((row) => fromRow(row, now))
  }

  async countPending(filter: ApprovalFilter, now: number): Promise<number> {
    const { tenant, env } = filter
    const where = writeConditions({ tenant, env, status: 'pending' }, now)
    const row = await first<{ pending: number }>(
      this.#database,
      `SELECT count(*) AS pending FROM approvals WHERE ${where.sql}`,
      where.values,
    )
    return row?.pending ?? 0
  }
}

export async function findApproval(
  connection: Connection,
  { tenant, id, now }: { readonly tenant: number; readonly id: string; readonly now: number },
): Promise<StoredApproval | undefined> {
  const row = await first<ApprovalRow>(
    connection,
    `SELECT ${columns} FROM approvals WHERE tenant = ? AND id = ?`,
    [tenant, id],
  )
  return row === undefined ? undefined : fromRow(row, now)
}

function writeConditions(filter: ApprovalFilter, now: number): Conditions {
  const { status } = filter
  return allOf([
    ['tenant = ?', filter.tenant],
    ['env = ?', filter.env],
    ['agent_id = ?', filter.agentId],
    ['key_id = ?', filter.keyId],
    ['session_id = ?', filter.sessionId],
    ['status = ?', status === 'timeout' ? 'pending' : status],
    ['expires_at > ?', status === 'pending' ? now : undefined],
    ['expires_at <= ?', status === 'timeout' ? now : undefined],
  ])
}

function fromRow(row: ApprovalRow, now: number): StoredApproval {
  const isOver = row.status === 'pending' && row.expires_at <= now
  return {
    id: row.id,
    tenant: row.tenant,
    env: row.env,
    keyId: row.key_id,
    agentId: row.agent_id,
    toolName: row.tool_name,
    toolArgs: row.tool_args,
    argsHash: row.args_hash,
    message: row.message,
    timeoutSeconds: row.timeout_seconds,
    timeoutEffect: row.timeout_effect,
    principal: row.principal,
    metadata: row.metadata,
    sessionId: row.session_id,
    decisionSource: row.decision_source,
    contractName: row.contract_name,
    createdAt: row.created_at,
    status: isOver ? 'timeout' : row.status,
    expiresAt: row.expires_at,
    decidedBy: row.decided_by,
    decidedAt: isOver ? row.expires_at : row.decided_at,
    decisionReason: row.decision_reason,
    decidedVia: isOver ? 'system' : row.decided_via,
  }
}
