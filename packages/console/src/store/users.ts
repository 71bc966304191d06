// People who operate the console, their one-time login links and their sessions in a browser. Tokens are stored as hashes.
import { randomUUID } from 'node:crypto'
import type { UserRole } from '../protocol/visitor.js'
import { type Connection, type Database, first, type Transaction } from './database.js'

export interface User {
  readonly id: string
  readonly tenant: number
  readonly email: string
  readonly role: UserRole
  readonly createdAt: number
  readonly hasPassword: boolean
}

interface UserRow {
  readonly id: string
  readonly tenant: number
  readonly email: string
  readonly role: UserRole
  readonly created_at: number
  readonly password: string | null
}

const columns = 'u.id, u.tenant, u.email, u.role, u.created_at, u.password'
const isActive = 'u.disabled_at IS NULL'

export interface Credential {
  readonly tokenHash: string
  readonly tenant: number
  readonly userId: string
  readonly expiresAt: number
}

/** The change that tells every node to close what a user has open. */
export const userDisabled = 'user-disabled'

/** Undefined when the address is taken. */
export async function createUser(
  transaction: Transaction,
  user: Pick<User, 'tenant' | 'email' | 'role' | 'createdAt'>,
): Promise<User | undefined> {
  const id = randomUUID()
  const created = await transaction.run(
    'INSERT INTO users (id, tenant, email, role, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (email) DO NOTHING',
    [id, user.tenant, user.email, user.role, user.createdAt],
  )
  return created === 0 ? undefined : { ...user, id, hasPassword: false }
}

export async function createLoginLink(transaction: Transaction, link: Credential): Promise<void> {
  await transaction.run(
    'INSERT INTO login_links (token_hash, tenant, user_id, expires_at) VALUES (?, ?, ?, ?)',
    [link.tokenHash, link.tenant, link.userId, link.expiresAt],
  )
}

export async function openLoginSession(
  transaction: Transaction,
  session: Credential & { readonly createdAt: number },
): Promise<void> {
  await transaction.run(
    'INSERT INTO login_sessions (token_hash, tenant, user_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?)',
    [session.tokenHash, session.tenant, session.userId, session.createdAt, session.expiresAt],
  )
}

/** The user the link was for; a link opens once. */
export async function useLoginLink(
  transaction: Transaction,
  link: { readonly tokenHash: string; readonly at: number },
): Promise<User | undefined> {
  const used = await transaction.all<{ user_id: string }>(
    'DELETE FROM login_links WHERE token_hash = ? AND expires_at > ? RETURNING user_id',
    [link.tokenHash, link.at],
  )
  const userId = used[0]?.user_id
  return userId === undefined ? undefined : findUserIn(transaction, userId)
}

/** A change of password or role ends every session of the user, so that it takes effect at once. */
export async function endSessionsOf(transaction: Transaction, userId: string): Promise<void> {
  await transaction.run('DELETE FROM login_sessions WHERE user_id = ?', [userId])
}

export async function setPassword(
  transaction: Transaction,
  user: { readonly id: string; readonly password: string },
): Promise<void> {
  await transaction.run('UPDATE users SET password = ? WHERE id = ?', [user.password, user.id])
}

/** False when there is no such user any more. */
export async function changeUser(
  transaction: Transaction,
  change: { readonly tenant: number; readonly id: string; readonly role: UserRole },
): Promise<boolean> {
  const changed = await transaction.run(
    `UPDATE users SET role = ? WHERE tenant = ? AND id = ? AND disabled_at IS NULL`,
    [change.role, change.tenant, change.id],
  )
  return changed > 0
}

export async function disableUser(
  transaction: Transaction,
  user: { readonly tenant: number; readonly id: string; readonly at: number },
): Promise<boolean> {
  // The address is free again; what the user did stays on record under the old one.
  const changed = await transaction.run(
    `UPDATE users SET disabled_at = ?, email = email || ' ' || id WHERE tenant = ? AND id = ? AND disabled_at IS NULL`,
    [user.at, user.tenant, user.id],
  )
  if (changed > 0) await transaction.announce({ kind: userDisabled, tenant: user.tenant, subject: user.id })
  return changed > 0
}

export async function countAdmins(connection: Connection, tenant: number): Promise<number> {
  const rows = await connection.all<{ admins: number }>(
    `SELECT count(*) AS admins FROM users WHERE tenant = ? AND role = 'admin' AND disabled_at IS NULL`,
    [tenant],
  )
  return rows[0]?.admins ?? 0
}

export class UserStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  find(userId: string): Promise<User | undefined> {
    return findUserIn(this.#database, userId)
  }

  /** With the stored form of the password, null when none was set. */
  async findByEmail(email: string): Promise<{ user: User; password: string | null } | undefined> {
    const row = await first<UserRow>(
      this.#database,
      `SELECT ${columns} FROM users u WHERE u.email = ? AND ${isActive}`,
      [email],
    )
    return row === undefined ? undefined : { user: fromRow(row), password: row.password }
  }

  async findBySession(tokenHash: string, at: number): Promise<User | undefined> {
    const row = await first<UserRow>(
      this.#database,
      `SELECT ${columns} FROM login_sessions s JOIN users u ON u.id = s.user_id
       WHERE s.token_hash = ? AND s.expires_at > ? AND ${isActive}`,
      [tokenHash, at],
    )
    return row === undefined ? undefined : fromRow(row)
  }

  async list(tenant: number): Promise<readonly User[]> {
    const rows = await this.#database.all<UserRow>(
      `SELECT ${columns} FROM users u WHERE u.tenant = ? AND ${isActive} ORDER BY u.created_at, u.id`,
      [tenant],
    )
    return rows.map(fromRow)
  }

  async closeSession(tokenHash: string): Promise<void> {
    await this.#database.run('DELETE FROM login_sessions WHERE token_hash = ?', [tokenHash])
  }

  /** Whether anybody has ever been inside; until then the way in is shown at every start. */
  async hasAnyoneLoggedIn(): Promise<boolean> {
    const rows = await this.#database.all(
      `SELECT 1 AS one FROM login_sessions UNION ALL SELECT 1 FROM users WHERE password IS NOT NULL LIMIT 1`,
    )
    return rows.length > 0
  }
}

async function findUserIn(connection: Connection, userId: string): Promise<User | undefined> {
  const row = await first<UserRow>(
    connection,
    `SELECT ${columns} FROM users u WHERE u.id = ? AND ${isActive}`,
    [userId],
  )
  return row === undefined ? undefined : fromRow(row)
}

function fromRow(row: UserRow): User {
  return {
    id: row.id,
    tenant: row.tenant,
    email: row.email,
    role: row.role,
    createdAt: row.created_at,
    hasPassword: row.password !== null,
  }
}
