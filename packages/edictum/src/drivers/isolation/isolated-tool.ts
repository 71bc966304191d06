// One call in an isolate of its own, whatever kind: answered, aborted or broken, it ends with nothing left running.
import { IsolationError, type IsolationErrorCode } from './isolation-error.js'
import type { IsolationSettings } from './isolation-options.js'

/**
 * Runs the tool elsewhere with a copy of the arguments. Settles when nothing of the tool runs any more: with what it
 * returned, with the error it threw, with an IsolationError, or with the signal's reason.
 */
export type IsolatedTool = (
  args: Readonly<Record<string, unknown>>,
  context?: { readonly signal?: AbortSignal | undefined },
) => Promise<unknown>

/** What the isolate gets to know. */
export interface IsolatedCall {
  readonly module: string
  readonly exportName: string
  readonly args: Readonly<Record<string, unknown>>
}

export type Ending =
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly error: IsolationError }

export interface Isolate {
  /** The tool's answer, or why there will be none. Never rejects. */
  readonly ending: Promise<Ending>
  /** Nothing of the tool is left. Never rejects. */
  readonly gone: Promise<void>
  askToStop(): void
  destroy(): void
}

export function isolateTool(
  settings: IsolationSettings,
  start: (call: IsolatedCall, settings: IsolationSettings) => Isolate,
): IsolatedTool {
  const { module, exportName, graceMs } = settings
  return async (args, { signal } = {}) => {
    signal?.throwIfAborted()
    const isolate = startCloning(() => start({ module, exportName, args }, settings))
    let grace: NodeJS.Timeout | undefined
    const stop = () => {
      isolate.askToStop()
      grace = setTimeout(() => isolate.destroy(), graceMs)
    }
    signal?.addEventListener('abort', stop, { once: true })
    try {
      const ending = await isolate.ending
      const isAborted = signal?.aborted === true
      isolate.destroy()
      await isolate.gone
      if (isAborted) signal.throwIfAborted()
      if (ending.kind === 'failed') throw ending.error
      return readAnswer(ending.answer)
    } finally {
      clearTimeout(grace)
      signal?.removeEventListener('abort', stop)
    }
  }
}

function startCloning(start: () => Isolate): Isolate {
  try {
    return start()
  } catch (error) {
    // The process side reports it as a plain error.
    if (error instanceof Error && /could not be cloned/.test(error.message)) {
      throw new IsolationError('not-cloneable', `the arguments cannot be copied: ${error.message}`, {
        cause: error,
      })
    }
    throw error
  }
}

/** @throws what the tool threw, or an IsolationError when there is no result. */
function readAnswer(answer: unknown): unknown {
  if (!isRecord(answer))
    throw new IsolationError('ended', 'the tool sent something else in place of an answer')
  if (answer['kind'] === 'returned') return answer['value']
  const error = rebuildError(answer['error'])
  switch (answer['kind']) {
    case 'threw':
      throw error
    case 'crashed':
      throw wrap('ended', 'the tool crashed', error)
    case 'not-cloneable':
      throw wrap('not-cloneable', 'the result cannot be copied', error)
    case 'not-loaded':
      // The system's sentence names paths, which a model must not see.
      throw new IsolationError('not-loaded', `the tool could not be loaded (${error.code ?? error.name})`, {
        cause: error,
      })
    default:
      throw new IsolationError('ended', 'the tool sent something else in place of an answer')
  }
}

function wrap(code: IsolationErrorCode, what: string, cause: Error): IsolationError {
  return new IsolationError(code, `${what}: ${cause.message}`, { cause })
}

interface RebuiltError extends Error {
  code?: string | number
  retryable?: boolean
}

function rebuildError(described: unknown): RebuiltError {
  const { name, message, stack, code, retryable } = isRecord(described) ? described : {}
  const error: RebuiltError = new Error(typeof message === 'string' ? message : 'unknown')
  if (typeof name === 'string') error.name = name
  if (typeof stack === 'string') error.stack = stack
  if (typeof code === 'string' || typeof code === 'number') error.code = code
  if (typeof retryable === 'boolean') error.retryable = retryable
  return error
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
