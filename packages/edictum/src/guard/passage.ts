// The face of a guard for frameworks: one function around the tool that always has something to tell the model and
// never lets a fault of ours run the tool or leak what it said.
import { messageOf } from '../internal/message-of.js'
import { warn } from '../internal/platform.js'
import type { Admission } from './call.js'
import type { BeginOptions } from './call-request.js'
import type { EdictumToolError } from './errors.js'
import type { Finding } from './findings.js'
import { closedGates } from './gates.js'
import type { PausingApprovals } from './pausing-approvals.js'
import type { PrincipalInput } from './principal.js'
import { runTool } from './run.js'

/** The part of a guard that adapters are built on. */
export interface CallGuard {
  begin(
    call: { readonly toolName: string; readonly args: Readonly<Record<string, unknown>> },
    options?: BeginOptions,
  ): Promise<Admission>
}

/** How the calls of a framework are told apart. `Context` is what the framework says about one call. */
export interface AdapterOptions<Context> {
  /** Limits count per session: say which one a call belongs to. @default the guard's own session */
  readonly sessionId?: string | ((context: Context) => string | undefined)
  /** Who the call is made for. @default the guard's principal */
  readonly principal?: PrincipalInput | null | ((context: Context) => PrincipalInput | null | undefined)
  /** @default the guard's environment */
  readonly environment?: string
  readonly metadata?: (context: Context) => Readonly<Record<string, unknown>>
  /** Told once about every call in whose output a postcondition found something. */
  readonly onFindings?: (findings: readonly Finding[], call: FrameworkCall<Context>) => void
}

/** One call as a framework makes it. */
export interface FrameworkCall<Context> {
  readonly toolName: string
  /** What the model asked for; anything but a mapping is denied, since no contract could be judged by it. */
  readonly args: unknown
  readonly context: Context
  /** The framework's own id of the call. */
  readonly toolUseId?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Where the framework can stop the run and go on with an answer: how. Else approvals are waited for in the call. */
  readonly pausing?: PausingApprovals | undefined
}

/** A result in a framework's own shape, taken apart so that contracts look at what was said and not at what it is wrapped in. */
export interface OpenedResult {
  /** For contracts. */
  readonly said: unknown
  /** What the framework itself thinks of it. */
  readonly isFailure: boolean
  /** The same result with what contracts have left of it. */
  close(left: unknown, judged: { readonly failed: boolean }): unknown
}

export interface FrameworkTool {
  readonly run: (args: Readonly<Record<string, unknown>>) => unknown
  /** How this framework marks a result as failed; counts unless the guard has a success check of its own. */
  readonly isFailure?: (result: unknown) => boolean
  /** Instead, where results come in a shape that contracts are not about. */
  readonly open?: (result: unknown) => OpenedResult
  /** Whether what was thrown is the framework's way to stop here and call again later: then the call is not over. */
  readonly isPause?: (error: unknown) => boolean
}

/** What the model is told, in words the adapter puts into the framework's own shape. */
export type Passage =
  /** The tool returned, well or not; redacted in the shape it had. */
  | { readonly kind: 'returned'; readonly value: unknown; readonly failed: boolean }
  /** A contract holds back what the tool returned. */
  | { readonly kind: 'suppressed'; readonly text: string }
  /** The tool threw; redacted. */
  | { readonly kind: 'threw'; readonly error: EdictumToolError }
  /** The tool has not run. */
  | { readonly kind: 'denied'; readonly text: string; readonly reason: string }

/** The way every call of one adapter takes. Rejects with nothing but a pause of the framework. */
export type Pass<Context> = (call: FrameworkCall<Context>, tool: FrameworkTool) => Promise<Passage>

export function createPass<Context>(guard: CallGuard, options: AdapterOptions<Context>): Pass<Context> {
  return async (call, tool) => pass({ guard, options }, call, tool)
}

