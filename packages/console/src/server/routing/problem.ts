import type { Diagnostic } from 'edictum'
import type { ErrorBody, ErrorCode, FieldFault } from '../../protocol/error.js'

/** A request that is refused, with what the caller is told. Anything else that is thrown is a fault of the server. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly code: ErrorCode
  readonly errors: readonly FieldFault[] | undefined
  readonly diagnostics: readonly Diagnostic[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: ErrorCode,
    options: {
      readonly detail: string
      readonly errors?: readonly FieldFault[]
      readonly diagnostics?: readonly Diagnostic[]
      readonly headers?: Readonly<Record<string, string>>
    },
  ) {
    super(options.detail)
    this.status = status
    this.code = code
    this.errors = options.errors
    this.diagnostics = options.diagnostics
    this.headers = options.headers ?? {}
  }

  toBody(): ErrorBody {
    const { message: detail, code, errors, diagnostics } = this
    return {
      detail,
      code,
      ...(errors === undefined ? {} : { errors }),
      ...(diagnostics === undefined ? {} : { diagnostics }),
    }
  }
}

export function notFound(what: string): Problem {
  return new Problem(404, 'not-found', { detail: `${what} not found` })
}

/** Not now: the same request may succeed after so many seconds. */
export function tooMuch(code: 'rate-limited' | 'overloaded', retryAfterSeconds: number): Problem {
  const detail = code === 'rate-limited' ? 'too many requests' : 'the server has too much to do'
  const headers = { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) }
  return new Problem(code === 'rate-limited' ? 429 : 503, code, { detail, headers })
}
