// Versions of contract bundles: numbered, never changed, and the same content is never stored twice.
import { randomUUID } from 'node:crypto'
import { type Database, first, type Transaction } from './database.js'

export type BundleKind = 'ContractBundle' | 'Ruleset'

/** What is asked of a contract without reading the whole bundle: which tools it is about. */
export interface ContractSummary {
  readonly id: string
  readonly type: 'pre' | 'post' | 'session' | 'sandbox'
  /** Globs; empty for contracts about whole sessions. */
  readonly tools: readonly string[]
  readonly mode: 'enforce' | 'observe'
}

export interface NewVersion {
  readonly tenant: number
  readonly name: string
  readonly kind: BundleKind
  /** SHA-256 of the text in UTF-8, hexadecimal. */
  readonly revisionHash: string
  readonly content: string
  /** The same bundle in the other vocabulary; null when it cannot be written so. */
  readonly translation: { readonly content: string; readonly revisionHash: string } | null
  readonly contracts: readonly ContractSummary[]
  readonly uploadedBy: string
  readonly createdAt: number
}

export interface BundleVersion extends Omit<NewVersion, 'content' | 'translation'> {
  readonly id: string
  readonly version: number
  readonly translationHash: string | null
}

/** The text of a version in one vocabulary. */
export interface BundleText {
  readonly content: string
  readonly revisionHash: string
}

export interface BundleOverview {
  readonly name: string
  readonly latestVersion: number
  readonly versionCount: number
  readonly lastUpdated: number
  readonly contractCount: number
}

interface VersionRow {
  readonly id: string
  readonly tenant: number
  readonly name: string
  readonly version: number
  readonly kind: BundleKind
  readonly revision_hash: string
  readonly translation_hash: string | null
  readonly contracts: string
  readonly uploaded_by: string
  readonly created_at: number
}

const columns =
  'id, tenant, name, version, kind, revision_hash, translation_hash, contracts, uploaded_by, created_at'

const mostWithContract = 20

/** The change that tells dashboards about a new version. */
export const bundleUploaded = 'bundle-uploaded'

