// The storage steps of our own protocol as the port of the library, without the niceties of the real client.
import { randomUUID } from 'node:crypto'
import type { Reservation, SessionCounters, StorageBackend } from 'edictum'

export function createHttpBackend(url: string, key: string): StorageBackend {
  async function step<Answer>(name: string, body: object): Promise<Answer> {
    const response = await fetch(`${url}/api/edictum/v1/sessions/${name}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': randomUUID(),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return (await response.json()) as Answer
  }
  return {
    get: async (name) => (await step<{ value: string | null }>('get', { key: name })).value,
    set: (name, value) => step('set', { key: name, value }),
    delete: (name) => step('delete', { key: name }),
    increment: async (name, amount = 1) =>
      (await step<{ value: number }>('increment', { key: name, amount })).value,
    batchGet: async (keys) =>
      (await step<{ values: Record<string, string | null> }>('batch-get', { keys })).values,
    reserve: (request) => step<Reservation>('reserve', request),
    settle: (settlement) => step<SessionCounters>('settle', settlement),
  }
}
