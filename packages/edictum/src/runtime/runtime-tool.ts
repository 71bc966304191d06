// A tool as the runtime knows it: what it does, what it may touch, how long it may take.
import type { SideEffect, ToolDescriptor } from '../contracts/bundle.js'
import { EdictumConfigError } from '../contracts/config-error.js'
import { makeVisible } from '../internal/visible-text.js'
import { faultInToolName, type ToolEnvelope } from '../policy/envelope.js'
import { cut } from '../policy/redaction/redaction-policy.js'
import { compileArgumentCheck, type ArgumentCheck } from './arguments/argument-check.js'
import type { StandardSchema } from './arguments/standard-schema.js'
import type { DeadlineToken } from './deadline-token.js'
import { checkSeconds, defaultToolTimeoutS } from './turn-budget.js'
import type { Citation } from './turn-state.js'

/** What may run beside what. Upper case is understood too. */
export type SafetyClass = 'read_only' | 'local_write' | 'network' | 'destructive'

export interface ToolContext {
  readonly envelope: ToolEnvelope
  readonly sessionId: string
  /** Aborted when the tool should stop: its time is up or the turn was cancelled. */
  readonly signal: AbortSignal
  /** How long is left. */
  readonly deadline: DeadlineToken
  /** Notes a source. Counts when the call succeeds; does nothing once the call is over. */
  cite(citation: Citation): void
}

export interface RuntimeTool {
  /** Gets exactly the arguments that were judged, frozen. */
  execute(args: Readonly<Record<string, unknown>>, context: ToolContext): unknown
  /** A JSON Schema, or any Standard Schema object. Absent: any mapping is accepted. */
  readonly parameters?: StandardSchema | Readonly<Record<string, unknown>>
  /** @default what the guard's bundle or options say, else irreversible */
  readonly sideEffect?: SideEffect
  /** Harmless to repeat, hence not worth repeating after it succeeded. @default what the guard says, else false */
  readonly idempotent?: boolean
  /** For scheduling. @default follows from the side effect */
  readonly safetyClass?: SafetyClass | Uppercase<SafetyClass>
  /** What the tool touches; calls that share a key do not run beside each other. @default the tool's name */
  readonly resourceKeys?: readonly string[]
  /** Seconds. @default 45 */
  readonly timeoutS?: number
  /** @default true */
  readonly retryOnTimeout?: boolean
  /** Whether a person confirms calls that write. @default 'writes', when the runtime has a `confirmWrite` */
  readonly confirmation?: 'writes' | 'always' | 'never'
  /** What becomes of an output too large for a message. @default 'store' */
  readonly oversizedOutput?: 'store' | 'truncate'
}

/** A registered tool: checked, with its argument check compiled. */
export interface RegisteredTool {
  readonly name: string
  readonly tool: RuntimeTool
  readonly checkArguments: ArgumentCheck
  readonly timeoutS: number
  readonly retryOnTimeout: boolean
  readonly safetyClass: SafetyClass | undefined
  /** As declared with the tool; undefined leaves it to the guard. */
  readonly sideEffect: SideEffect | undefined
  readonly resourceKeys: readonly string[]
}

const classes: Readonly<Record<SafetyClass, SideEffect>> = {
  read_only: 'read',
  local_write: 'write',
  network: 'write',
  destructive: 'irreversible',
}

/** @throws EdictumConfigError naming the tool and what is wrong with it. */
export function registerTool(name: string, tool: RuntimeTool): RegisteredTool {
  const refuse = (message: string) => EdictumConfigError.of('invalid-option', `tools.${name}: ${message}`)
  const fault = faultInToolName(name)
  if (fault !== undefined) throw refuse(fault)
  if (typeof tool?.execute !== 'function') throw refuse('execute must be a function')
  const safetyClass = tool.safetyClass?.toLowerCase() as SafetyClass | undefined
  if (safetyClass !== undefined && !Object.hasOwn(classes, safetyClass)) {
    throw refuse(`safetyClass cannot be ${String(tool.safetyClass)}`)
  }
  const { sideEffect } = tool
  if (sideEffect !== undefined && !['pure', 'read', 'write', 'irreversible'].includes(sideEffect)) {
    throw refuse(`sideEffect cannot be ${String(sideEffect)}`)
  }
  if (safetyClass !== undefined && sideEffect !== undefined && contradict(safetyClass, sideEffect)) {
    throw refuse(`safetyClass ${safetyClass} contradicts sideEffect ${sideEffect}`)
  }
  const keys = tool.resourceKeys ?? []
  return {
    name,
    tool,
    checkArguments: compileArgumentCheck(name, tool.parameters),
    timeoutS: checkSeconds(`tools.${name}.timeoutS`, tool.timeoutS ?? defaultToolTimeoutS),
    retryOnTimeout: tool.retryOnTimeout ?? true,
    safetyClass,
    sideEffect: sideEffect ?? (safetyClass === undefined ? undefined : classes[safetyClass]),
    // Without keys of its own a tool stands for itself, so that two calls of it never run together.
    resourceKeys: Object.freeze(keys.length === 0 ? [name] : [...keys]),
  }
}

function contradict(safetyClass: SafetyClass, sideEffect: SideEffect): boolean {
  if (safetyClass === 'network') return false
  const reads = sideEffect === 'pure' || sideEffect === 'read'
  return (safetyClass === 'read_only') !== reads
}

/** The class a call is scheduled by. What nobody declared is taken for the worst. */
export function schedulingClass(
  { safetyClass, sideEffect }: RegisteredTool,
  descriptor: ToolDescriptor | undefined,
): SafetyClass {
  if (safetyClass !== undefined) return safetyClass
  switch (sideEffect ?? descriptor?.sideEffect ?? 'irreversible') {
    case 'pure':
    case 'read':
      return 'read_only'
    case 'write':
      return 'local_write'
    case 'irreversible':
      return 'destructive'
    default:
      return 'destructive'
  }
}

const longestRecordedName = 200

/** A name the model made up, in a form that can be recorded. */
export function recordableName(name: string): string {
  const visible = cut(makeVisible(name).replaceAll(/[/\\\s]/g, '_'), longestRecordedName)
  return faultInToolName(visible) === undefined ? visible : 'unknown_tool'
}
