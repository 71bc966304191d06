// Step 1: the call as it will be judged and run. Data is copied once and frozen, so nothing can change between the two.
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

const deepest = 100
const largest = 1_000_000

/** A frozen copy of plain data. Accessors and proxies are read exactly once; class instances become plain fields. */
export function snapshotData(
  value: Readonly<Record<string, unknown>>,
  what: string,
): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw EdictumConfigError.of('invalid-call', `${what} must be a mapping`)
  }
  try {
    return new Copier(what).copyFields(value, 0)
  } catch (error) {
    if (error instanceof EdictumConfigError) throw error
    throw EdictumConfigError.of(
      'invalid-call',
      `${what} cannot be copied: ${error instanceof Error ? error.message : 'unknown reason'}`,
    )
  }
}

class Copier {
  readonly #what: string
  #copied = 0

  constructor(what: string) {
    this.#what = what
  }

  copyFields(value: object, depth: number): Readonly<Record<string, unknown>> {
    const copy: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      const field = this.#copy((value as Record<string, unknown>)[key], depth + 1)
      if (key === '__proto__') Object.defineProperty(copy, key, { value: field, enumerable: true })
      else copy[key] = field
    }
    return Object.freeze(copy)
  }

  #copy(value: unknown, depth: number): unknown {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
    if (value === null || value === undefined || typeof value === 'bigint') return value
    if (typeof value !== 'object') throw this.#refuse(`contain a ${typeof value}`)
    // Data that contains itself is endlessly deep, so one bound covers both.
    if (depth > deepest) throw this.#refuse(`nest more than ${deepest} levels deep or contain themselves`)
    if (++this.#copied > largest) throw this.#refuse(`hold more than ${largest} values`)
    if (Array.isArray(value))
      return Object.freeze(Array.from(value, (item: unknown) => this.#copy(item, depth + 1)))
    if (value instanceof Date) return new Date(value.getTime())
    if (value instanceof Uint8Array) return value.slice()
    if (value instanceof Map || value instanceof Set || value instanceof Promise) {
      throw this.#refuse(`contain a ${value.constructor.name}, which cannot be frozen`)
    }
    return this.copyFields(value, depth)
  }

  #refuse(why: string): EdictumConfigError {
    return EdictumConfigError.of(
      'invalid-call',
      `${this.#what} ${why}`,
      'pass plain data: text, numbers, booleans, lists and mappings',
    )
  }
}

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

/** Shared by all calls without metadata. */
export const noMetadata: Readonly<Record<string, unknown>> = Object.freeze({})

/** The one way to make an envelope that will run. @throws EdictumConfigError for a bad name or data that cannot be copied. */
export function snapshotCall(
  toolName: string,
  args: Readonly<Record<string, unknown>>,
  options: EnvelopeOptions & { readonly callId: string; readonly timestamp: Date },
): ToolEnvelope {
  checkToolName(toolName)
  const metadata =
    options.metadata === undefined ? {} : { metadata: snapshotData(options.metadata, 'metadata') }
  return Object.freeze(describe(toolName, snapshotData(args, 'arguments'), { ...options, ...metadata }))
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
  return describe(toolName, args, options)
}

function checkToolName(toolName: unknown): void {
  const fault = faultInToolName(toolName)
  if (fault !== undefined)
    throw EdictumConfigError.of('invalid-call', `${fault}: ${quoted(String(toolName))}`)
}

function describe(
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
    metadata: options.metadata ?? noMetadata,
  }
}
