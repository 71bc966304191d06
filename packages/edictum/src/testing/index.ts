// The public surface of `edictum/testing`: suites that any implementation of a port can be held against.
export {
  type AdapterBehaviour,
  adapterBehaviours,
  type AdapterKit,
  type AdapterScenario,
  describeAdapter,
  type ScriptedCall,
} from './describe-adapter.js'
export { type ApprovalBackendKit, describeApprovalBackend } from './describe-approval-backend.js'
export {
  type ArtifactStoreKit,
  type ArtifactStoreSettings,
  describeArtifactStore,
} from './describe-artifact-store.js'
export { type AuditSinkKit, describeAuditSink } from './describe-audit-sink.js'
export {
  describeStorageBackend,
  type OpenedStorage,
  type StorageBackendKit,
  type StorageOffer,
} from './describe-storage-backend.js'
