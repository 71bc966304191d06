// What a caller asks for: which tool, with which arguments, and on which terms.
import type { SideEffect } from '../contracts/bundle.js'
import type { CallGates } from './gates.js'
import type { PausingApprovals } from './pausing-approvals.js'
import type { PrincipalInput } from './principal.js'

export interface RunOptions {
  /** @default the guard's own session */
  readonly sessionId?: string | undefined
  readonly environment?: string | undefined
  readonly principal?: PrincipalInput | null | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /** The class of this call, whatever the tool was declared to be. */
  readonly sideEffect?: SideEffect | undefined
  readonly callId?: string | undefined
  readonly callIndex?: number | undefined
  readonly parentCallId?: string | null | undefined
  readonly caller?: string | undefined
  readonly toolUseId?: string | null | undefined
  readonly signal?: AbortSignal | undefined
}

export interface BeginOptions extends RunOptions {
  /** What else has to agree, for a face of the guard that has gates of its own. */
  readonly gates?: CallGates
  /** Who asks for approvals in place of the backend, for a face of the guard that can pause. */
  readonly pausing?: PausingApprovals | undefined
}

export interface CallRequest {
  readonly toolName: string
  readonly args: Readonly<Record<string, unknown>>
  readonly options: BeginOptions
}
