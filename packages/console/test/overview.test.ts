// The numbers of the first page.
import { expect, it } from 'vitest'
import type { Overview } from '../src/protocol/overview.js'
import { describeOnBothStores } from './dialects.js'

const now = Date.parse('2026-03-01T12:34:56.000Z')

describeOnBothStores(
  'the overview',
  (console) => {
    it('counts denials by contract and by tool, and what only watches by itself', async () => {
      const at = (minutesAgo: number): string => new Date(now - minutesAgo * 60_000).toISOString()
      const events = [
        ...Array.from({ length: 3 }, (_, number) => ({
          timestamp: at(5),
          tool_name: 'read_file',
          action: 'call_denied',
          decision_name: 'no-secrets',
          call_id: `d${number}`,
        })),
        { timestamp: at(90), tool_name: 'deploy', action: 'call_approval_denied', decision_name: 'ask' },
        { timestamp: at(5), tool_name: 'read_file', action: 'call_allowed' },
        { timestamp: at(5), tool_name: 'read_file', action: 'call_allowed', mode: 'observe' },
        { timestamp: at(5), tool_name: 'read_file', action: 'call_would_deny', mode: 'observe' },
        { timestamp: at(60 * 24 * 8), tool_name: 'old', action: 'call_denied', decision_name: 'old' },
      ]
      const sent = await console().ask('/api/edictum/v1/events', { body: { events } })
      expect(sent.body.accepted).toBe(events.length)
      const cookie = await console().logIn()
      const { body } = await console().ask('/api/edictum/v1/overview?since=24h', { cookie })
      const overview = body as Overview
      expect(overview.totals).toEqual({ decided: 5, denied: 4, would_deny: 1, asked: 0, failed: 0 })
      expect(overview.buckets.reduce((sum, { denied }) => sum + denied, 0)).toBe(4)
      expect(overview.denials_by_contract.map(({ name }) => name)).toEqual(['no-secrets', 'ask'])
      expect(overview.denials_by_tool.map(({ name }) => name)).toEqual(['read_file', 'deploy'])
      expect(overview.top_denied[0]).toMatchObject({
        tool_name: 'read_file',
        contract: 'no-secrets',
        events: 3,
      })
      expect(overview.agents).toHaveLength(1)
      const hour = await console().ask('/api/edictum/v1/overview?since=1h', { cookie })
      expect(hour.body.totals.denied).toBe(3)
      const other = await console().ask('/api/edictum/v1/overview?env=staging', { cookie })
      expect(other.body.totals.decided).toBe(0)
    })

    it('has a bucket for every stretch of time, also where nothing happened', async () => {
      const cookie = await console().logIn()
      const { body } = await console().ask('/api/edictum/v1/overview?since=7d&env=nowhere', { cookie })
      const { buckets, bucket_seconds: seconds } = body as Overview
      expect(buckets.length).toBeGreaterThan(50)
      const starts = buckets.map(({ start }) => Date.parse(start))
      for (const [index, start] of starts.entries())
        expect(start).toBe((starts[0] ?? 0) + index * seconds * 1_000)
    })

    it('says the same of an hour and of a week, whichever counts it sums up', async () => {
      const cookie = await console().logIn()
      const env = 'staging'
      const { key } = await console().makeKey({ env })
      const events = Array.from({ length: 40 }, (_, number) => ({
        timestamp: new Date(now - number * 60_000).toISOString(),
        tool_name: `tool-${number % 3}`,
        action: number % 2 === 0 ? 'call_denied' : 'call_allowed',
        decision_name: number % 2 === 0 ? `contract-${number % 4}` : null,
        call_id: `g${number}`,
      }))
      // Sent in two halves, so that counts are added to.
      for (const half of [events.slice(0, 20), events.slice(20)])
        await console().ask('/api/edictum/v1/events', { key, body: { events: half } })
      const ask = async (since: string): Promise<Overview> =>
        (await console().ask(`/api/edictum/v1/overview?since=${since}&env=${env}`, { cookie })).body
      const [hour, day, week] = [await ask('1h'), await ask('24h'), await ask('7d')]
      expect(hour.totals).toMatchObject({ decided: 40, denied: 20 })
      for (const longer of [day, week]) {
        expect(longer.totals).toEqual(hour.totals)
        expect(longer.top_denied).toEqual(hour.top_denied)
        expect(longer.denials_by_tool.map(({ name }) => name)).toEqual(
          hour.denials_by_tool.map(({ name }) => name),
        )
        expect(longer.buckets.reduce((sum, { allowed, denied }) => sum + allowed + denied, 0)).toBe(40)
      }
    })

    it('refuses periods that make no sense', async () => {
      const cookie = await console().logIn()
      for (const since of ['never', '400d', '2999-01-01'])
        expect((await console().ask(`/api/edictum/v1/overview?since=${since}`, { cookie })).status).toBe(422)
    })
  },
  { now: () => now },
)