async function pass<Context>(
  { guard, options }: { readonly guard: CallGuard; readonly options: AdapterOptions<Context> },
  call: FrameworkCall<Context>,
  tool: FrameworkTool,
): Promise<Passage> {
  const admission = await enter(guard, options, call)
  if (admission.kind === 'refused') {
    if ('pause' in admission && admission.pause !== undefined) throw admission.pause.error
    return denied(admission.reason)
  }
  const { open } = tool
  let opened: OpenedResult | undefined
  const openedRun = async (args: Readonly<Record<string, unknown>>): Promise<unknown> => {
    opened = open?.(await tool.run(args))
    return opened?.said
  }
  const ending = await runTool(open === undefined ? tool.run : openedRun, admission.envelope, call.signal)
  const threw = 'error' in ending
  if (threw && tool.isPause?.(ending.error) === true) {
    await admission.abandon('paused by the framework')
    throw ending.error
  }
  try {
    const isFailure = !threw && (opened?.isFailure ?? tool.isFailure?.(ending.output)) === true
    const end = await admission.finish(isFailure ? { ...ending, marked: 'failed' } : ending)
    if (end.findings.length > 0) options.onFindings?.(end.findings, call)
    const failed = end.kind === 'failed'
    if (failed && threw) return { kind: 'threw', error: end.error }
    if (end.outputSuppressed)
      return { kind: 'suppressed', text: failed ? end.error.message : String(end.value) }
    const left = failed ? end.error.result : end.value
    return { kind: 'returned', value: opened === undefined ? left : opened.close(left, { failed }), failed }
  } catch (error) {
    // The tool ran, but nobody looked at what it said: it is not passed on.
    return { kind: 'suppressed', text: `[OUTPUT SUPPRESSED] ${messageOf(error)}` }
  }
}

/** A call that cannot even be put to the contracts is refused, and on record all the same. */
async function enter<Context>(
  guard: CallGuard,
  options: AdapterOptions<Context>,
  call: FrameworkCall<Context>,
): Promise<Admission | { readonly kind: 'refused'; readonly reason: string }> {
  const { toolName } = call
  try {
    const terms = runOptions(options, call)
    if (isMapping(call.args)) return await guard.begin({ toolName, args: call.args }, terms)
    return await refuse(guard, { toolName, args: { arguments: call.args } }, { ...terms, reason: noMapping })
  } catch (error) {
    const reason = messageOf(error)
    const unjudged = { toolName, args: {} }
    return refuse(guard, unjudged, { reason, toolUseId: call.toolUseId }).catch(() => {
      warn(`a refused call is not on record: ${reason}`)
      return { kind: 'refused', reason }
    })
  }
}

const noMapping = 'the arguments are not an object'

async function refuse(
  guard: CallGuard,
  call: Parameters<CallGuard['begin']>[0],
  { reason, ...terms }: BeginOptions & { readonly reason: string },
): Promise<Admission | { readonly kind: 'refused'; readonly reason: string }> {
  const admission = await guard.begin(call, { ...terms, gates: closedGates({ gate: 'validation', reason }) })
  if (admission.kind === 'refused') return admission
  await admission.abandon(reason)
  return { kind: 'refused', reason }
}

function isMapping(args: unknown): args is Readonly<Record<string, unknown>> {
  return typeof args === 'object' && args !== null && !Array.isArray(args)
}

/** What the model is told where a tool result is text: results as JSON, errors marked as such. Never throws. */
export function textOf(passage: Passage): string {
  switch (passage.kind) {
    case 'returned':
      return asText(passage.value)
    case 'threw':
      return `Error: ${passage.error.message}`
    case 'suppressed':
    case 'denied':
      return passage.text
    default:
      return passage satisfies never
  }
}

/** Where a framework tells the model what a tool throws: refusals are errors to it, and the run goes on. */
export function returnOrThrow(passage: Passage): unknown {
  switch (passage.kind) {
    case 'returned':
      return passage.value
    case 'suppressed':
    case 'denied':
      throw new Error(passage.text)
    case 'threw':
      throw new Error(passage.error.message)
    default:
      return passage satisfies never
  }
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return 'Error: the result cannot be written as JSON'
  }
}

function denied(reason: string): Passage {
  return { kind: 'denied', reason, text: `DENIED: ${reason}` }
}

function runOptions<Context>(options: AdapterOptions<Context>, call: FrameworkCall<Context>): BeginOptions {
  const { context } = call
  const sessionId = typeof options.sessionId === 'function' ? options.sessionId(context) : options.sessionId
  const principal = typeof options.principal === 'function' ? options.principal(context) : options.principal
  return {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(principal === undefined ? {} : { principal }),
    ...(options.environment === undefined ? {} : { environment: options.environment }),
    ...(options.metadata === undefined ? {} : { metadata: options.metadata(context) }),
    ...(call.toolUseId === undefined ? {} : { toolUseId: call.toolUseId }),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
    ...(call.pausing === undefined ? {} : { pausing: call.pausing }),
  }
}
