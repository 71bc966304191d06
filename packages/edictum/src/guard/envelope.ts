// The one place where envelopes are made.
import type { SideEffect } from '../contracts/bundle.js'
import { EdictumConfigError } from '../contracts/config-error.js'
import { quoted } from '../contracts/diagnostic.js'
import {
  bashCommandOf,
  faultInToolName,
  filePathOf,
  type Principal,
  type ToolEnvelope,
} from '../policy/envelope.js'
import { frozenCopy, noFields } from './frozen-data.js'

export interface EnvelopeOptions {
  readonly callId?: string
  readonly runId?: string
  readonly callIndex?: number
  readonly parentCallId?: string | null
  /** @default 'irreversible' */
  readonly sideEffect?: SideEffect
  readonly idempotent?: boolean
  /** @default 'production' */
  readonly environment?: string
  readonly timestamp?: Date
  readonly caller?: string
  readonly toolUseId?: string | null
  readonly principal?: Principal | null
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** A frozen envelope of copied data. @throws EdictumConfigError for a bad name or data that cannot be copied. */
export function frozenEnvelope(
  toolName: string,
  args: Readonly<Record<string, unknown>>,
  options: EnvelopeOptions,
): ToolEnvelope {
  checkToolName(toolName)
  const { metadata = noFields } = options
  return Object.freeze(
    envelopeOf(toolName, frozenCopy(args, 'arguments'), {
      ...options,
      metadata: frozenCopy(metadata, 'metadata'),
    }),
  )
}

/** A call that will only be judged: the arguments are looked at where they are, nothing is copied. */
export function describeCall(
  toolName: string,
  args: Readonly<Record<string, unknown>>,
  options: EnvelopeOptions,
): ToolEnvelope {
  checkToolName(toolName)
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    throw EdictumConfigError.of('invalid-call', 'arguments must be a mapping')
  }
  return envelopeOf(toolName, args, options)
}

export function checkToolName(toolName: unknown): void {
  const fault = faultInToolName(toolName)
  if (fault !== undefined)
    throw EdictumConfigError.of('invalid-call', `${fault}: ${quoted(String(toolName))}`)
}

function envelopeOf(
  toolName: string,
  args: Readonly<Record<string, unknown>>,
  options: EnvelopeOptions,
): ToolEnvelope {
  return {
    toolName,
    args,
    callId: options.callId ?? '',
    runId: options.runId ?? '',
    callIndex: options.callIndex ?? 0,
    parentCallId: options.parentCallId ?? null,
    sideEffect: options.sideEffect ?? 'irreversible',
    idempotent: options.idempotent ?? false,
    environment: options.environment ?? 'production',
    timestamp: options.timestamp ?? new Date(),
    caller: options.caller ?? '',
    toolUseId: options.toolUseId ?? null,
    principal: options.principal ?? null,
    bashCommand: bashCommandOf(toolName, args),
    filePath: filePathOf(toolName, args),
    metadata: options.metadata ?? noFields,
  }
}
