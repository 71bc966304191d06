import { waitFor } from '../guard/waiting.js'
import { messageOf } from '../internal/message-of.js'
import { warn } from '../internal/platform.js'
import type { ArtifactDraft, ArtifactReference, ArtifactStore } from './artifacts/artifact-store.js'

const patienceMs = 10_000

/** Undefined when the store fails or does not answer: the output is then cut instead, so nothing is lost in silence. */
export async function storeArtifact(
  artifacts: ArtifactStore,
  draft: ArtifactDraft,
): Promise<ArtifactReference | undefined> {
  try {
    const patience = { milliseconds: patienceMs, signal: undefined, what: 'the artifact store' }
    return await waitFor(artifacts.store(draft), patience)
  } catch (error) {
    warn(`an output of ${draft.toolName} could not be stored and was cut: ${messageOf(error)}`)
    return undefined
  }
}
