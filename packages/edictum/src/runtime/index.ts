// The public surface of `edictum/runtime`.
export { ToolRuntime } from './tool-runtime.js'
export {
  type PreToolUseDecision,
  runtimeDefaults,
  type ToolRuntimeOptions,
  type WriteConfirmation,
} from './runtime-options.js'
export type { RuntimeTool, SafetyClass, ToolContext } from './runtime-tool.js'
export type { CallerOptions, RuntimeGuard } from './runtime-guard.js'
export { Turn, type TurnOptions } from './turn.js'
export type { ToolCall } from './tool-call.js'

// Outcomes
export {
  type DenialPolicy,
  type DenialReason,
  outcomeBlocksTool,
  outcomeIsError,
  outcomeIsRetryable,
  type ToolArtifactReference,
  type ToolDenied,
  type ToolExecutionResult,
  type ToolFailure,
  type ToolOutcome,
  type ToolTimeout,
} from './outcome.js'
export { outcomeToModelContent, TOOL_MESSAGE_MAX_CHARS } from './model-content.js'
export { findingsOfOutcome } from './tool-call-run.js'
export {
  type AnthropicAssistantMessage,
  anthropicToolCalls,
  type AnthropicToolMessage,
  anthropicToolMessage,
  type AnthropicToolResult,
  type OpenAiAssistantMessage,
  type OpenAiToolCall,
  openAiToolCalls,
  type OpenAiToolMessage,
  openAiToolMessages,
  type ToolMessage,
  toolMessages,
} from './provider-messages.js'

// One turn
export { TurnBudget, type TurnBudgetOptions } from './turn-budget.js'
export { DeadlineExpired, DeadlineToken } from './deadline-token.js'
export { type Citation, type TokenUsage, type ToolTrace, type TraceStatus, TurnState } from './turn-state.js'
export type { RuntimeClock } from './runtime-clock.js'
export type { StandardIssue, StandardResult, StandardSchema } from './arguments/standard-schema.js'
export type { Arguments } from './arguments/read-arguments.js'
