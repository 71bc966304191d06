// A dry run, as everything that asks for one sees it: cases, replays of a log, the command line.
import type { EvaluationResult } from '../policy/evaluation.js'
import type { PrincipalInput } from './principal.js'

/** How far a session has come before the call; what is left out is zero. */
export interface SessionCounts {
  /** Calls evaluated, denied ones included. */
  readonly attempts?: number
  /** Calls that ran with success. */
  readonly toolCalls?: number
  readonly callsPerTool?: Readonly<Record<string, number>>
}

export interface EvaluateOptions {
  readonly principal?: PrincipalInput | null
  /** What the tool returned; given, postconditions are judged too. */
  readonly output?: unknown
  /** @default the guard's environment */
  readonly environment?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Given, session contracts and the guard's own limits are judged too. */
  readonly session?: SessionCounts
}

export interface EvaluateCall extends EvaluateOptions {
  readonly tool: string
  readonly args?: Readonly<Record<string, unknown>>
}

/** Judges a call without running anything. Every guard does. */
export interface CallJudge {
  evaluate(
    toolName: string,
    args: Readonly<Record<string, unknown>>,
    options?: EvaluateOptions,
  ): EvaluationResult
}
