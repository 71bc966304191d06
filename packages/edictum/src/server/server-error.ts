import { EdictumError } from '../internal/edictum-error.js'
import type { ErrorCode } from './protocol/error.js'

/** What can go wrong on this side, beside the codes the server sends. */
export type ClientErrorCode =
  /** No connection, or it broke. */
  | 'unreachable'
  | 'timed-out'
  /** An answer that is not what the protocol says: a proxy's page, a truncated text, a wrong shape. */
  | 'invalid-answer'
  | 'answer-too-large'
  | 'redirected'
  /** An answer in the right form that leaves open what it means. */
  | 'unclear-answer'
  /** The spool of the audit sink has no room; nothing was recorded. */
  | 'spool-full'
  /** The spool cannot be written or read. */
  | 'spool-failed'
  | 'closed'

export interface ServerErrorDetails {
  /** A server of a later version may send codes that are not listed here. */
  readonly code: ErrorCode | ClientErrorCode | (string & {})
  /** Of the answer; absent when there was none. */
  readonly status?: number
  readonly retryAfterSeconds?: number
  /** Under which the server's log has the request. */
  readonly requestId?: string
  readonly cause?: unknown
}

/** The server refused, or could not be asked. Never carries the API key. */
export class EdictumServerError extends EdictumError {
  override readonly name = 'EdictumServerError'
  readonly code: ServerErrorDetails['code']
  readonly status: number | undefined
  readonly retryAfterSeconds: number | undefined
  readonly requestId: string | undefined

  constructor(message: string, details: ServerErrorDetails) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.code = details.code
    this.status = details.status
    this.retryAfterSeconds = details.retryAfterSeconds
    this.requestId = details.requestId
  }
}

const awayCodes: ReadonlySet<string> = new Set([
  'unreachable',
  'timed-out',
  'invalid-answer',
  'answer-too-large',
  'redirected',
])

/** Whether the server could not be asked, as against: it was, and refused. */
export function isAway(error: unknown): error is EdictumServerError {
  if (!(error instanceof EdictumServerError)) return false
  return error.status === undefined || error.status < 400 ? awayCodes.has(error.code) : error.status >= 500
}

/** Whether the same request may be answered later. */
export function isPassing(error: unknown): error is EdictumServerError {
  return isAway(error) || (error instanceof EdictumServerError && error.status === 429)
}
