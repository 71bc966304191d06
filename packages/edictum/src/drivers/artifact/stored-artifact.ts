// What a store knows about each of its texts, and the two questions both drivers ask about it.
import { randomBytes } from 'node:crypto'
import { sha256Hex } from '../../internal/platform.js'
import { ArtifactError } from '../../runtime/artifacts/artifact-error.js'
import type { ArtifactDraft, ArtifactReference } from '../../runtime/artifacts/artifact-store.js'
import { summarize } from '../../runtime/artifacts/summarize.js'
import type { ArtifactLimits, ArtifactSettings } from './settings.js'

export interface StoredArtifact {
  /** Stands for the session; the session's id itself is never stored. */
  readonly sessionKey: string
  readonly artifactId: string
  readonly expiresAt: number
  readonly sizeBytes: number
}

export interface PreparedArtifact extends StoredArtifact {
  readonly bytes: Buffer
  readonly reference: ArtifactReference
}

export function keyOfSession(sessionId: string): string {
  // JSON writes lone surrogates out; as plain UTF-8 all of them would be the same character.
  return sha256Hex(JSON.stringify(sessionId))
}

export function prepareArtifact(draft: ArtifactDraft, { now, ttlMs }: ArtifactSettings): PreparedArtifact {
  const bytes = Buffer.from(draft.text, 'utf8')
  const artifactId = `art_${randomBytes(16).toString('hex')}`
  const expiresAt = Math.ceil(now() + ttlMs)
  const sizeBytes = bytes.byteLength
  return {
    sessionKey: keyOfSession(draft.sessionId),
    artifactId,
    expiresAt,
    sizeBytes,
    bytes,
    reference: Object.freeze({ artifactId, sizeBytes, summary: summarize(draft.text), expiresAt }),
  }
}

export function isExpired({ expiresAt }: StoredArtifact, now: number): boolean {
  return now >= expiresAt
}

/** @throws ArtifactError when one more would be too much for its session or for the store. */
export function refuseBeyondLimits(
  stored: Iterable<StoredArtifact>,
  next: StoredArtifact,
  limits: ArtifactLimits,
): void {
  const session = { artifacts: 1, bytes: next.sizeBytes }
  const total = { artifacts: 1, bytes: next.sizeBytes }
  for (const { sessionKey, sizeBytes } of stored) {
    total.artifacts += 1
    total.bytes += sizeBytes
    if (sessionKey !== next.sessionKey) continue
    session.artifacts += 1
    session.bytes += sizeBytes
  }
  const exceeded = [
    ['sessionArtifacts', session.artifacts],
    ['sessionBytes', session.bytes],
    ['totalArtifacts', total.artifacts],
    ['totalBytes', total.bytes],
  ] as const
  for (const [name, wanted] of exceeded) {
    if (wanted > limits[name]) {
      throw new ArtifactError(
        'quota-exceeded',
        `the artifact is one too many: ${name} would be ${wanted}, the limit is ${limits[name]}`,
      )
    }
  }
}
