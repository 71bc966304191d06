// Where outputs go that are too long for a message: the model gets a reference and reads the text in pages.
import type { Redacted } from '../redacted.js'

export interface ArtifactReference {
  readonly artifactId: string
  /** Of the text in UTF-8. */
  readonly sizeBytes: number
  /** How the text begins, on one line. */
  readonly summary: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

export interface ArtifactDraft {
  readonly sessionId: string
  readonly toolName: string
  readonly text: Redacted<string>
}

/** Texts that outlive their call. An artifact belongs to the session that stored it; no other can tell that it exists. */
export interface ArtifactStore {
  /** Rejects when the text is not stored; a reference is never handed out for nothing. */
  store(artifact: ArtifactDraft): Promise<ArtifactReference>
  /** Undefined for an artifact that is unknown, expired or another session's, without telling which. */
  read(sessionId: string, artifactId: string): Promise<string | undefined>
  /** Removes what the session has stored and answers how many artifacts that were. */
  cleanupSession(sessionId: string): Promise<number>
  /** Removes what has expired and answers how many artifacts that were. */
  sweep(): Promise<number>
}
