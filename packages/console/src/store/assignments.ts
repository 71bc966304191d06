// Which bundle an agent is to run: said for the agent itself, or by rules over ids and tags.
import { randomUUID } from 'node:crypto'
import { type Connection, type Database, first, type Transaction } from './database.js'
import { StoreRefusal } from './refusal.js'

export type Tags = Readonly<Record<string, string>>

export interface Registration {
  readonly id: string
  readonly agentId: string
  readonly displayName: string | null
  readonly tags: Tags
  /** Assigned by a person; null when nobody did. */
  readonly bundleName: string | null
  readonly createdAt: number
}

export interface AssignmentRule {
  readonly id: string
  /** The lowest number is asked first. */
  readonly priority: number
  /** Of agent ids, with `*`. */
  readonly pattern: string
  readonly tagMatch: Tags | null
  readonly bundleName: string
  readonly env: string
  readonly createdAt: number
}

/** The change that makes every node work out again which agent runs what. */
export const assignmentChanged = 'assignment-changed'

interface RegistrationRow {
  readonly id: string
  readonly agent_id: string
  readonly display_name: string | null
  readonly tags: string
  readonly bundle_name: string | null
  readonly created_at: number
}

interface RuleRow {
  readonly id: string
  readonly priority: number
  readonly pattern: string
  readonly tag_match: string | null
  readonly bundle_name: string
  readonly env: string
  readonly created_at: number
}

const registrationColumns = 'id, agent_id, display_name, tags, bundle_name, created_at'
const ruleColumns = 'id, priority, pattern, tag_match, bundle_name, env, created_at'

export interface RegistrationChange {
  readonly tenant: number
  readonly agentId: string
  readonly displayName?: string | null
  readonly tags?: Tags
  readonly bundleName?: string | null
  readonly now: number
}

/** Also for an agent nobody has heard of: it finds its assignment when it comes. */
export async function changeRegistration(
  transaction: Transaction,
  change: RegistrationChange,
): Promise<Registration> {
  const { tenant, agentId, now } = change
  await transaction.run(
    `INSERT INTO agent_registrations (id, tenant, agent_id, display_name, tags, bundle_name, created_at)
     VALUES (?, ?, ?, NULL, '{}', NULL, ?) ON CONFLICT (tenant, agent_id) DO NOTHING`,
    [randomUUID(), tenant, agentId, now],
  )
  const row = await first<RegistrationRow>(
    transaction,
    `SELECT ${registrationColumns} FROM agent_registrations WHERE tenant = ? AND agent_id = ?`,
    [tenant, agentId],
  )
  if (row === undefined) throw new Error('the database lost a registration')
  const before = fromRegistrationRow(row)
  const after: Registration = {
    ...before,
    displayName: change.displayName === undefined ? before.displayName : change.displayName,
    tags: change.tags ?? before.tags,
    bundleName: change.bundleName === undefined ? before.bundleName : change.bundleName,
  }
  await transaction.run(
    'UPDATE agent_registrations SET display_name = ?, tags = ?, bundle_name = ? WHERE tenant = ? AND agent_id = ?',
    [after.displayName, JSON.stringify(after.tags), after.bundleName, tenant, agentId],
  )
  if (after.bundleName !== before.bundleName || JSON.stringify(after.tags) !== JSON.stringify(before.tags)) {
    const subject = JSON.stringify({ agent_id: agentId, bundle_name: after.bundleName, source: 'explicit' })
    await transaction.announce({ kind: assignmentChanged, tenant, subject })
  }
  return after
}

export async function findRegistration(
  connection: Connection,
  tenant: number,
  agentId: string,
): Promise<Registration | undefined> {
  const row = await first<RegistrationRow>(
    connection,
    `SELECT ${registrationColumns} FROM agent_registrations WHERE tenant = ? AND agent_id = ?`,
    [tenant, agentId],
  )
  return row === undefined ? undefined : fromRegistrationRow(row)
}

export interface RuleFields {
  readonly priority: number
  readonly pattern: string
  readonly tagMatch: Tags | null
  readonly bundleName: string
  readonly env: string
}

