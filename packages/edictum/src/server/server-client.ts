// Requests to the console: over TLS, bounded in time and size, repeated only where a repetition is harmless. What the
// server says is foreign text, and the API key appears in nothing but the header.
import { setTimeout as sleep } from 'node:timers/promises'
import { EdictumConfigError } from '../contracts/config-error.js'
import { warn } from '../internal/platform.js'
import { makeVisible } from '../internal/visible-text.js'
import { VERSION } from '../version.js'
import { Backoff } from './backoff.js'
import { checkIdentifier } from './identifier.js'
import { agentHeader, idempotencyHeader, policyVersionHeader, protocolPrefix } from './protocol/version.js'
import { readAnswer } from './read-answer.js'
import { newRequestKey } from './request-key.js'
import { EdictumServerError, isPassing } from './server-error.js'

export interface ServerClientOptions {
  /** Of the console, without a path of its own unless a proxy adds one. */
  readonly baseUrl: string
  readonly apiKey: string
  /** @default 'default' */
  readonly agentId?: string
  /** @default the environment the API key names, else 'production' */
  readonly env?: string
  /** How long one try may take. @default 30000 */
  readonly timeoutMs?: number
  /** Tries of a request that can be repeated without harm. @default 3 */
  readonly maxRetries?: number
  /** Largest answer that is read. @default 10485760 */
  readonly maxAnswerBytes?: number
  /** Allows `http:` to another machine: everybody on the way can read the key and change the contracts. @default false */
  readonly allowInsecure?: boolean
}

/** The one place where a default of the client is written. */
export const serverClientDefaults = {
  agentId: 'default',
  env: 'production',
  timeoutMs: 30_000,
  maxRetries: 3,
  maxAnswerBytes: 10_485_760,
} as const

/** Whether the same request may arrive twice. */
export type Repetition =
  | { readonly kind: 'never' }
  /** Reads only, or has the same effect however often it arrives. */
  | { readonly kind: 'harmless' }
  /** The server recognises a repetition by this key. */
  | { readonly kind: 'recognised'; readonly idempotencyKey: string }

export interface ServerRequest {
  readonly method: 'GET' | 'POST'
  /** Below the prefix of the protocol. */
  readonly path: string
  readonly body?: unknown
  /** Instead of `body`: JSON that is compressed already. */
  readonly gzipped?: Uint8Array
  readonly repetition: Repetition
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
}

