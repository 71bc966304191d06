import type {
  ArtifactDraft,
  ArtifactReference,
  ArtifactStore,
} from '../../runtime/artifacts/artifact-store.js'
import { type ArtifactSettings, type ArtifactStoreOptions, readSettings } from './settings.js'
import {
  isExpired,
  keyOfSession,
  prepareArtifact,
  refuseBeyondLimits,
  type StoredArtifact,
} from './stored-artifact.js'

interface HeldArtifact extends StoredArtifact {
  readonly bytes: Buffer
}

/** Artifacts of one process; gone when it ends. */
export class MemoryArtifactStore implements ArtifactStore {
  readonly #settings: ArtifactSettings
  readonly #artifacts = new Map<string, HeldArtifact>()

  constructor(options: ArtifactStoreOptions = {}) {
    this.#settings = readSettings(options)
  }

  async store(draft: ArtifactDraft): Promise<ArtifactReference> {
    this.#removeExpired()
    const { reference, ...artifact } = prepareArtifact(draft, this.#settings)
    refuseBeyondLimits(this.#artifacts.values(), artifact, this.#settings.limits)
    this.#artifacts.set(artifact.artifactId, artifact)
    return reference
  }

  async read(sessionId: string, artifactId: string): Promise<string | undefined> {
    const artifact = this.#artifacts.get(artifactId)
    if (artifact?.sessionKey !== keyOfSession(sessionId)) return undefined
    return isExpired(artifact, this.#settings.now()) ? undefined : artifact.bytes.toString('utf8')
  }

  async cleanupSession(sessionId: string): Promise<number> {
    const key = keyOfSession(sessionId)
    return this.#remove(({ sessionKey }) => sessionKey === key)
  }

  async sweep(): Promise<number> {
    return this.#removeExpired()
  }

  #removeExpired(): number {
    const now = this.#settings.now()
    return this.#remove((artifact) => isExpired(artifact, now))
  }

  #remove(isDue: (artifact: StoredArtifact) => boolean): number {
    const due = [...this.#artifacts.values()].filter(isDue)
    for (const { artifactId } of due) this.#artifacts.delete(artifactId)
    return due.length
  }
}
