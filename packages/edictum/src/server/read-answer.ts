// From an HTTP response to a JSON object, or to an error that says why there is none.
import { makeVisible } from '../internal/visible-text.js'
import { EdictumServerError } from './server-error.js'

const longestDetail = 500

/** @throws EdictumServerError */
export async function readAnswer(response: Response, mostBytes: number): Promise<object> {
  const { status } = response
  if (status >= 300 && status < 400) {
    await response.body?.cancel()
    throw new EdictumServerError(`the server sends elsewhere (${status}), which is not followed`, {
      code: 'redirected',
      status,
    })
  }
  const text = await readText(response, mostBytes)
  const body = parseObject(text)
  if (status >= 400) throw refusal(response, body)
  if (body === undefined)
    throw new EdictumServerError('the server answered something that is not a JSON object', {
      code: 'invalid-answer',
      status,
    })
  return body
}

async function readText(response: Response, mostBytes: number): Promise<string> {
  const tooLarge = (): EdictumServerError =>
    new EdictumServerError(`the server answered more than ${mostBytes} bytes`, {
      code: 'answer-too-large',
      status: response.status,
    })
  if (Number(response.headers.get('content-length') ?? 0) > mostBytes) {
    await response.body?.cancel()
    throw tooLarge()
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length
    // Leaving the loop ends the connection.
    if (bytes > mostBytes) throw tooLarge()
    chunks.push(chunk as Uint8Array)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** An empty body is an empty object: some proxies drop it. */
function parseObject(text: string): object | undefined {
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function refusal(response: Response, body: object | undefined): EdictumServerError {
  const { status, headers } = response
  const { detail, code } = (body ?? {}) as { readonly detail?: unknown; readonly code?: unknown }
  const words = typeof detail === 'string' ? makeVisible(detail).slice(0, longestDetail) : 'no reason given'
  const retryAfter = retryAfterSeconds(headers.get('retry-after'))
  const requestId = headers.get('x-request-id')
  return new EdictumServerError(`the server refused (${status}): ${words}`, {
    code: typeof code === 'string' && /^[a-z-]{1,64}$/.test(code) ? code : `http-${status}`,
    status,
    ...(retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter }),
    ...(requestId === null ? {} : { requestId: makeVisible(requestId).slice(0, 100) }),
  })
}

function retryAfterSeconds(header: string | null): number | undefined {
  if (header === null) return undefined
  const seconds = /^\d+(\.\d+)?$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}
