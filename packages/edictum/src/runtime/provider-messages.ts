// Tool calls and tool messages in the shapes of providers. Types name only the fields that are read.
import { outcomeToModelContent } from './model-content.js'
import { outcomeIsError, type ToolOutcome } from './outcome.js'
import type { ToolCall } from './tool-call.js'

/** A message with tool calls, as chat completions return it. */
export interface OpenAiAssistantMessage {
  readonly tool_calls?: readonly OpenAiToolCall[] | null
}

export interface OpenAiToolCall {
  readonly id: string
  readonly function?: { readonly name: string; readonly arguments: string }
  readonly custom?: { readonly name: string; readonly input: string }
}

export interface OpenAiToolMessage {
  readonly role: 'tool'
  readonly tool_call_id: string
  readonly content: string
}

export function openAiToolCalls(message: OpenAiAssistantMessage): ToolCall[] {
  return (message.tool_calls ?? []).map((call) => ({
    id: call.id,
    name: call.function?.name ?? call.custom?.name ?? '',
    arguments: call.function?.arguments ?? { input: call.custom?.input },
  }))
}

export function openAiToolMessages(outcomes: readonly ToolOutcome[]): OpenAiToolMessage[] {
  return outcomes.map((outcome) => ({
    role: 'tool',
    tool_call_id: outcome.callId,
    content: outcomeToModelContent(outcome),
  }))
}

/** A message of which some blocks are tool calls. */
export interface AnthropicAssistantMessage {
  readonly content: string | readonly { readonly type: string }[]
}

export interface AnthropicToolResult {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content: string
  readonly is_error: boolean
}

export interface AnthropicToolMessage {
  readonly role: 'user'
  readonly content: AnthropicToolResult[]
}

export function anthropicToolCalls({ content }: AnthropicAssistantMessage): ToolCall[] {
  if (typeof content === 'string') return []
  return content
    .filter((block): block is AnthropicToolUse => block.type === 'tool_use')
    .map(({ id, name, input }) => ({ id, name, arguments: input }))
}

interface AnthropicToolUse {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** All results of a step in one message, as the provider wants them. A denied call is an error to this provider. */
export function anthropicToolMessage(outcomes: readonly ToolOutcome[]): AnthropicToolMessage {
  return {
    role: 'user',
    content: outcomes.map((outcome) => ({
      type: 'tool_result',
      tool_use_id: outcome.callId,
      content: outcomeToModelContent(outcome),
      is_error: outcomeIsError(outcome) || outcome.kind === 'denied',
    })),
  }
}

export interface ToolMessage {
  readonly callId: string
  readonly toolName: string
  readonly content: string
  readonly isError: boolean
}

/** For any other provider: translate these four fields. */
export function toolMessages(outcomes: readonly ToolOutcome[]): ToolMessage[] {
  return outcomes.map((outcome) => ({
    callId: outcome.callId,
    toolName: outcome.toolName,
    content: outcomeToModelContent(outcome),
    isError: outcomeIsError(outcome) || outcome.kind === 'denied',
  }))
}
