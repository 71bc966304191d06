import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeOnBothStores } from './dialects.js'

let made = 0
const unique = () => `${process.pid}-${++made}`

/** As clients of the first generation send it. */
function nested(fields: object = {}) {
  return {
    call_id: unique(),
    agent_id: 'agent-a',
    tool_name: 'read_file',
    verdict: 'call_allowed',
    mode: 'enforce',
    timestamp: '2026-03-01T12:00:00.123456+00:00',
    payload: { tool_args: { path: 'notes.txt' }, decision_name: null, policy_version: 'abc' },
    ...fields,
  }
}

/** As clients of the second generation send it. */
function flat(fields: object = {}) {
  return {
    schema_version: '0.3.0',
    call_id: unique(),
    agent_id: 'agent-b',
    tool_name: 'deploy',
    tool_args: { service: 'web' },
    action: 'call_blocked',
    decision_name: 'no-deploys',
    mode: 'enforce',
    timestamp: '2026-03-01T12:00:00.123Z',
    session_id: 'session-1',
    workflow: null,
    duration_ms: 1.5,
    ...fields,
  }
}

describeOnBothStores('events', (consoleOf) => {
  const send = (events: unknown[], path = '/v1/events') => consoleOf().ask(path, { body: { events } })

  it.each(['/api/v1/events', '/v1/events', '/api/edictum/v1/events'])(
    'takes both shapes at %s and answers with JSON',
    async (path) => {
      const reply = await send([nested(), flat()], path)
      expect(reply).toMatchObject({ status: 200, body: { accepted: 2, duplicates: 0 } })
    },
  )

  it('takes 10,000 events in one body, gzipped or not, and knows all of them the second time', async () => {
    const { ask } = consoleOf()
    const events = Array.from({ length: 10_000 }, (_, index) => flat({ call_index: index }))
    const text = JSON.stringify({ events })
    const post = (raw: string | Uint8Array<ArrayBuffer>, headers = {}) =>
      ask('/api/v1/events', { raw, headers: { 'Content-Type': 'application/json', ...headers } })
    expect((await post(text)).body).toEqual({ accepted: 10_000, duplicates: 0 })
    const packed = Uint8Array.from(gzipSync(text))
    expect((await post(packed, { 'Content-Encoding': 'gzip' })).body).toEqual({
      accepted: 0,
      duplicates: 10_000,
    })
  })

  it('stores allowed and executed of one call once each, in one batch and in two', async () => {
    const call = unique()
    const allowed = flat({ call_id: call, action: 'call_allowed', session_id: call })
    const executed = flat({ call_id: call, action: 'call_executed', session_id: call })
    expect((await send([allowed, executed])).body).toEqual({ accepted: 2, duplicates: 0 })
    expect((await send([executed])).body).toEqual({ accepted: 0, duplicates: 1 })
    expect((await send([allowed, allowed])).body).toEqual({ accepted: 0, duplicates: 2 })
    const { body } = await consoleOf().ask(`/v1/events?session_id=${call}`)
    expect(body.events.map(({ action }: { action: string }) => action).toSorted()).toEqual([
      'call_allowed',
      'call_executed',
    ])
  })

  it('takes the same event twice in one batch for one', async () => {
    const event = flat()
    expect((await send([event, { ...event }])).body).toEqual({ accepted: 1, duplicates: 1 })
  })

  it('keeps events of one client apart that have empty call ids', async () => {
    const of = (index: number) =>
      flat({ call_id: '', call_index: 0, timestamp: `2026-03-01T12:00:0${index}.000000001Z`, principal: {} })
    expect((await send([of(1), of(2), of(3)])).body).toEqual({ accepted: 3, duplicates: 0 })
  })

  it('takes lines of a log without ids, and knows them when they are sent again', async () => {
    const { makeKey, ask } = consoleOf()
    const { key } = await makeKey({ env: 'laptops', scopes: ['ingest'] })
    const line = {
      timestamp: '2026-03-01T12:00:00Z',
      tool_name: `Bash ${unique()}`,
      decision: 'block',
      user: 'ana',
    }
    const post = () => ask('/v1/events', { key, body: { events: [line] } })
    expect((await post()).body).toEqual({ accepted: 1, duplicates: 0 })
    expect((await post()).body).toEqual({ accepted: 0, duplicates: 1 })
  })

  it('takes a batch with a manifest and no agent header', async () => {
    const body = {
      events: [nested({ agent_id: 'laptop-1' })],
      agent_manifest: {
        agent_id: 'laptop-1',
        policy_version: 'abc',
        contracts: [{ id: 'no-rm', type: 'pre', tool: ['Bash'], mode: 'enforce' }],
      },
    }
    expect(await consoleOf().ask('/api/v1/events', { body })).toMatchObject({
      status: 200,
      body: { accepted: 1 },
    })
    const [agent] = await consoleOf().running.services.store.database.all<{ manifest: string }>(
      'SELECT manifest FROM agents WHERE agent_id = ?',
      ['laptop-1'],
    )
    expect(JSON.parse(agent!.manifest)).toEqual(body.agent_manifest)
  })

  it('takes the good events of a batch and says what is wrong with the others', async () => {
    const reply = await send([
      flat(),
      'no event',
      flat({ timestamp: 'yesterday' }),
      flat({ tool_name: 7 }),
      flat({ action: undefined }),
      flat(),
    ])
    expect(reply).toMatchObject({ status: 200, body: { accepted: 2, duplicates: 0 } })
    expect(reply.body.rejected).toEqual([
      { index: 1, reason: 'is not an object' },
      { index: 2, reason: 'timestamp is not a time in ISO 8601' },
      { index: 3, reason: 'tool_name is not a text' },
      { index: 4, reason: 'action is missing' },
    ])
  })

  it('refuses a batch in which nothing is an event', async () => {
    const reply = await send([{}, null, 3])
    expect(reply).toMatchObject({ status: 422, body: { code: 'invalid-request' } })
    expect(reply.body.errors).toHaveLength(3)
  })

  it('takes strange content as it is', async () => {
    const strange = {
      '10': 1,
      '9': 2,
      __proto__: 3,
      constructor: { prototype: null },
      text: '\u0000 \ud800 \u2028 🙂',
      deep: JSON.parse('['.repeat(500) + ']'.repeat(500)) as unknown,
    }
    const session = unique()
    const event = flat({ session_id: session, tool_name: 'a\u0000b', tool_args: strange })
    expect((await send([event])).body).toEqual({ accepted: 1, duplicates: 0 })
    expect((await send([event])).body).toEqual({ accepted: 0, duplicates: 1 })
    const { body } = await consoleOf().ask(`/v1/events?session_id=${session}`)
    expect(body.events[0].tool_args.text).toContain('🙂')
  })

  it('refuses an event nested too deep to be looked at', async () => {
    const raw = `{"events":[{"tool_name":"x","action":"call_allowed","timestamp":"2026-03-01T12:00:00Z","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}`
    const reply = await consoleOf().ask('/v1/events', {
      raw,
      headers: { 'Content-Type': 'application/json' },
    })
    expect(reply.status).toBe(422)
    expect(reply.body.errors[0].msg).toBe('is nested too deep')
  })

  it('stores any events once, however often and in whatever order of fields they come', async () => {
    const json = fc.jsonValue({ maxDepth: 3 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string(), json), { minLength: 1, maxLength: 20 }),
        async (args) => {
          const run = unique()
          const events = args.map((tool_args, index) => flat({ run_id: run, call_index: index, tool_args }))
          const turned = events.map((event) => Object.fromEntries(Object.entries(event).toReversed()))
          expect((await send(events)).body).toEqual({ accepted: events.length, duplicates: 0 })
          expect((await send(turned)).body).toEqual({ accepted: 0, duplicates: events.length })
        },
      ),
      { numRuns: 20 },
    )
  })

  describe('when they are read', () => {
    it('shows an event in the shape and the words of either generation', async () => {
      const session = unique()
      const { ask } = consoleOf()
      await send([flat({ session_id: session, agent_id: session })])
      const first = (await ask(`/api/v1/events?agent_id=${session}&verdict=call_denied`)).body
      expect(first).toEqual([
        expect.objectContaining({
          tool_name: 'deploy',
          verdict: 'call_denied',
          mode: 'enforce',
          payload: expect.objectContaining({ decision_name: 'no-deploys', tool_args: { service: 'web' } }),
          created_at: expect.any(String),
        }),
      ])
      const second = (await ask(`/v1/events?agent_id=${session}&session_id=${session}&limit=5`)).body
      expect(second.events).toEqual([
        expect.objectContaining({
          action: 'call_blocked',
          tool_args: { service: 'web' },
          session_id: session,
        }),
      ])
      await send([nested({ agent_id: `${session}-a`, verdict: 'call_denied' })], '/api/v1/events')
      expect((await ask(`/v1/events?agent_id=${session}-a`)).body.events).toEqual([
        expect.objectContaining({ action: 'call_blocked', tool_args: { path: 'notes.txt' } }),
      ])
    })

    it('leads through all events page by page, each once, newest first', async () => {
      const agent = `pages-${unique()}`
      const events = Array.from({ length: 25 }, (_, index) =>
        flat({ agent_id: agent, timestamp: new Date(1_700_000_000_000 + (index % 5) * 1_000).toISOString() }),
      )
      await send(events)
      const seen: { call_id: string; timestamp: string }[] = []
      let cursor: string | null = null
      do {
        const page = `/v1/events?agent_id=${agent}&limit=7${cursor === null ? '' : `&cursor=${cursor}`}`
        const { body } = await consoleOf().ask(page)
        seen.push(...body.events)
        cursor = body.next_cursor
      } while (cursor !== null)
      expect(new Set(seen.map(({ call_id }) => call_id)).size).toBe(25)
      expect(seen).toHaveLength(25)
      expect(seen.map(({ timestamp }) => timestamp)).toEqual(
        seen
          .map(({ timestamp }) => timestamp)
          .toSorted()
          .toReversed(),
      )
    })

    it('lists events of one millisecond in the order they arrived in, over batches and pages', async () => {
      const agent = `ordered-${unique()}`
      const sent: string[] = []
      // More than are stored in one transaction, so that the order also holds where a batch is cut.
      for (const size of [700, 1, 40]) {
        const events = Array.from({ length: size }, (_, index) =>
          flat({ agent_id: agent, timestamp: `2026-03-01T12:00:00.123${index % 10}Z` }),
        )
        await send(events)
        sent.push(...events.map(({ call_id }) => call_id))
      }
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const page = `/v1/events?agent_id=${agent}&limit=100${cursor === null ? '' : `&cursor=${cursor}`}`
        const { body } = await consoleOf().ask(page)
        seen.push(...body.events.map(({ call_id }: { call_id: string }) => call_id))
        cursor = body.next_cursor
      } while (cursor !== null)
      expect(seen).toEqual(sent.toReversed())
    })

    it.each(['1', '1.2.3', `1.${'a'.repeat(43)}`, '1.-2', '1.9999999999999999'])(
      'refuses %s as a cursor',
      async (cursor) => {
        const reply = await consoleOf().ask(`/v1/events?cursor=${cursor}`)
        expect(reply).toMatchObject({ status: 422, body: { code: 'invalid-request' } })
      },
    )

    it('counts decisions over time and by contract without counting anything twice', async () => {
      const { ask, logIn } = consoleOf()
      const agent = `counted-${unique()}`
      const at = Date.now()
      const timestamp = new Date(at).toISOString()
      const events = [
        flat({ agent_id: agent, timestamp, action: 'call_allowed', decision_name: null }),
        flat({ agent_id: agent, timestamp, decision_name: `contract ${agent}` }),
        flat({ agent_id: agent, timestamp, decision_name: `contract ${agent}` }),
        flat({ agent_id: agent, timestamp, action: 'call_would_block', decision_name: `contract ${agent}` }),
      ]
      await send(events)
      await send(events)
      const histogram = (await ask(`/api/v1/events/histogram?agent_id=${agent}&since=1h&bucket_seconds=60`))
        .body
      expect(histogram).toEqual([
        {
          bucket_start: new Date(Math.floor(at / 60_000) * 60_000).toISOString(),
          allowed: 1,
          denied: 2,
          pending: 0,
          observed: 1,
        },
      ])
      const cookie = await logIn()
      const contracts = (await ask('/api/v1/stats/contracts?since=1h', { cookie })).body
      expect(contracts.coverage).toContainEqual({
        decision_name: `contract ${agent}`,
        total_evaluations: 3,
        total_denials: 2,
        total_warnings: 1,
        last_triggered: timestamp,
      })
      const overview = (await ask('/api/v1/stats/overview')).body
      expect(overview.active_agents).toBeGreaterThanOrEqual(1)
      expect(overview.denials_24h).toBeGreaterThanOrEqual(2)
    })

    it('shows a key nothing of another environment, and of other agents when it belongs to some', async () => {
      const { ask, makeKey } = consoleOf()
      const agent = `bound-${unique()}`
      const { key: staging } = await makeKey({ env: `staging-${made}` })
      const { key: bound } = await makeKey({ env: 'production', agent_pattern: 'bound-*' })
      await send([agent, `other-${agent}`, agent.toUpperCase()].map((name) => flat({ agent_id: name })))
      expect((await ask('/api/v1/events', { key: staging })).body).toEqual([])
      expect((await ask('/api/v1/events?env=production', { key: staging })).status).toBe(403)
      const agents = (await ask('/api/v1/events', { key: bound })).body.map(
        (event: { agent_id: string }) => event.agent_id,
      )
      expect(agents).toEqual([agent])
      const spoofed = await ask('/v1/events', {
        key: bound,
        body: { events: [flat({ agent_id: 'somebody' })] },
      })
      expect(spoofed.status).toBe(422)
    })
  })

  it('removes old events when an administrator asks for it', async () => {
    const { ask, logIn } = consoleOf()
    const cookie = await logIn()
    const agent = `old-${unique()}`
    await send([flat({ agent_id: agent, timestamp: '2020-01-01T00:00:00Z' })])
    const reply = await ask('/api/v1/settings/purge-events?older_than_days=1000', {
      cookie,
      method: 'DELETE',
    })
    expect(reply.body.deleted_count).toBeGreaterThanOrEqual(1)
    expect((await ask(`/v1/events?agent_id=${agent}`)).body.events).toEqual([])
  })
})
