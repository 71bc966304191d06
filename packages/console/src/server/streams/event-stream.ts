// One connection that stays open and is written to. It is never ended politely (see held-sockets): who falls behind, whose
// key is gone or whose server stops is cut off, comes back after a pause, and is told the state anew.
import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Call, Caller } from '../routing/route.js'
import { securityHeaders } from '../security-headers.js'
import type { Services } from '../services.js'

/** More than this unsent means that nobody reads. */
const mostUnsentBytes = 1_048_576

export class EventStream {
  readonly #response: ServerResponse
  #isOpen = true

  constructor(response: ServerResponse) {
    this.#response = response
    response.once('close', () => (this.#isOpen = false))
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  send(event: string, data: object): void {
    this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** Keeps proxies and clients from taking silence for death. */
  ping(): void {
    this.#write(': ping\n\n')
  }

  abort(): void {
    this.#isOpen = false
    this.#response.socket?.resetAndDestroy()
  }

  whenClosed(listener: () => void): void {
    if (this.#isOpen) this.#response.once('close', listener)
    else listener()
  }

  #write(text: string): void {
    if (!this.#isOpen) return
    this.#response.write(text)
    if (this.#response.writableLength > mostUnsentBytes) this.abort()
  }
}

/** Opens the stream of a caller. Answer with `streamAnswer` afterwards. */
export function openEventStream(services: Services, call: Call<unknown, unknown, Caller>): EventStream {
  const { incoming, outgoing } = call.context.env
  const { socket } = incoming
  const response = outgoing as ServerResponse
  socket.setNoDelay(true)
  socket.setKeepAlive(true, 30_000)
  response.writeHead(200, {
    ...securityHeaders(services.baseUrl),
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    // For a proxy that would collect before it sends.
    'X-Accel-Buffering': 'no',
    'X-Request-Id': call.requestId,
  })
  response.flushHeaders()
  const { caller } = call
  services.sockets.hold({ socket, owner: caller.kind === 'key' ? caller.key.id : caller.user.id })
  return new EventStream(response)
}

/** The answer of a route that has written its own. */
export const streamAnswer: Response = RESPONSE_ALREADY_SENT
