// The limits of bundle versions, by the hash agents report. A version never changes, so what was read once is kept.
import type { BundleVersion } from '../../store/bundles.js'
import type { BundleLimits } from '../bundles/examine.js'
import type { Services } from '../services.js'

const mostKept = 1_000

export interface VersionLimits {
  readonly name: string
  readonly version: number
  readonly limits: BundleLimits
}

export class KnownLimits {
  readonly #services: Services
  readonly #kept = new Map<string, BundleLimits>()

  constructor(services: Services) {
    this.#services = services
  }

  /** Of the hashes that belong to a version stored here. */
  async find(tenant: number, hashes: readonly string[]): Promise<ReadonlyMap<string, VersionLimits>> {
    const found = new Map<string, VersionLimits>()
    const versions = await this.#services.store.bundles.findByHashes(tenant, hashes)
    for (const version of versions) {
      const limits = await this.#read(version)
      if (limits === undefined) continue
      const known = { name: version.name, version: version.version, limits }
      for (const hash of [version.revisionHash, version.translationHash])
        if (hash !== null) found.set(hash, known)
    }
    return found
  }

  async #read({ id }: BundleVersion): Promise<BundleLimits | undefined> {
    const kept = this.#kept.get(id)
    if (kept !== undefined) return kept
    const { store, bundleWorkers } = this.#services
    const text = await store.bundles.readText(id, 'as-uploaded')
    if (text === undefined) return undefined
    const examined = await bundleWorkers.run('examine', { text: text.content })
    if (!examined.ok) return undefined
    if (this.#kept.size >= mostKept) this.#kept.clear()
    this.#kept.set(id, examined.bundle.limits)
    return examined.bundle.limits
  }
}
