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

    it('refuses periods that make no sense', async () => {
      const cookie = await console().logIn()
      for (const since of ['never', '400d', '2999-01-01'])
        expect((await console().ask(`/api/edictum/v1/overview?since=${since}`, { cookie })).status).toBe(422)
    })
  },
  { now: () => now },
)
