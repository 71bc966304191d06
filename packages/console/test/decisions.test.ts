// Searching what agents reported.
import { describe, expect, it } from 'vitest'
import type { DecisionPage } from '../src/protocol/decisions.js'
import { describeOnBothStores } from './dialects.js'
import type { TestConsole } from './test-console.js'

const start = Date.parse('2026-03-01T12:00:00.000Z')

function event(number: number, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    timestamp: new Date(start + number).toISOString(),
    call_id: `call-${number}`,
    session_id: 'session',
    agent_id: 'agent',
    tool_name: 'read_file',
    action: 'call_allowed',
    mode: 'enforce',
    ...fields,
  }
}

async function send(console: TestConsole, events: readonly unknown[]): Promise<void> {
  const { status } = await console.ask('/api/edictum/v1/events', { body: { events } })
  expect(status).toBe(200)
}

async function search(console: TestConsole, query: Record<string, string>): Promise<DecisionPage> {
  const path = `/api/edictum/v1/decisions?${new URLSearchParams(query).toString()}`
  const { body, status } = await console.ask(path, { cookie: await console.logIn() })
  expect(status).toBe(200)
  return body as DecisionPage
}

describeOnBothStores('decisions', (console) => {
  it('are found by contract, principal and text, in both shapes of events', async () => {
    await send(console(), [
      event(1, { session_id: 'find', decision_name: 'no-100%_secrets', reason: 'Denied: Größe' }),
      event(2, {
        session_id: 'find',
        payload: { decision_name: 'no-100%_secrets', principal: { user_id: 'alice' } },
      }),
      event(3, {
        session_id: 'find',
        tool_args: { decision_name: 'another' },
        principal: { service_id: 'cron' },
      }),
    ])
    const calls = async (query: Record<string, string>): Promise<readonly string[]> =>
      (await search(console(), { session_id: 'find', ...query })).decisions.map(({ at }) => at.slice(-4, -1))
    expect(await calls({})).toEqual(['003', '002', '001'])
    expect(await calls({ contract: 'no-100%_secrets' })).toEqual(['002', '001'])
    expect(await calls({ contract: 'no-100__secrets' })).toEqual([])
    expect(await calls({ principal: 'alice' })).toEqual(['002'])
    expect(await calls({ principal: 'cron' })).toEqual(['003'])
    expect(await calls({ text: 'DENIED:' })).toEqual(['001'])
    expect(await calls({ text: 'größe' })).toEqual(['001'])
    expect(await calls({ tool_name: 'write_file' })).toEqual([])
  })

  it('come in pages without a gap, the last to arrive first when many have the same time', async () => {
    const same = { session_id: 'pages', timestamp: new Date(start).toISOString() }
    await send(
      console(),
      Array.from({ length: 25 }, (_, number) => event(number, { ...same, call_id: `c${number}` })),
    )
    const seen: string[] = []
    for (let cursor = ''; ;) {
      const page = await search(console(), {
        session_id: 'pages',
        limit: '10',
        ...(cursor === '' ? {} : { cursor }),
      })
      seen.push(...page.decisions.map(({ id }) => id))
      if (page.next_cursor === null) break
      cursor = page.next_cursor
    }
    expect(seen).toHaveLength(25)
    expect(seen.map(Number)).toEqual(seen.map(Number).toSorted((left, right) => right - left))
  })

  it('are looked for among so many events at a time, and the answer says how far it came', async () => {
    const many = Array.from({ length: 10_000 }, (_, number) =>
      event(number, { session_id: 'many', agent_id: 'busy', call_id: `m${number}` }),
    )
    await send(console(), [event(0, { agent_id: 'busy', session_id: 'many', reason: 'needle' })])
    await send(console(), many)
    const first = await search(console(), { agent_id: 'busy', text: 'needle' })
    expect(first.decisions).toEqual([])
    expect(first.looked_back_to).not.toBeNull()
    const second = await search(console(), {
      agent_id: 'busy',
      text: 'needle',
      cursor: first.next_cursor ?? '',
    })
    expect(second.decisions.map(({ reason }) => reason)).toEqual(['needle'])
    expect(second.next_cursor).toBeNull()
  })

  it('open with everything of the same call, and of no other', async () => {
    await send(console(), [
      event(1, { session_id: 'one', call_id: 'x_1' }),
      event(2, { session_id: 'one', call_id: 'x_1', action: 'call_executed', tool_success: true }),
      event(3, { session_id: 'one', call_id: 'xx1' }),
    ])
    const [, executed] = (await search(console(), { session_id: 'one' })).decisions
    const cookie = await console().logIn()
    const { body } = await console().ask(`/api/edictum/v1/decisions/${executed?.id}`, { cookie })
    expect(body.event.tool_success).toBe(true)
    expect(body.related.map(({ action }: { action: string }) => action)).toEqual([
      'call_allowed',
      'call_executed',
    ])
    expect((await console().ask('/api/edictum/v1/decisions/999999', { cookie })).status).toBe(404)
    expect((await console().ask('/api/edictum/v1/decisions/x', { cookie })).status).toBe(404)
  })

  it('tell the time of a call by its steps, and take nothing for a time that is none', async () => {
    await send(console(), [
      event(1, {
        session_id: 'timed',
        call_id: 't',
        waits_ms: { attempt: 1.5, nonsense: 3, reserve: 'long' },
      }),
      event(2, {
        session_id: 'timed',
        call_id: 't',
        action: 'call_executed',
        duration_ms: 250,
        waits_ms: { attempt: 1.5, settle: 0.4, hooks: -1 },
      }),
      event(3, { session_id: 'untimed', waits_ms: 7 }),
    ])
    const cookie = await console().logIn()
    const timingOf = async (session: string): Promise<unknown> => {
      const [decision] = (await search(console(), { session_id: session })).decisions
      return (await console().ask(`/api/edictum/v1/decisions/${decision?.id}`, { cookie })).body.timing
    }
    expect(await timingOf('timed')).toEqual({ waits_ms: { attempt: 1.5, settle: 0.4 }, tool_ms: 250 })
    expect(await timingOf('untimed')).toEqual({ waits_ms: {}, tool_ms: null })
  })

  it('can be filtered by what the facets name', async () => {
    await send(console(), [
      event(1, {
        timestamp: new Date().toISOString(),
        tool_name: 'facet_tool',
        decision_name: 'facet-contract',
      }),
    ])
    const cookie = await console().logIn()
    const { body } = await console().ask('/api/edictum/v1/decisions/facets', { cookie })
    expect(body.tools).toContainEqual({ value: 'facet_tool', events: 1 })
    expect(body.contracts).toContainEqual({ value: 'facet-contract', events: 1 })
  })

  describe('for those who are logged in', () => {
    it('and for nobody else', async () => {
      expect((await console().ask('/api/edictum/v1/decisions', { key: null })).status).toBe(401)
    })
  })
})
