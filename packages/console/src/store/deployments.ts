// Which version of a bundle is in force in an environment, how it came to be, and what agents said about it.
import { randomUUID } from 'node:crypto'
import type { BundleKind } from './bundles.js'
import { allOf } from './conditions.js'
import { type Connection, type Database, first, type Transaction } from './database.js'
import type { Scope } from './scope.js'

export interface Deployment extends Scope {
  readonly id: string
  readonly bundleName: string
  readonly bundleVersion: number
  /** Grows with every deployment of the bundle in the environment, also when an older version comes back. */
  readonly sequence: number
  readonly deployedBy: string
  readonly createdAt: number
}

/** A deployed version without its text. */
export interface DeployedBundle {
  readonly env: string
  readonly bundleName: string
  readonly bundleVersion: number
  readonly sequence: number
  readonly deployedBy: string
  readonly deployedAt: number
  readonly versionId: string
  readonly kind: BundleKind
  readonly revisionHash: string
  readonly translationHash: string | null
}

export interface NewDeployment extends Scope {
  readonly bundleName: string
  readonly bundleVersion: number
  readonly deployedBy: string
  readonly now: number
  /** `always`: also when this version is in force already, so that agents are told again. */
  readonly when: 'different' | 'always'
}

/** The change that sends agents to look for their bundle again. */
export const bundleDeployed = 'bundle-deployed'

const columns = `id, tenant, env, bundle_name AS "bundleName", bundle_version AS "bundleVersion", sequence,
  deployed_by AS "deployedBy", created_at AS "createdAt"`

