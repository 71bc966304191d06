// The public surface of `edictum/artifacts`.
export { FileArtifactStore } from './drivers/artifact/file.js'
export { MemoryArtifactStore } from './drivers/artifact/memory.js'
export {
  artifactDefaults,
  type ArtifactLimits,
  type ArtifactStoreOptions,
} from './drivers/artifact/settings.js'
export { ArtifactError, type ArtifactErrorCode } from './runtime/artifacts/artifact-error.js'
export type { ArtifactMatch, ArtifactMatches, ArtifactPage } from './runtime/artifacts/artifact-pages.js'
export { type ArtifactReader, createArtifactReader } from './runtime/artifacts/artifact-reader.js'
export type { ArtifactDraft, ArtifactReference, ArtifactStore } from './runtime/artifacts/artifact-store.js'
export type { Redacted } from './runtime/redacted.js'