/** @throws StoreRefusal when another rule has the priority. */
export async function createRule(
  transaction: Transaction,
  tenant: number,
  { fields, now }: { readonly fields: RuleFields; readonly now: number },
): Promise<AssignmentRule> {
  const id = randomUUID()
  await refuseTakenPriority(transaction, tenant, { id, priority: fields.priority })
  await transaction.run(
    `INSERT INTO assignment_rules (id, tenant, priority, pattern, tag_match, bundle_name, env, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      id,
      tenant,
      fields.priority,
      fields.pattern,
      writeTags(fields.tagMatch),
      fields.bundleName,
      fields.env,
      now,
    ],
  )
  await announceRule(transaction, tenant, { id, action: 'created' })
  return { ...fields, id, createdAt: now }
}

/** Undefined when there is no such rule. @throws StoreRefusal when another rule has the priority. */
export async function changeRule(
  transaction: Transaction,
  tenant: number,
  { id, fields }: { readonly id: string; readonly fields: Partial<RuleFields> },
): Promise<AssignmentRule | undefined> {
  const row = await first<RuleRow>(
    transaction,
    `SELECT ${ruleColumns} FROM assignment_rules WHERE tenant = ? AND id = ?`,
    [tenant, id],
  )
  if (row === undefined) return undefined
  const after = { ...fromRuleRow(row), ...fields }
  await refuseTakenPriority(transaction, tenant, after)
  await transaction.run(
    'UPDATE assignment_rules SET priority = ?, pattern = ?, tag_match = ?, bundle_name = ?, env = ? WHERE tenant = ? AND id = ?',
    [after.priority, after.pattern, writeTags(after.tagMatch), after.bundleName, after.env, tenant, id],
  )
  await announceRule(transaction, tenant, { id, action: 'changed' })
  return after
}

export async function removeRule(transaction: Transaction, tenant: number, id: string): Promise<boolean> {
  const removed = await transaction.run('DELETE FROM assignment_rules WHERE tenant = ? AND id = ?', [
    tenant,
    id,
  ])
  if (removed > 0) await announceRule(transaction, tenant, { id, action: 'removed' })
  return removed > 0
}

async function refuseTakenPriority(
  transaction: Transaction,
  tenant: number,
  rule: { readonly id: string; readonly priority: number },
): Promise<void> {
  await transaction.lock(`assignment rules ${tenant}`)
  const taken = await first(
    transaction,
    'SELECT id FROM assignment_rules WHERE tenant = ? AND priority = ? AND id <> ?',
    [tenant, rule.priority, rule.id],
  )
  if (taken !== undefined)
    throw new StoreRefusal('conflict', `another rule has the priority ${rule.priority}`)
}

function announceRule(
  transaction: Transaction,
  tenant: number,
  { id, action }: { readonly id: string; readonly action: string },
): Promise<void> {
  const subject = JSON.stringify({ rule_id: id, action })
  return transaction.announce({ kind: assignmentChanged, tenant, subject })
}

export class AssignmentStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async listRegistrations(tenant: number): Promise<readonly Registration[]> {
    const rows = await this.#database.all<RegistrationRow>(
      `SELECT ${registrationColumns} FROM agent_registrations WHERE tenant = ? ORDER BY agent_id`,
      [tenant],
    )
    return rows.map(fromRegistrationRow)
  }

  /** In the order they are asked. */
  async listRules(tenant: number): Promise<readonly AssignmentRule[]> {
    const rows = await this.#database.all<RuleRow>(
      `SELECT ${ruleColumns} FROM assignment_rules WHERE tenant = ? ORDER BY priority`,
      [tenant],
    )
    return rows.map(fromRuleRow)
  }
}

function fromRegistrationRow(row: RegistrationRow): Registration {
  return {
    id: row.id,
    agentId: row.agent_id,
    displayName: row.display_name,
    tags: JSON.parse(row.tags) as Tags,
    bundleName: row.bundle_name,
    createdAt: row.created_at,
  }
}

function fromRuleRow(row: RuleRow): AssignmentRule {
  return {
    id: row.id,
    priority: row.priority,
    pattern: row.pattern,
    tagMatch: row.tag_match === null ? null : (JSON.parse(row.tag_match) as Tags),
    bundleName: row.bundle_name,
    env: row.env,
    createdAt: row.created_at,
  }
}

function writeTags(tags: Tags | null): string | null {
  return tags === null ? null : JSON.stringify(tags)
}