/** The deployment in force afterwards, and whether it was made now. The version must exist. */
export async function deployVersion(
  transaction: Transaction,
  request: NewDeployment,
): Promise<{ readonly deployment: Deployment; readonly isNew: boolean }> {
  const { tenant, env, bundleName, bundleVersion, deployedBy, now } = request
  await transaction.lock(`deploy ${tenant} ${env} ${bundleName}`)
  const current = await findLatest(transaction, request)
  if (current?.bundleVersion === bundleVersion && request.when === 'different')
    return { deployment: current, isNew: false }
  const deployment: Deployment = {
    id: randomUUID(),
    tenant,
    env,
    bundleName,
    bundleVersion,
    sequence: (current?.sequence ?? 0) + 1,
    deployedBy,
    createdAt: now,
  }
  const { id, sequence } = deployment
  await transaction.run(
    `INSERT INTO deployments (id, tenant, env, bundle_name, bundle_version, sequence, deployed_by, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [id, tenant, env, bundleName, bundleVersion, sequence, deployedBy, now],
  )
  await transaction.run(
    `INSERT INTO deployed_bundles (tenant, env, bundle_name, bundle_version, sequence, deployment_id, deployed_by, deployed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenant, env, bundle_name) DO UPDATE SET bundle_version = excluded.bundle_version,
       sequence = excluded.sequence, deployment_id = excluded.deployment_id, deployed_by = excluded.deployed_by,
       deployed_at = excluded.deployed_at`,
    [tenant, env, bundleName, bundleVersion, sequence, id, deployedBy, now],
  )
  const subject = JSON.stringify({
    bundle_name: bundleName,
    version: bundleVersion,
    env,
    deployed_by: deployedBy,
  })
  await transaction.announce({ kind: bundleDeployed, tenant, subject })
  return { deployment, isNew: true }
}

function findLatest(
  connection: Connection,
  { tenant, env, bundleName }: Scope & { readonly bundleName: string },
): Promise<Deployment | undefined> {
  return first<Deployment>(
    connection,
    `SELECT ${columns} FROM deployments WHERE tenant = ? AND env = ? AND bundle_name = ? ORDER BY sequence DESC LIMIT 1`,
    [tenant, env, bundleName],
  )
}

/** The last version that was in force before the one that is now; undefined when there was none. */
export async function findPreviousVersion(
  connection: Connection,
  { tenant, env, bundleName }: Scope & { readonly bundleName: string },
): Promise<number | undefined> {
  const row = await first<{ version: number }>(
    connection,
    `SELECT d.bundle_version AS version FROM deployments d
     JOIN deployed_bundles c ON c.tenant = d.tenant AND c.env = d.env AND c.bundle_name = d.bundle_name
     WHERE d.tenant = ? AND d.env = ? AND d.bundle_name = ? AND d.bundle_version <> c.bundle_version
     ORDER BY d.sequence DESC LIMIT 1`,
    [tenant, env, bundleName],
  )
  return row?.version
}

export interface Acknowledgement extends Scope {
  readonly agentId: string
  readonly bundleName: string
  readonly revisionHash: string
  readonly outcome: 'applied' | 'rejected'
  readonly reason: string | null
  readonly at: number
}

/** The change that tells dashboards how far a deployment has come. */
export const bundleAcknowledged = 'bundle-acknowledged'

export async function recordAcknowledgement(transaction: Transaction, ack: Acknowledgement): Promise<void> {
  const { tenant, env, agentId, bundleName, revisionHash, outcome, reason, at } = ack
  await transaction.run(
    `INSERT INTO bundle_acknowledgements (tenant, env, agent_id, bundle_name, revision_hash, outcome, reason, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenant, env, agent_id, bundle_name) DO UPDATE SET
       revision_hash = excluded.revision_hash, outcome = excluded.outcome, reason = excluded.reason, at = excluded.at`,
    [tenant, env, agentId, bundleName, revisionHash, outcome, reason, at],
  )
  const subject = JSON.stringify({ agent_id: agentId, env, bundle_name: bundleName, outcome })
  await transaction.announce({ kind: bundleAcknowledged, tenant, subject })
}

export class DeploymentStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Everything in force, or a part of it. */
  listDeployed(
    tenant: number,
    filter: { readonly env?: string; readonly bundleName?: string } = {},
  ): Promise<readonly DeployedBundle[]> {
    const where = allOf([
      ['d.tenant = ?', tenant],
      ['d.env = ?', filter.env],
      ['d.bundle_name = ?', filter.bundleName],
    ])
    return this.#database.all<DeployedBundle>(
      `SELECT d.env, d.bundle_name AS "bundleName", d.bundle_version AS "bundleVersion", d.sequence,
         d.deployed_by AS "deployedBy", d.deployed_at AS "deployedAt", v.id AS "versionId", v.kind,
         v.revision_hash AS "revisionHash", v.translation_hash AS "translationHash"
       FROM deployed_bundles d
       JOIN bundle_versions v ON v.tenant = d.tenant AND v.name = d.bundle_name AND v.version = d.bundle_version
       WHERE ${where.sql} ORDER BY d.env, d.bundle_name`,
      where.values,
    )
  }

  async findDeployed({ tenant, env }: Scope, bundleName: string): Promise<DeployedBundle | undefined> {
    const [deployed] = await this.listDeployed(tenant, { env, bundleName })
    return deployed
  }

  /** Newest first. */
  list(
    filter: {
      readonly tenant: number
      readonly env?: string | undefined
      readonly bundleName?: string | undefined
    },
    limit: number,
  ): Promise<readonly Deployment[]> {
    const where = allOf([
      ['tenant = ?', filter.tenant],
      ['env = ?', filter.env],
      ['bundle_name = ?', filter.bundleName],
    ])
    return this.#database.all<Deployment>(
      `SELECT ${columns} FROM deployments WHERE ${where.sql} ORDER BY created_at DESC, sequence DESC, id LIMIT ?`,
      [...where.values, limit],
    )
  }

  listAcknowledgements({ tenant, env }: Scope, bundleName: string): Promise<readonly Acknowledgement[]> {
    return this.#database.all<Acknowledgement>(
      `SELECT tenant, env, agent_id AS "agentId", bundle_name AS "bundleName", revision_hash AS "revisionHash", outcome,
         reason, at
       FROM bundle_acknowledgements WHERE tenant = ? AND env = ? AND bundle_name = ?`,
      [tenant, env, bundleName],
    )
  }
}
