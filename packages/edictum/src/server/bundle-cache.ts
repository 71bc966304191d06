// What a contract source remembers on disk: the last good bundle of each name, which bundle the server assigned, and the
// keys it learned to trust. Nothing in here is believed without its signature.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isIdentifier } from './identifier.js'
import type { CurrentBundle } from './protocol/bundles.js'
import { ensureStateFolder, writeStateFile } from './state-folder.js'
import { isPublicKey } from './verify-bundle.js'

export class BundleCache {
  readonly #folder: string

  /** @throws EdictumConfigError when the folder is not safe. */
  constructor(folder: string) {
    this.#folder = ensureStateFolder(folder)
  }

  /** Not verified; undefined when there is none that can be read. */
  async bundle(name: string): Promise<CurrentBundle | undefined> {
    return (await this.#read(`bundle-${name}.json`)) as CurrentBundle | undefined
  }

  async keepBundle(bundle: CurrentBundle): Promise<void> {
    await writeStateFile(this.#path(`bundle-${bundle.manifest.name}.json`), JSON.stringify(bundle))
  }

  /** The bundle that was in force last, if the agent asked for the same one as now. */
  async assignedName(asked: string | undefined): Promise<string | undefined> {
    const kept = await this.#read('assigned.json')
    const name = kept?.['name']
    return isIdentifier(name) && (kept?.['asked'] ?? undefined) === asked ? name : undefined
  }

  async keepAssignedName(assigned: {
    readonly asked: string | undefined
    readonly name: string
  }): Promise<void> {
    await writeStateFile(this.#path('assigned.json'), JSON.stringify(assigned))
  }

  async learnedKeys(): Promise<readonly string[]> {
    const keys = (await this.#read('trusted-keys.json'))?.['keys']
    return Array.isArray(keys) ? keys.filter(isPublicKey) : []
  }

  async keepLearnedKeys(keys: readonly string[]): Promise<void> {
    await writeStateFile(this.#path('trusted-keys.json'), JSON.stringify({ keys }))
  }

  #path(name: string): string {
    return join(this.#folder, name)
  }

  async #read(name: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    try {
      const value: unknown = JSON.parse(await readFile(this.#path(name), 'utf8'))
      return typeof value === 'object' && value !== null
        ? (value as Readonly<Record<string, unknown>>)
        : undefined
    } catch {
      return undefined
    }
  }
}
