// Every row belongs to a tenant; the first is made at the first start.
import { randomUUID } from 'node:crypto'
import { type Connection, type Database, first, type Transaction } from './database.js'

export interface Tenant {
  readonly id: number
  /** What clients see. */
  readonly publicId: string
  readonly name: string
}

export async function createTenant(
  transaction: Transaction,
  tenant: { readonly name: string; readonly at: number },
): Promise<Tenant> {
  const publicId = randomUUID()
  const [row] = await transaction.all<{ id: number }>(
    'INSERT INTO tenants (public_id, name, created_at) VALUES (?, ?, ?) RETURNING id',
    [publicId, tenant.name, tenant.at],
  )
  if (row === undefined) throw new Error('the database did not say which tenant it made')
  return { id: row.id, publicId, name: tenant.name }
}

/** Settings of a tenant; tenant 0 holds those of the installation. */
export async function readSetting(
  connection: Connection,
  setting: { readonly tenant: number; readonly name: string },
): Promise<string | undefined> {
  const row = await first<{ value: string }>(
    connection,
    'SELECT value FROM settings WHERE tenant = ? AND name = ?',
    [setting.tenant, setting.name],
  )
  return row?.value
}

export async function writeSetting(
  transaction: Transaction,
  setting: { readonly tenant: number; readonly name: string; readonly value: string },
): Promise<void> {
  await transaction.run(
    'INSERT INTO settings (tenant, name, value) VALUES (?, ?, ?) ON CONFLICT (tenant, name) DO UPDATE SET value = excluded.value',
    [setting.tenant, setting.name, setting.value],
  )
}

export class TenantStore {
  readonly #database: Database
  readonly #known = new Map<number, Tenant>()

  constructor(database: Database) {
    this.#database = database
  }

  async find(id: number): Promise<Tenant> {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const row = await first<{ public_id: string; name: string }>(
      this.#database,
      'SELECT public_id, name FROM tenants WHERE id = ?',
      [id],
    )
    if (row === undefined) throw new Error(`there is no tenant ${id}`)
    const tenant = { id, publicId: row.public_id, name: row.name }
    this.#known.set(id, tenant)
    return tenant
  }

  async list(): Promise<readonly { readonly id: number }[]> {
    return this.#database.all<{ id: number }>('SELECT id FROM tenants ORDER BY id')
  }
}
