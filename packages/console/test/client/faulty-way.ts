// The way between a client and the console, with everything that can go wrong on it.
import { createServer, connect, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

export type Weather =
  | { readonly kind: 'fair' }
  /** Nobody listens. */
  | { readonly kind: 'away' }
  /** Connections are taken and never answered. */
  | { readonly kind: 'silent' }
  /** Every request gets this text instead of an answer, then the connection ends. */
  | { readonly kind: 'answers'; readonly text: string }
  /** Requests arrive; of the answers only so many bytes come back. */
  | { readonly kind: 'cuts'; readonly answerBytes: number }

export interface FaultyWay {
  readonly url: string
  readonly change: (weather: Weather) => Promise<void>
  /** Requests that came, faults included; the first line of each. */
  readonly requests: readonly string[]
  readonly close: () => Promise<void>
}

export function httpAnswer(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const lines = Object.entries({ 'content-type': 'application/json', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return `HTTP/1.1 ${status} x\r\n${lines.join('')}connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

export async function openFaultyWay(target: () => string): Promise<FaultyWay> {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  let weather: Weather = { kind: 'fair' }
  let server: Server | undefined

  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    return socket
  }
  const note = (chunk: Buffer): void => {
    const line = /^(GET|POST) \S+/.exec(chunk.toString('latin1'))?.[0]
    if (line !== undefined) requests.push(line)
  }
  const serve = (client: Socket): void => {
    keep(client).on('data', note)
    const now = weather
    if (now.kind === 'silent') return
    if (now.kind === 'answers') {
      client.once('data', () => client.end(now.text))
      return
    }
    const { hostname, port } = new URL(target())
    const upstream = keep(connect(Number(port), hostname))
    client.pipe(upstream)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    if (now.kind === 'fair') {
      upstream.pipe(client)
      return
    }
    let left = now.kind === 'cuts' ? now.answerBytes : 0
    upstream.on('data', (chunk: Buffer) => {
      client.write(chunk.subarray(0, left))
      left -= chunk.length
      if (left <= 0) client.destroy()
    })
  }
  const listen = async (port: number): Promise<number> => {
    const listening = createServer(serve)
    server = listening
    await new Promise<void>((resolve, reject) => {
      listening.once('error', reject)
      listening.listen(port, '127.0.0.1', resolve)
    })
    return (listening.address() as AddressInfo).port
  }
  const stop = async (): Promise<void> => {
    const closing = server
    server = undefined
    for (const socket of sockets) socket.destroy()
    if (closing !== undefined) await new Promise((resolve) => closing.close(resolve))
  }

  const port = await listen(0)
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    change: async (next) => {
      weather = next
      await stop()
      if (next.kind !== 'away') await listen(port)
    },
    close: stop,
  }
}
