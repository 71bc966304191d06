import { RedisSessions } from './sessions.js'

const connectMs = 5_000
const answerMs = 5_000
const longestDelayMs = 1_000

/**
 * Goes on without Redis when it is away: then nothing is counted, so nothing is allowed, until it is back.
 * @param warn is told what the operator should know
 */
export async function openRedisSessions(
  url: string,
  warn: (message: string) => void,
): Promise<RedisSessions> {
  // Most consoles have none, and start faster without it.
  const { Redis } = await import('ioredis')
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: connectMs,
    commandTimeout: answerMs,
    // Whoever asks is better served with an error than with no answer; and what may have arrived is not sent twice.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(attempt * 50, longestDelayMs),
  })
  // It is connected again by itself; who asks meanwhile is told.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const state = await client.info('persistence')
    if (/^aof_enabled:0/m.test(state))
      warn('Redis keeps no append-only file: counters are lost when it ends, and limits begin anew')
  } catch (error) {
    warn(`Redis does not answer, so sessions are refused until it does: ${String(error)}`)
  }
  return new RedisSessions(client)
}
