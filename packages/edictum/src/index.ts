// The public surface of `edictum`. Named exports only; nothing becomes public by accident.
export { Edictum, type EdictumOptions, type FromServerOptions, guardDefaults } from './edictum.js'
export { EdictumConfigError } from './contracts/config-error.js'
export { EdictumDenied, EdictumToolError } from './guard/errors.js'
export { EdictumServerError } from './server/server-error.js'
export { BundleVerificationError } from './server/bundle-verification-error.js'
export { type Diagnostic, type DiagnosticCode, diagnosticCodes } from './contracts/diagnostic.js'

// Contracts in YAML
export { translateBundle } from './contracts/dialect.js'
export type { BundleKind } from './contracts/words.js'
export { loadBundle, loadBundleString, type LoadedBundle, type LoadOptions } from './contracts/load.js'
export {
  type BundleLayer,
  composeBundles,
  type Composition,
  type CompositionReport,
} from './contracts/compose.js'
export {
  type BundleDiff,
  type ChangedContract,
  type ContractReference,
  diffBundles,
} from './contracts/diff.js'
export type { TemplateInfo } from './contracts/templates.js'
export type {
  ApprovalTerms,
  Condition,
  Consequence,
  Contract,
  ContractBundle,
  ContractType,
  Leaf,
  Mode,
  Observability,
  OtelSettings,
  PostContract,
  PreContract,
  SandboxContract,
  SessionContract,
  SessionLimits,
  SideEffect,
  TimeoutEffect,
  ToolDescriptor,
} from './contracts/bundle.js'

export { type LintCode, lintBundle, type LintFinding, type LintOptions } from './policy/lint.js'
export { compileGlob as compileToolPattern, type GlobMatcher as ToolMatcher } from './policy/tool-glob.js'

// Contracts, hooks and words in code
export {
  type CodeContract,
  type CodeContractOptions,
  type CodePostcondition,
  type CodePrecondition,
  type CodeSessionContract,
  HookDecision,
  type HookRegistration,
  postcondition,
  precondition,
  type PreconditionOptions,
  sessionContract,
  Verdict,
} from './guard/verdict.js'
export type { CustomOptions } from './guard/extensions.js'
export type { CustomOperator } from './policy/conditions/operators.js'
export type { CustomSelector } from './policy/conditions/selectors.js'
export type { ToolOptions } from './guard/tool-options.js'
export type { ProgramDescription, ProgramOptions } from './guard/program-options.js'

// One call
export type { CallJudge, EvaluateCall, EvaluateOptions, SessionCounts } from './guard/call-judge.js'
export { createEnvelope } from './create-envelope.js'
export type { EnvelopeOptions } from './guard/envelope.js'
export type { BeginOptions, RunOptions } from './guard/call-request.js'
export type { Tool } from './guard/run.js'
export type { Admission, Admitted, CallEnd } from './guard/call.js'
export type { Refused } from './guard/denial.js'
export type { CallGates, Conclude, Conclusion, GateDenial, GateEntry, JudgedEnding } from './guard/gates.js'
export { type Finding, type FindingType } from './guard/findings.js'
export { defaultSuccessCheck, type Judgement, type SuccessCheck, type ToolEnding } from './guard/judge.js'
export type { PrincipalInput } from './guard/principal.js'
export type { Principal, ToolEnvelope } from './policy/envelope.js'
export type { InspectedOutput } from './policy/inspect.js'
export type { ContractResult, EvaluationResult, EvaluationVerdict } from './policy/evaluation.js'
export { decisionOf, type DryRunDecision, type DryRunVerdict } from './policy/decision.js'
export type {
  ConditionExplanation,
  ConditionOutcome,
  ContractExplanation,
  LeafExplanation,
} from './policy/explanation.js'
export { RedactionPolicy, type RedactionOptions } from './policy/redaction/redaction-policy.js'

// Sessions
export { defaultLimits, type OperationLimits } from './guard/limits.js'
export { Session } from './guard/session.js'
export type {
  Reservation,
  ReservationRequest,
  SessionCounters,
  SessionLimitValues,
  Settlement,
  Slot,
  StorageBackend,
} from './guard/ports/storage-backend.js'
export { MemoryBackend } from './drivers/storage/memory.js'

// Approvals
export {
  answerApproval,
  type ApprovalQuestion,
  type ApprovalReply,
  type PausingApprovals,
  type Paused,
} from './guard/pausing-approvals.js'
export type {
  ApprovalBackend,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalStatus,
  ApprovalTerms as ApprovalRequestTerms,
} from './guard/ports/approval-backend.js'
export { ApprovalError } from './drivers/approval/approval-error.js'
export { LocalApprovalBackend, type LocalApprovalOptions } from './drivers/approval/local.js'
export {
  type DecisionNote,
  MemoryApprovalBackend,
  type MemoryApprovalOptions,
  type PendingApproval,
} from './drivers/approval/memory.js'

// Audit
export {
  AuditAction,
  type AuditEvent,
  type AuditOutcome,
  type HookRecord,
  type StepWaits,
  type WaitingStep,
} from './guard/ports/audit-event.js'
export type { ContractRecord, ContractRecordType } from './policy/record.js'
export type { AuditSink, FollowedCall, FollowedEnd } from './guard/ports/audit-sink.js'
export { CollectingAuditSink } from './drivers/audit/collecting.js'
export { CompositeSink } from './drivers/audit/composite.js'
export { FileAuditSink, type FileAuditSinkOptions } from './drivers/audit/file.js'
export { StdoutAuditSink, type StdoutAuditSinkOptions } from './drivers/audit/stdout.js'
export { MarkEvictedError } from './drivers/audit/mark-evicted-error.js'

export { VERSION } from './version.js'
