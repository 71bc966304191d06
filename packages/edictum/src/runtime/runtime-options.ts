// What a runtime is made of.
import type { ToolEnvelope } from '../policy/envelope.js'
import type { ArtifactStore } from './artifacts/artifact-store.js'
import type { Arguments } from './arguments/read-arguments.js'
import type { RuntimeClock } from './runtime-clock.js'
import type { RuntimeGuard } from './runtime-guard.js'
import type { RuntimeTool } from './runtime-tool.js'
import type { ToolCall } from './tool-call.js'

export interface PreToolUseDecision {
  readonly allow: boolean
  /** What the agent is told. */
  readonly reason?: string
}

export interface ToolRuntimeOptions {
  readonly guard: RuntimeGuard
  /** By name; a call of any other name fails. */
  readonly tools: Readonly<Record<string, RuntimeTool>>
  /** Where oversized outputs go. Without one they are cut. */
  readonly artifacts?: ArtifactStore
  /** Asked about every call before its arguments are validated. A throw or an answer that is none denies. */
  readonly onPreToolUse?: (
    call: ToolCall,
    args: Arguments,
  ) => PreToolUseDecision | Promise<PreToolUseDecision>
  /** Asked about calls that write, unless a contract asks a person already. Only `true` agrees. */
  readonly confirmWrite?: (request: WriteConfirmation) => boolean | Promise<boolean>
  /** Asked for better arguments when they do not fit the tool's schema; null gives up. */
  readonly repairArguments?: (
    call: ToolCall,
    errors: readonly string[],
    attempt: number,
  ) => Arguments | null | Promise<Arguments | null>
  /** Which timeouts count as executions, because nobody knows whether the tool did its work. @default 'writes' */
  readonly countTimeouts?: 'never' | 'writes' | 'always'
  /** Whether a result with an `error` field is a failure. @default true */
  readonly errorKeyIsFailure?: boolean
  /** Reads may be repeated after a write to what they read. @default false */
  readonly invalidateOnWrite?: boolean
  /** Time a person takes to answer is not the turn's. @default false */
  readonly pauseBudgetDuringApproval?: boolean
  /** What postconditions warned about is told to the model, as `warnings` beside the output. @default false */
  readonly includeWarnings?: boolean
  /** Reads run beside each other. @default true */
  readonly parallel?: boolean
  /** Calls of one wave that run at a time. @default 8 */
  readonly maxConcurrency?: number
  /** Calls of one tool that were given up and still go on, before another timeout of it blocks the tool. @default 4 */
  readonly maxAbandonedCalls?: number
  readonly clock?: RuntimeClock
}

export interface WriteConfirmation {
  readonly call: ToolCall
  /** Exactly what will be judged and run, with secrets masked. */
  readonly args: unknown
  readonly envelope: ToolEnvelope
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** The one place where a default of the runtime is written. */
export const runtimeDefaults = {
  countTimeouts: 'writes',
  errorKeyIsFailure: true,
  invalidateOnWrite: false,
  pauseBudgetDuringApproval: false,
  includeWarnings: false,
  parallel: true,
  maxConcurrency: 8,
  maxAbandonedCalls: 4,
  maxRepairAttempts: 2,
} as const
