// What the model is told about an outcome: the keys are fixed, one row for each kind and reason.
import type { ToolDenied, ToolOutcome } from './outcome.js'

/** Outputs whose JSON text is longer are stored and referred to. */
export const TOOL_MESSAGE_MAX_CHARS = 12_000

/** The JSON text of the tool message. */
export function outcomeToModelContent(outcome: ToolOutcome): string {
  return JSON.stringify(contentOf(outcome))
}

function contentOf(outcome: ToolOutcome): Readonly<Record<string, unknown>> {
  switch (outcome.kind) {
    case 'executed':
      return outcome.output
    case 'timeout':
      return {
        status: 'error',
        error: `Tool ${outcome.toolName} did not finish in time.`,
        timed_out: true,
        retryable: outcome.retryable,
      }
    case 'failure':
      return { status: 'error', error: outcome.error, retryable: outcome.retryable }
    case 'denied':
      return contentOfDenial(outcome)
    case 'artifact':
      return {
        artifact_reference: outcome.artifactId,
        summary: outcome.summary,
        hint: `Output too large to show. Use read_file with path "artifact://${outcome.artifactId}" to read it in pages.`,
      }
    default:
      return outcome satisfies never
  }
}

function contentOfDenial({ reason, details }: ToolDenied): Readonly<Record<string, unknown>> {
  switch (reason) {
    case 'duplicate':
      return { warning: 'duplicate_tool_call', skipped: true }
    case 'blocked':
      return { warning: 'non_retryable_tool_failure', skipped: true }
    case 'validation':
      return {
        error: 'argument_validation_failed',
        details,
        hint: "Correct the arguments to fit the tool's schema and call it again.",
      }
    case 'deadline':
      return { error: 'Turn deadline expired; cannot execute tool.', timed_out: true }
    case 'pre_hook':
    case 'write_denied':
    case 'budget':
    case 'cancelled':
      return { error: `Blocked: ${details === '' ? reason : details}`, blocked: true }
    default:
      return reason satisfies never
  }
}
