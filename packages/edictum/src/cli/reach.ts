// Whether somebody answers at an address, without sending anything that could change something there.
import { connect } from 'node:net'
import { messageOf } from '../internal/message-of.js'

export interface Reached {
  readonly ok: boolean
  /** Host and port; what else is in the URL may be secret. */
  readonly place: string
  readonly detail: string
}

const patienceMs = 3_000

const ports: Readonly<Record<string, number>> = {
  'redis:': 6_379,
  'rediss:': 6_379,
  'postgres:': 5_432,
  'postgresql:': 5_432,
  'http:': 80,
  'https:': 443,
}

export async function reach(url: string): Promise<Reached> {
  const address = URL.canParse(url) ? new URL(url) : undefined
  const usual = address === undefined ? undefined : ports[address.protocol]
  if (address === undefined || usual === undefined)
    return { ok: false, place: '', detail: `the URL must start with ${Object.keys(ports).join('//, ')}//` }
  const host = address.hostname.replace(/^\[|\]$/g, '')
  const port = address.port === '' ? usual : Number(address.port)
  const place = `${host}:${port}`
  try {
    const started = performance.now()
    await open(host, port)
    return { ok: true, place, detail: `reachable in ${Math.round(performance.now() - started)} ms` }
  } catch (error) {
    return { ok: false, place, detail: `not reachable: ${messageOf(error)}` }
  }
}

async function open(host: string, port: number): Promise<void> {
  return new Promise((done, fail) => {
    const socket = connect({ host, port, timeout: patienceMs })
    socket.once('connect', () => {
      socket.destroy()
      done()
    })
    socket.once('timeout', () => {
      socket.destroy()
      fail(new Error(`no answer within ${patienceMs} ms`))
    })
    socket.once('error', fail)
  })
}
