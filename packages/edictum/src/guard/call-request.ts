// What a caller asks for: which tool, with which arguments, and on which terms.
import type { SideEffect } from '../contracts/bundle.js'
import type { PrincipalInput } from './principal.js'

export interface RunOptions {
  /** @default the guard's own session */
  readonly sessionId?: string
  readonly environment?: string
  readonly principal?: PrincipalInput | null
  readonly metadata?: Readonly<Record<string, unknown>>
  /** The class of this call, whatever the tool was declared to be. */
  readonly sideEffect?: SideEffect
  readonly callId?: string
  readonly callIndex?: number
  readonly parentCallId?: string | null
  readonly caller?: string
  readonly toolUseId?: string | null
  readonly signal?: AbortSignal
}

export interface CallRequest {
  readonly toolName: string
  readonly args: Readonly<Record<string, unknown>>
  readonly options: RunOptions
}
