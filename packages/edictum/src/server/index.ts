// The public surface of `edictum/server`: the client of the console, part by part.
export { EdictumServerClient, serverClientDefaults, type ServerClientOptions } from './server-client.js'
export type { Repetition, ServerRequest } from './server-client.js'
export { ServerBackend, serverBackendDefaults, type ServerBackendOptions } from './server-backend.js'
export { ServerApprovalBackend, type ServerApprovalOptions } from './server-approval-backend.js'
export { ServerAuditSink, serverAuditSinkDefaults, type ServerAuditSinkOptions } from './server-audit-sink.js'
export {
  type ApplyBundle,
  ServerContractSource,
  serverContractSourceDefaults,
  type ServerContractSourceOptions,
} from './server-contract-source.js'
export { type ClientErrorCode, EdictumServerError, type ServerErrorDetails } from './server-error.js'
export { BundleVerificationError, type VerificationFault } from './bundle-verification-error.js'
export type { ReportProblem, ServerProblem } from './problem.js'