/** The version, and whether it was made now: content that is there already stays the version it is. */
export async function storeVersion(
  transaction: Transaction,
  bundle: NewVersion,
): Promise<{ readonly version: BundleVersion; readonly isNew: boolean }> {
  const { tenant, name, revisionHash, translation } = bundle
  await transaction.lock(`bundle ${tenant} ${name}`)
  const same = await first<VersionRow>(
    transaction,
    `SELECT ${columns} FROM bundle_versions WHERE tenant = ? AND name = ? AND revision_hash = ?`,
    [tenant, name, revisionHash],
  )
  if (same !== undefined) return { version: fromRow(same), isNew: false }
  const latest = await first<{ version: number | null }>(
    transaction,
    'SELECT max(version) AS version FROM bundle_versions WHERE tenant = ? AND name = ?',
    [tenant, name],
  )
  const row: VersionRow = {
    id: randomUUID(),
    tenant,
    name,
    version: (latest?.version ?? 0) + 1,
    kind: bundle.kind,
    revision_hash: revisionHash,
    translation_hash: translation?.revisionHash ?? null,
    contracts: JSON.stringify(bundle.contracts),
    uploaded_by: bundle.uploadedBy,
    created_at: bundle.createdAt,
  }
  await transaction.run(
    `INSERT INTO bundle_versions (${columns}, content, translation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      row.id,
      tenant,
      name,
      row.version,
      row.kind,
      revisionHash,
      row.translation_hash,
      row.contracts,
      row.uploaded_by,
      row.created_at,
      bundle.content,
      translation?.content ?? null,
    ],
  )
  const version = fromRow(row)
  const subject = JSON.stringify({
    bundle_name: name,
    version: version.version,
    revision_hash: revisionHash,
    uploaded_by: bundle.uploadedBy,
  })
  await transaction.announce({ kind: bundleUploaded, tenant, subject })
  return { version, isNew: true }
}

export class BundleStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async find(tenant: number, name: string, version: number): Promise<BundleVersion | undefined> {
    const row = await first<VersionRow>(
      this.#database,
      `SELECT ${columns} FROM bundle_versions WHERE tenant = ? AND name = ? AND version = ?`,
      [tenant, name, version],
    )
    return row === undefined ? undefined : fromRow(row)
  }

  /** Newest first. */
  async listVersions(tenant: number, name: string): Promise<readonly BundleVersion[]> {
    const rows = await this.#database.all<VersionRow>(
      `SELECT ${columns} FROM bundle_versions WHERE tenant = ? AND name = ? ORDER BY version DESC`,
      [tenant, name],
    )
    return rows.map(fromRow)
  }

  async list(tenant: number): Promise<readonly BundleOverview[]> {
    const rows = await this.#database.all<{
      name: string
      latest: number
      versions: number
      updated: number
      contracts: string
    }>(
      `SELECT newest.name, newest.version AS latest, counted.versions, newest.created_at AS updated, newest.contracts
       FROM bundle_versions newest
       JOIN (SELECT name, max(version) AS latest, count(*) AS versions FROM bundle_versions WHERE tenant = ? GROUP BY name)
         counted ON counted.name = newest.name AND counted.latest = newest.version
       WHERE newest.tenant = ? ORDER BY newest.name`,
      [tenant, tenant],
    )
    return rows.map((row) => ({
      name: row.name,
      latestVersion: row.latest,
      versionCount: row.versions,
      lastUpdated: row.updated,
      contractCount: (JSON.parse(row.contracts) as readonly unknown[]).length,
    }))
  }

  /** The text in the vocabulary asked for, or as it was uploaded; undefined when it cannot be written so. */
  async readText(id: string, kind: BundleKind | 'as-uploaded'): Promise<BundleText | undefined> {
    const row = await first<{
      kind: BundleKind
      content: string
      revision_hash: string
      translation: string | null
      translation_hash: string | null
    }>(
      this.#database,
      'SELECT kind, content, revision_hash, translation, translation_hash FROM bundle_versions WHERE id = ?',
      [id],
    )
    if (row === undefined) return undefined
    if (kind === 'as-uploaded' || kind === row.kind)
      return { content: row.content, revisionHash: row.revision_hash }
    const { translation, translation_hash } = row
    if (translation === null || translation_hash === null) return undefined
    return { content: translation, revisionHash: translation_hash }
  }

  /** Versions that are in force or the newest of their bundle and have a contract of this id; the newest first. */
  async listWithContract(
    tenant: number,
    contract: string,
  ): Promise<readonly (BundleVersion & Pick<BundleText, 'content'>)[]> {
    const rows = await this.#database.all<VersionRow & Pick<BundleText, 'content'>>(
      `SELECT ${columns}, content FROM bundle_versions v WHERE tenant = ? AND contracts LIKE ? AND (
         version = (SELECT max(version) FROM bundle_versions n WHERE n.tenant = v.tenant AND n.name = v.name)
         OR EXISTS (SELECT 1 FROM deployed_bundles d
           WHERE d.tenant = v.tenant AND d.bundle_name = v.name AND d.bundle_version = v.version))
       ORDER BY created_at DESC, name LIMIT ?`,
      [tenant, `%${JSON.stringify(contract)}%`, mostWithContract],
    )
    // What LIKE takes for a match is only nearly one.
    return rows
      .map((row) => ({ ...fromRow(row), content: row.content }))
      .filter(({ contracts }) => contracts.some(({ id }) => id === contract))
  }

  /** Versions by the hash an agent says it runs, in either vocabulary. */
  async findByHashes(tenant: number, hashes: readonly string[]): Promise<readonly BundleVersion[]> {
    if (hashes.length === 0) return []
    const places = hashes.map(() => '?').join(', ')
    const rows = await this.#database.all<VersionRow>(
      `SELECT ${columns} FROM bundle_versions WHERE tenant = ? AND (revision_hash IN (${places}) OR translation_hash IN (${places}))`,
      [tenant, ...hashes, ...hashes],
    )
    return rows.map(fromRow)
  }
}

function fromRow(row: VersionRow): BundleVersion {
  return {
    id: row.id,
    tenant: row.tenant,
    name: row.name,
    version: row.version,
    kind: row.kind,
    revisionHash: row.revision_hash,
    translationHash: row.translation_hash,
    contracts: JSON.parse(row.contracts) as ContractSummary[],
    uploadedBy: row.uploaded_by,
    createdAt: row.created_at,
  }
}
