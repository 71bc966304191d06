// The public surface of `edictum`. Named exports only; nothing becomes public by accident.
export { Edictum, type EdictumOptions, type EvaluateCall, type EvaluateOptions } from './edictum.js'
export { EdictumConfigError } from './contracts/config-error.js'
export { type Diagnostic, type DiagnosticCode, diagnosticCodes } from './contracts/diagnostic.js'
export { loadBundle, loadBundleString, type LoadedBundle, type LoadOptions } from './contracts/load.js'
export {
  type BundleLayer,
  composeBundles,
  type Composition,
  type CompositionReport,
} from './contracts/compose.js'
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
export type { PrincipalInput } from './guard/principal.js'
export type { CustomOptions } from './guard/extensions.js'
export type { Principal, ToolEnvelope } from './policy/envelope.js'
export type { CustomOperator } from './policy/conditions/operators.js'
export type { CustomSelector } from './policy/conditions/selectors.js'
export type { InspectedOutput } from './policy/inspect.js'
export type { ContractResult, EvaluationResult, EvaluationVerdict } from './policy/evaluation.js'
export type {
  ConditionExplanation,
  ConditionOutcome,
  ContractExplanation,
  LeafExplanation,
} from './policy/explanation.js'
export { RedactionPolicy, type RedactionOptions } from './policy/redaction/redaction-policy.js'
export { VERSION } from './version.js'
