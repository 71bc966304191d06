// Waiting for a port: never for ever, and never after the caller has given up. What does not answer in time has failed.

export class PortTimeout extends Error {
  override readonly name = 'PortTimeout'
}

export interface Patience {
  readonly milliseconds: number
  readonly signal: AbortSignal | undefined
  /** Who is being waited for, for the message. */
  readonly what: string
}

/** What a port or a step answers: at once where it can, so that what is ready is not waited for. */
export type MaybePromise<Value> = Value | Promise<Value>

export function isPromise<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** For an answer that nobody wants: its rejection must not end the process. */
export function disown(answer: PromiseLike<unknown>): void {
  answer.then(undefined, () => undefined)
}

/**
 * Rejects with PortTimeout when time is up, or with the signal's reason when it is aborted. A late answer is dropped. The
 * process stays for as long: a call that is waiting for somebody still gets its end, and its record.
 */
export async function waitFor<Value>(answer: PromiseLike<Value>, patience: Patience): Promise<Value> {
  const { milliseconds, signal, what } = patience
  return new Promise<Value>((resolve, reject) => {
    const give = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
    const abort = () => {
      give()
      reject(abortError(signal))
    }
    const timer = setTimeout(() => {
      give()
      reject(new PortTimeout(`${what} did not answer within ${milliseconds} ms`))
    }, milliseconds)
    answer.then(
      (value) => {
        give()
        resolve(value)
      },
      (error: unknown) => {
        give()
        reject(error instanceof Error ? error : new Error(String(error)))
      },
    )
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

export function abortError(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason : new Error('the call was cancelled')
}