export function recognised(): Repetition {
  return { kind: 'recognised', idempotencyKey: newRequestKey() }
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
const keyForm = /^edk_(.+)_[A-Za-z0-9_-]{43}$/

/** A connection to one console, as one agent, with one key. */
export class EdictumServerClient {
  readonly baseUrl: string
  readonly agentId: string
  readonly env: string
  readonly #apiKey: string
  readonly #timeoutMs: number
  readonly #maxRetries: number
  readonly #maxAnswerBytes: number
  #policy: string | undefined

  /** @throws EdictumConfigError when an option cannot be used. */
  constructor(options: ServerClientOptions) {
    this.baseUrl = checkUrl(options)
    this.#apiKey = checkKey(options.apiKey)
    this.agentId = checkIdentifier('agentId', options.agentId ?? serverClientDefaults.agentId)
    this.env = checkEnvironment(options)
    this.#timeoutMs = positive('timeoutMs', options.timeoutMs ?? serverClientDefaults.timeoutMs)
    this.#maxRetries = positive('maxRetries', options.maxRetries ?? serverClientDefaults.maxRetries)
    this.#maxAnswerBytes = positive(
      'maxAnswerBytes',
      options.maxAnswerBytes ?? serverClientDefaults.maxAnswerBytes,
    )
  }

  /** Where a path of the protocol is, for those who connect by other means. */
  addressOf(path: string): URL {
    return new URL(this.baseUrl + protocolPrefix + path)
  }

  /** Every request from now on says that these contracts are in force, by their hash. */
  announcePolicy(revisionHash: string): void {
    this.#policy = revisionHash
  }

  /** Everything a request says about who sends it. */
  headers(): Readonly<Record<string, string>> {
    return {
      Authorization: `Bearer ${this.#apiKey}`,
      [agentHeader]: this.agentId,
      'User-Agent': `edictum-ts/${VERSION}`,
      ...(this.#policy === undefined ? {} : { [policyVersionHeader]: this.#policy }),
    }
  }

  /**
   * The body of the answer, a JSON object.
   * @throws EdictumServerError when the server refuses or cannot be asked; the signal's reason when it is aborted.
   */
  async send<Answer extends object>(request: ServerRequest): Promise<Answer> {
    const backoff = new Backoff({ firstMs: 500, longestMs: 10_000 })
    const tries = request.repetition.kind === 'never' ? 1 : this.#maxRetries
    for (let left = tries - 1; ; left--) {
      try {
        return (await this.#try(request)) as Answer
      } catch (error) {
        if (left <= 0 || !isPassing(error)) throw error
        // The server knows best when it has time again, but nobody waits longer for a try than for an answer.
        const wantedMs = (error.retryAfterSeconds ?? 0) * 1_000
        if (wantedMs > this.#timeoutMs) throw error
        await sleep(Math.max(backoff.nextMs(), wantedMs), undefined, signalOption(request)).catch(() =>
          request.signal?.throwIfAborted(),
        )
      }
    }
  }

  async #try(request: ServerRequest): Promise<object> {
    const { method, path, body, gzipped, signal, repetition } = request
    signal?.throwIfAborted()
    const timeoutMs = Math.ceil(request.timeoutMs ?? this.#timeoutMs)
    const deadline = AbortSignal.timeout(timeoutMs)
    const stop = signal === undefined ? deadline : AbortSignal.any([signal, deadline])
    try {
      const response = await fetch(this.addressOf(path), {
        method,
        headers: {
          ...this.headers(),
          Accept: 'application/json',
          ...(method === 'POST' ? { 'Content-Type': 'application/json' } : {}),
          ...(gzipped === undefined ? {} : { 'Content-Encoding': 'gzip' }),
          ...(repetition.kind === 'recognised' ? { [idempotencyHeader]: repetition.idempotencyKey } : {}),
        },
        ...(method === 'POST' ? { body: gzipped ?? JSON.stringify(body ?? {}) } : {}),
        // A redirect could lead the key to somebody else.
        redirect: 'manual',
        signal: stop,
      })
      return await readAnswer(response, this.#maxAnswerBytes)
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof EdictumServerError) throw this.#withoutKey(error)
      if (deadline.aborted)
        throw new EdictumServerError(`the server did not answer within ${timeoutMs} ms`, {
          code: 'timed-out',
          cause: error,
        })
      throw new EdictumServerError(`the server cannot be reached (${reasonOf(error)})`, {
        code: 'unreachable',
        cause: error,
      })
    }
  }

  /** A server that repeats what it was sent must not bring the key into a log. */
  #withoutKey(error: EdictumServerError): EdictumServerError {
    if (!error.message.includes(this.#apiKey)) return error
    const { code, status, retryAfterSeconds, requestId } = error
    return new EdictumServerError(error.message.replaceAll(this.#apiKey, '[REDACTED]'), {
      code,
      ...(status === undefined ? {} : { status }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      ...(requestId === undefined ? {} : { requestId }),
    })
  }
}

function signalOption({ signal }: ServerRequest): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

/** The system's short word, such as ECONNREFUSED; sentences of the platform may name addresses. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code
  return makeVisible(cause instanceof Error ? cause.message : String(cause)).slice(0, 200)
}

function checkUrl({ baseUrl, allowInsecure = false }: ServerClientOptions): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw EdictumConfigError.of('invalid-option', 'the URL of the server must begin with https://')
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw EdictumConfigError.of(
      'invalid-option',
      'the URL of the server may have a host and a path, nothing else',
    )
  }
  if (url.protocol === 'http:' && !loopback.test(url.hostname)) {
    if (!allowInsecure) {
      throw EdictumConfigError.of(
        'invalid-option',
        `http: would send the API key in the clear to ${url.host}`,
        'use https:, or allowInsecure where nobody else is on the network',
      )
    }
    warn(`the API key goes in the clear to ${url.host}`)
  }
  return url.href.replace(/\/+$/, '')
}

function checkKey(apiKey: string): string {
  // A header cannot carry anything else; the key itself is not shown.
  if (typeof apiKey === 'string' && /^[\x21-\x7e]+$/.test(apiKey)) return apiKey
  throw EdictumConfigError.of('invalid-option', 'apiKey must be a text of visible ASCII characters')
}

/** A key that belongs elsewhere would bring the contracts of elsewhere. */
function checkEnvironment({ env, apiKey }: ServerClientOptions): string {
  const ofKey = keyForm.exec(apiKey)?.[1]
  const wanted = checkIdentifier('env', env ?? ofKey ?? serverClientDefaults.env)
  if (ofKey !== undefined && ofKey !== wanted) {
    throw EdictumConfigError.of(
      'invalid-option',
      `the API key belongs to the environment ${ofKey}, not to ${wanted}`,
    )
  }
  return wanted
}

function positive(option: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value
  throw EdictumConfigError.of('invalid-option', `${option} must be a number above 0`)
}
