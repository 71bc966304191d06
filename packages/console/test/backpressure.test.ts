import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Ingest } from '../src/server/ingest/ingest.js'
import { startTestConsole, type TestConsole } from './test-console.js'

let node: TestConsole

beforeAll(async () => {
  node = await startTestConsole()
})

afterAll(() => node.stop())

describe('more events than can wait', () => {
  const batch = (name: string) =>
    Array.from({ length: 600 }, (_, index) => ({
      tool_name: name,
      action: 'call_allowed',
      timestamp: '2026-03-01T12:00:00Z',
      call_index: index,
    }))
  const arrival = { tenant: 1, env: 'production', keyId: 'key', now: 0 }
  const sender = { env: 'production', agentId: 'agent', agentPattern: null }

  const open = (name: string) =>
    node.running.services.batchReader.open(Buffer.from(JSON.stringify({ events: batch(name) })), sender)

  it('are sent away whole with a time to come back, and taken then', async () => {
    const ingest = new Ingest(node.running.services, 1_000)
    const [one, another] = [await open('first'), await open('second')]
    const first = ingest.store(arrival, one)
    await expect(ingest.store(arrival, another)).rejects.toMatchObject({
      status: 503,
      code: 'overloaded',
      headers: { 'Retry-After': '1' },
    })
    expect(await first).toEqual({ accepted: 600, duplicates: 0 })
    expect(await ingest.store(arrival, another)).toEqual({ accepted: 600, duplicates: 0 })
  })

  it('are taken when nothing else waits, however many they are', async () => {
    const ingest = new Ingest(node.running.services, 10)
    expect(await ingest.store(arrival, await open('alone'))).toEqual({ accepted: 600, duplicates: 0 })
  })
})
