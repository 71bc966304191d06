// The public surface of `edictum/testing`: contracts under test, cases a bundle can be held against, and suites for
// implementations of a port.
export {
  type CaseSession,
  type ContractCase,
  type Expectation,
  expectations,
  loadCases,
} from '../contracts/cases.js'
export { type CaseResult, judgeCases } from '../guard/judge-cases.js'
export { type ContractCoverage, Coverage, type LeafCoverage } from '../policy/coverage.js'
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
export { bundleOf } from './bundle-of.js'
export { FakeClock } from './fake-clock.js'
export { sampleAuditEvent } from './sample-audit-event.js'
export { type ContractTester, testContracts, type TestedCall, WrongDecision } from './test-contracts.js'
