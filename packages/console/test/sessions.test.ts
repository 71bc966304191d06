import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { describeOnBothStores } from './dialects.js'

const reservation = {
  sessionId: 'session-1',
  toolName: 'deploy',
  attempt: 'count',
  slot: 'take',
  limits: {},
  leaseSeconds: 60,
}

describeOnBothStores('sessions', (consoleOf) => {
  describe.each(['/api/v1', '/v1'])('as clients of %s use them', (prefix) => {
    const path = (key: string) => `${prefix}/sessions/${encodeURIComponent(`${prefix} ${key}`)}`

    it('answers 404 with JSON for a key that does not exist', async () => {
      const reply = await consoleOf().ask(path('missing'))
      expect(reply).toMatchObject({ status: 404, body: { code: 'not-found' } })
    })

    it('counts to the number 3 and reads it back as the text "3"', async () => {
      const { ask } = consoleOf()
      const increment = () => ask(`${path('s:a:execs')}/increment`, { body: { amount: 1 } })
      expect((await increment()).body).toEqual({ value: 1 })
      expect((await increment()).body).toEqual({ value: 2 })
      expect((await increment()).body).toEqual({ value: 3 })
      expect(await ask(path('s:a:execs'))).toMatchObject({ status: 200, body: { value: '3' } })
    })

    it('answers a deletion with a JSON object, whether or not there was something', async () => {
      const { ask } = consoleOf()
      await ask(path('gone'), { method: 'PUT', body: { value: 'x' } })
      for (let times = 0; times < 2; times++)
        expect(await ask(path('gone'), { method: 'DELETE' })).toMatchObject({
          status: 200,
          body: { value: null },
        })
      expect((await ask(path('gone'))).status).toBe(404)
    })

    it('gives back what was put, as it was', async () => {
      const { ask } = consoleOf()
      for (const value of ['', '3.0', ' 12 ', 'ü 🙂', '"quoted"', 'x'.repeat(1_000_000)]) {
        expect((await ask(path('value'), { method: 'PUT', body: { value } })).body).toEqual({ value })
        expect((await ask(path('value'))).body).toEqual({ value })
      }
    })

    it('counts on from a number that was put', async () => {
      const { ask } = consoleOf()
      await ask(path('n'), { method: 'PUT', body: { value: '41' } })
      expect((await ask(`${path('n')}/increment`, { body: {} })).body).toEqual({ value: 42 })
      expect((await ask(`${path('n')}/increment`, { body: { amount: 0.5 } })).body).toEqual({ value: 42.5 })
    })

    it('refuses to count on from a text, and leaves it alone', async () => {
      const { ask } = consoleOf()
      await ask(path('text'), { method: 'PUT', body: { value: 'not a number' } })
      expect(await ask(`${path('text')}/increment`, { body: {} })).toMatchObject({
        status: 409,
        body: { code: 'not-a-number' },
      })
      expect((await ask(path('text'))).body).toEqual({ value: 'not a number' })
    })

    it('answers a batch with null for absent keys', async () => {
      const { ask } = consoleOf()
      await ask(path('there'), { method: 'PUT', body: { value: 'x' } })
      const keys = [`${prefix} there`, `${prefix} not there`, `${prefix} ü`]
      const reply = await ask(`${prefix}/sessions/batch`, { body: { keys } })
      expect(reply).toMatchObject({ status: 200 })
      expect(reply.body).toEqual({ values: { [keys[0]!]: 'x', [keys[1]!]: null, [keys[2]!]: null } })
    })

    it('takes a hundred increments at once for a hundred', async () => {
      const { ask } = consoleOf()
      const values = await Promise.all(
        Array.from(
          { length: 100 },
          async () => (await ask(`${path('busy')}/increment`, { body: {} })).body.value,
        ),
      )
      expect(new Set(values).size).toBe(100)
      expect((await ask(path('busy'))).body).toEqual({ value: '100' })
    })
  })

  it.each([
    ['s:a b:x', 's%3Aa%20b%3Ax'],
    ['s:me@example.com:x', 's:me@example.com:x'],
    ['s:ü:x', 's:%C3%BC:x'],
    ['s:a/b:x', 's:a/b:x'],
    ['s:a/b:x', 's%3Aa%2Fb%3Ax'],
    ['100%:execs', '100%:execs'],
    ['100%:execs', '100%25%3Aexecs'],
    ['A', '%41'],
    ['%zz%FF', '%zz%FF'],
    ['a//b', 'a//b'],
    ['increment', 'increment'],
  ])('stores the key %j that comes as %j', async (key, onTheWire) => {
    const { ask, url, key: apiKey } = consoleOf()
    const value = `of ${onTheWire}`
    const status = await sendRaw({ url, path: `/v1/sessions/${onTheWire}`, apiKey, body: { value } })
    expect(status).toBe(200)
    const reply = await ask('/api/edictum/v1/sessions/get', { body: { key } })
    expect(reply.body).toEqual({ value })
  })

  it('increments a key with a slash and a stray percent sign', async () => {
    const { url, key: apiKey, ask } = consoleOf()
    const path = '/api/v1/sessions/s:a/100%:n/increment'
    expect(await sendRaw({ url, path, apiKey, method: 'POST', body: { amount: 2 } })).toBe(200)
    expect((await ask('/api/edictum/v1/sessions/get', { body: { key: 's:a/100%:n' } })).body).toEqual({
      value: '2',
    })
  })

  it.each([
    ['control characters', '/v1/sessions/a%00b'],
    ['more than 10,000 characters', `/v1/sessions/${'x'.repeat(10_001)}`],
  ])('refuses a key with %s', async (_, path) => {
    const reply = await consoleOf().ask(path, { method: 'PUT', body: { value: 'x' } })
    expect(reply).toMatchObject({ status: 422, body: { code: 'invalid-session-key' } })
  })

  it('keeps environments apart', async () => {
    const { ask, makeKey } = consoleOf()
    const { key: staging } = await makeKey({ env: 'staging' })
    await ask('/v1/sessions/apart', { method: 'PUT', body: { value: 'production' } })
    expect((await ask('/v1/sessions/apart', { key: staging })).status).toBe(404)
  })

  describe('with slots', () => {
    const step = (name: string, body: object, headers = {}) =>
      consoleOf().ask(`/api/edictum/v1/sessions/${name}`, { body, headers })

    it('takes a slot, holds it against the limit, and counts it when it is executed', async () => {
      const request = { ...reservation, sessionId: 'slots', limits: { executions: 1 } }
      const taken = await step('reserve', request)
      expect(taken.body).toEqual({
        counters: { attempts: 1, executions: 0, toolExecutions: 0 },
        slot: { kind: 'taken', id: expect.any(String) },
      })
      expect((await step('reserve', request)).body).toEqual({
        counters: { attempts: 2, executions: 1, toolExecutions: 1 },
        slot: { kind: 'exhausted' },
      })
      const settlement = {
        sessionId: 'slots',
        toolName: 'deploy',
        slotId: taken.body.slot.id,
        outcome: 'executed',
      }
      expect((await step('settle', settlement)).body).toEqual({
        attempts: 2,
        executions: 1,
        toolExecutions: 1,
      })
      expect((await step('reserve', { ...request, attempt: 'counted' })).body.slot).toEqual({
        kind: 'exhausted',
      })
    })

    it('gives the slot back when the tool failed, and counts the failure', async () => {
      const request = { ...reservation, sessionId: 'failing', limits: { toolExecutions: 1 } }
      const { slot } = (await step('reserve', request)).body
      const settlement = { sessionId: 'failing', toolName: 'deploy', slotId: slot.id, outcome: 'failed' }
      expect((await step('settle', settlement)).body).toEqual({
        attempts: 1,
        executions: 0,
        toolExecutions: 0,
      })
      expect((await step('get', { key: 's:failing:consec_fail' })).body).toEqual({ value: '1' })
      expect((await step('reserve', request)).body.slot.kind).toBe('taken')
    })

    it('admits as many as the limit says, however many ask at once', async () => {
      const request = { ...reservation, sessionId: 'crowd', limits: { executions: 7 } }
      const replies = await Promise.all(Array.from({ length: 100 }, () => step('reserve', request)))
      const kinds = replies.map(({ body }) => body.slot.kind)
      expect(kinds.filter((kind) => kind === 'taken')).toHaveLength(7)
      expect(kinds.filter((kind) => kind === 'exhausted')).toHaveLength(93)
    })

    it('frees a slot whose lease has run out, and still counts its execution', async () => {
      const request = { ...reservation, sessionId: 'lease', limits: { executions: 1 }, leaseSeconds: 0.05 }
      const { slot } = (await step('reserve', request)).body
      await expect
        .poll(async () => (await step('reserve', request)).body.slot.kind, { timeout: 5_000 })
        .toBe('taken')
      const settlement = { sessionId: 'lease', toolName: 'deploy', slotId: slot.id, outcome: 'executed' }
      expect((await step('settle', settlement)).body).toMatchObject({ executions: 1 })
    })

    it('gives the first answer again to a request sent twice', async () => {
      const request = { ...reservation, sessionId: 'twice' }
      const headers = { 'Idempotency-Key': 'reserve-1' }
      const [one, two] = await Promise.all([
        step('reserve', request, headers),
        step('reserve', request, headers),
      ])
      expect(two.body).toEqual(one.body)
      expect((await step('get', { key: 's:twice:attempts' })).body).toEqual({ value: '1' })
    })

    it('refuses an idempotency key that was used for something else', async () => {
      const headers = { 'Idempotency-Key': 'mixed-up' }
      await step('increment', { key: 'mixed-up', amount: 1 }, headers)
      expect(await step('increment', { key: 'mixed-up', amount: 2 }, headers)).toMatchObject({
        status: 409,
        body: { code: 'idempotency-mismatch' },
      })
      expect((await step('get', { key: 'mixed-up' })).body).toEqual({ value: '1' })
    })

    it('reads the counters that other clients count with', async () => {
      const { ask } = consoleOf()
      await ask('/v1/sessions/s:mixed:execs/increment', { body: { amount: 5 } })
      const request = { ...reservation, sessionId: 'mixed', limits: { executions: 5 } }
      expect((await step('reserve', request)).body.slot).toEqual({ kind: 'exhausted' })
    })
  })
})

/** Without the escaping that fetch does. */
function sendRaw(sending: {
  url: string
  path: string
  apiKey: string
  method?: string
  body: object
}): Promise<number> {
  const { hostname, port } = new URL(sending.url)
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        hostname,
        port,
        path: sending.path,
        method: sending.method ?? 'PUT',
        headers: { Authorization: `Bearer ${sending.apiKey}`, 'Content-Type': 'application/json' },
      },
      (incoming) => {
        incoming.resume()
        incoming.on('end', () => resolve(incoming.statusCode ?? 0))
      },
    )
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify(sending.body))
  })
}
