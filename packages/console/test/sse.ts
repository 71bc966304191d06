// A client of a stream, as plain as can be: it reads what comes, as bytes and as events.
import { type ClientRequest, request } from 'node:http'

export interface StreamEvent {
  readonly event: string
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests say what they expect of it
  readonly data: any
}

export interface TestStream {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly events: readonly StreamEvent[]
  readonly text: () => string
  /** How the connection ended: `end` politely, anything else is what the system says. */
  readonly ended: Promise<string>
  readonly isOpen: () => boolean
  readonly pause: () => void
  readonly close: () => void
}

export interface StreamOptions {
  readonly key?: string
  readonly cookie?: string
  readonly agent?: string
}

export function openStream(url: string, { key, cookie, agent }: StreamOptions): Promise<TestStream> {
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = request(url, {
      agent: false,
      headers: {
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...(cookie === undefined ? {} : { Cookie: cookie }),
        ...(agent === undefined ? {} : { 'X-Edictum-Agent-Id': agent }),
        'Accept-Encoding': 'gzip',
      },
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      let text = ''
      let isOpen = true
      const events: StreamEvent[] = []
      let parsedTo = 0
      const ended = new Promise<string>((end) => {
        response.once('end', () => end('end'))
        response.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
        response.once('close', () => end('close'))
      })
      void ended.then(() => (isOpen = false))
      sent.on('error', () => undefined)
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        for (let end = text.indexOf('\n\n', parsedTo); end !== -1; end = text.indexOf('\n\n', parsedTo)) {
          const [, event, data] = /^event: (\S+)\ndata: (.*)$/.exec(text.slice(parsedTo, end)) ?? []
          if (event !== undefined && data !== undefined)
            events.push({ event, data: JSON.parse(data) as unknown })
          parsedTo = end + 2
        }
      })
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        events,
        text: () => text,
        ended,
        isOpen: () => isOpen,
        pause: () => void response.pause(),
        close: () => void sent.destroy(),
      })
    })
    sent.end()
  })
}
