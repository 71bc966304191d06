// A stream of server-sent events, read until it ends or falls silent. A connection of its own, because it must not keep a
// process alive that has nothing else to do; that is what `fetch` cannot be told.
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { createParser } from 'eventsource-parser'
import { messageOf } from '../internal/message-of.js'
import { EdictumServerError } from './server-error.js'

export interface StreamParts {
  readonly address: URL
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Longest silence; the server says something more often than that. */
  readonly silenceMs: number
  readonly onOpen: () => void
  readonly onEvent: (event: { readonly event?: string | undefined; readonly data: string }) => void
}

const mostEventCharacters = 1_048_576

/** Resolves when the server ends the stream. @throws EdictumServerError when it cannot be opened or breaks. */
export function readEventStream(parts: StreamParts): Promise<void> {
  const { address, headers, signal, silenceMs } = parts
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      resolve()
      return
    }
    const open = address.protocol === 'https:' ? requestHttps : requestHttp
    const request: ClientRequest = open(address, {
      agent: false,
      headers: { ...headers, Accept: 'text/event-stream', 'Cache-Control': 'no-store' },
    })
    const end = (error?: Error): void => {
      clearTimeout(silence)
      signal.removeEventListener('abort', stop)
      request.destroy()
      if (error === undefined) resolve()
      else reject(error)
    }
    const stop = (): void => end()
    const silence = setTimeout(
      () => end(failure('timed-out', `the stream was silent for ${silenceMs} ms`)),
      silenceMs,
    )
    silence.unref()
    signal.addEventListener('abort', stop, { once: true })
    request.on('socket', (socket) => socket.unref())
    request.on('error', (error) => end(failure('unreachable', `the stream broke (${messageOf(error)})`)))
    request.on('response', (response) => {
      const refusal = refusalOf(response)
      if (refusal !== undefined) {
        end(refusal)
        return
      }
      parts.onOpen()
      const parser = createParser({
        onEvent: parts.onEvent,
        onError: (error) => {
          if (error.type === 'max-buffer-size-exceeded')
            end(failure('answer-too-large', 'an event of the stream is too large'))
        },
        maxBufferSize: mostEventCharacters,
      })
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        silence.refresh()
        try {
          parser.feed(text)
        } catch (error) {
          end(failure('invalid-answer', `the stream cannot be read: ${messageOf(error)}`))
        }
      })
      response.on('end', () => end())
      response.on('error', (error) => end(failure('unreachable', `the stream broke (${messageOf(error)})`)))
      response.on('close', () => end(failure('unreachable', 'the stream was cut off')))
    })
    request.end()
  })
}

function refusalOf({ statusCode = 0, headers }: IncomingMessage): EdictumServerError | undefined {
  if (statusCode !== 200) {
    const seconds = Number(headers['retry-after'])
    return new EdictumServerError(`the server refused the stream (${statusCode})`, {
      code: statusCode === 401 ? 'unauthenticated' : `http-${statusCode}`,
      status: statusCode,
      ...(Number.isFinite(seconds) && seconds >= 0 ? { retryAfterSeconds: seconds } : {}),
    })
  }
  return headers['content-type']?.startsWith('text/event-stream') === true
    ? undefined
    : failure('invalid-answer', 'the server answered something that is not a stream of events')
}

function failure(code: EdictumServerError['code'], message: string): EdictumServerError {
  return new EdictumServerError(message, { code })
}
