// One connection that hears what all nodes announce. When it breaks it is made again, and everyone is told that changes
// may have been missed.
import pg from 'pg'
import type { Change, Resync } from '../database.js'
import { changeChannel } from './change-channel.js'

export interface Listening {
  readonly isConnected: () => boolean
  readonly close: () => Promise<void>
}

const firstDelayMs = 100
const longestDelayMs = 5_000
/** A connection can die without a word; then only a question shows it. */
const heartbeatMs = 5_000

export async function listenForChanges(
  url: string,
  tell: (change: Change | Resync) => void,
): Promise<Listening> {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString: url, keepAlive: true })
    next.on('error', () => lose(next))
    next.on('end', () => lose(next))
    next.on('notification', ({ payload }) => {
      if (payload !== undefined) tell(JSON.parse(payload) as Change)
    })
    try {
      await next.connect()
      await next.query(`LISTEN ${changeChannel}`)
    } catch (error) {
      next.removeAllListeners('end')
      await next.end().catch(() => undefined)
      throw error
    }
    client = next
  }

  function lose(lost: pg.Client): void {
    if (isClosed || client !== lost) return
    client = undefined
    lost.end().catch(() => undefined)
    reconnect(firstDelayMs)
  }

  function reconnect(delayMs: number): void {
    timer = setTimeout(() => {
      connect().then(
        () => tell({ kind: 'resync' }),
        () => reconnect(Math.min(delayMs * 2, longestDelayMs)),
      )
    }, delayMs)
  }

  const heartbeat = setInterval(() => {
    const asked = client
    if (asked === undefined) return
    const overdue = setTimeout(() => lose(asked), heartbeatMs / 2)
    asked.query('SELECT 1').then(
      () => clearTimeout(overdue),
      () => undefined,
    )
  }, heartbeatMs)
  heartbeat.unref()

  await connect()
  return {
    isConnected: () => client !== undefined,
    close: async () => {
      isClosed = true
      clearInterval(heartbeat)
      clearTimeout(timer)
      await client?.end()
    },
  }
}
