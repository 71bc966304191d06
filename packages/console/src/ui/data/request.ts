// Everything the page asks of the server goes through here.
import type { ErrorBody } from '../../protocol/error.js'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface RequestOptions {
  readonly method?: Method
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** The server said no, or could not be reached. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed'
  /** 0 when there was no answer. */
  readonly status: number
  readonly code: string
  readonly body: unknown

  constructor(status: number, body: unknown) {
    const { detail, code } = (typeof body === 'object' ? (body ?? {}) : {}) as Partial<ErrorBody>
    super(
      typeof detail === 'string' ? detail : status === 0 ? 'the console does not answer' : `HTTP ${status}`,
    )
    this.status = status
    this.code = code ?? ''
    this.body = body
  }
}

type Listener = () => void
const expiryListeners = new Set<Listener>()

/** Told when the server no longer knows who is asking. */
export function onSessionEnd(listener: Listener): () => void {
  expiryListeners.add(listener)
  return () => expiryListeners.delete(listener)
}

/** @throws RequestFailed; whatever an abort throws. */
export async function request<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  const { method = 'GET', body, signal } = options
  const response = await send(path, {
    method,
    headers: {
      // Other pages cannot send it, so a request that has it comes from this one.
      'X-Requested-With': 'edictum-console',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  })
  const isJson = response.headers.get('Content-Type')?.includes('json') === true
  const answer: unknown = isJson ? await response.json() : await response.text()
  if (response.ok) return answer as Answer
  const failure = new RequestFailed(response.status, answer)
  if (response.status === 401) for (const listener of expiryListeners) listener()
  throw failure
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    throw new RequestFailed(0, undefined)
  }
}

/** `path?name=value…` with what is there. */
export function withQuery(
  path: string,
  values: Readonly<Record<string, string | number | undefined>>,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '') query.set(name, String(value))
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}
