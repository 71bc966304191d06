// What sessions do while nothing stops them, and the limits that follow from it.
import { Edictum } from 'edictum'
import { percentile, suggestLimit, writeLimitsBundle } from 'edictum/history'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Calibration } from '../src/protocol/calibration.js'
import { describeOnBothStores } from './dialects.js'

const now = Date.parse('2026-03-01T12:00:00.000Z')

describe('a suggested limit', () => {
  it('is half as much again as what all but one in a hundred sessions do', () => {
    expect(suggestLimit([2, 4, 6, 8])).toBe(12)
    expect(suggestLimit([...Array.from({ length: 199 }, () => 10), 5_000])).toBe(15)
    expect(suggestLimit([])).toBe(1)
  })

  it('lets all but one in a hundred sessions pass, whatever they did', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(10_000), { minLength: 1 }), (counts) => {
        const beyond = counts.filter((count) => count > suggestLimit(counts)).length
        expect(beyond).toBeLessThanOrEqual(counts.length / 100)
      }),
    )
  })

  it('finds percentiles that were observed', () => {
    expect([0.5, 0.9, 1].map((part) => percentile([5, 1, 4, 2, 3], part))).toEqual([3, 5, 5])
  })
})

describe('a draft', () => {
  it('loads, whatever the tools are called', () => {
    const names = fc.string({ unit: 'grapheme', minLength: 1 })
    fc.assert(
      fc.property(fc.dictionary(names, fc.integer({ min: 1, max: 1_000 }), { maxKeys: 5 }), (tools) => {
        const draft = writeLimitsBundle({
          mode: 'enforce',
          maxToolCalls: 3,
          maxAttempts: 9,
          maxCallsPerTool: tools,
        })
        expect(() => Edictum.fromYamlString(draft)).not.toThrow()
      }),
    )
  })
})

describeOnBothStores(
  'calibration',
  (console) => {
    const happened = (session: string, tool: string, action: string, more: object = {}) => ({
      timestamp: new Date(now - 60_000).toISOString(),
      session_id: session,
      tool_name: tool,
      action,
      call_id: Math.random().toString(36),
      ...more,
    })
    const watched = { mode: 'observe' }
    const calibrate = async (query: string): Promise<Calibration> => {
      const cookie = await console().logIn()
      return (await console().ask(`/api/edictum/v1/calibration?${query}`, { cookie })).body
    }

    it('counts what ran and what was refused per session, and tells watched sessions apart', async () => {
      const events = [
        // Watched: two calls ran, one of them would have been denied.
        happened('watched', 'read_file', 'call_allowed', watched),
        happened('watched', 'read_file', 'call_executed', watched),
        happened('watched', 'run', 'call_would_deny', watched),
        happened('watched', 'run', 'call_failed', watched),
        // Enforced: four calls ran, two were refused; a candidate beside them only watched.
        ...Array.from({ length: 4 }, () => happened('enforced', 'read_file', 'call_executed')),
        happened('enforced', 'run', 'call_denied'),
        happened('enforced', 'run', 'call_approval_timeout'),
        happened('enforced', 'run', 'call_would_deny', watched),
        // Older than asked for.
        happened('old', 'read_file', 'call_executed', {
          timestamp: new Date(now - 30 * 86_400_000).toISOString(),
        }),
      ]
      const sent = await console().ask('/api/edictum/v1/events', { body: { events } })
      expect(sent.body.accepted).toBe(events.length)

      const all = await calibrate('since=7d')
      expect(all).toMatchObject({
        sessions: 2,
        counted_since: null,
        executions: { median: 2, most: 4, suggested_limit: 6, beyond: 0 },
        attempts: { median: 2, most: 6, suggested_limit: 9 },
      })
      expect(all.tools).toMatchObject([
        { tool_name: 'read_file', sessions: 2, most: 4, histogram: { step: 1, sessions: [0, 1, 0, 0, 1] } },
        { tool_name: 'run', sessions: 1, most: 1, suggested_limit: 2 },
      ])
      expect(await calibrate('since=7d&mode=observe')).toMatchObject({
        sessions: 1,
        executions: { most: 2 },
        attempts: { most: 2 },
      })
      expect((await calibrate('since=60d')).sessions).toBe(3)
      expect(await calibrate('env=nowhere')).toMatchObject({ sessions: 0, draft: null })
    })

    it('writes a draft that the console takes', async () => {
      const { draft } = await calibrate('since=7d')
      const cookie = await console().logIn()
      const saved = await console().ask('/api/v1/bundles', { cookie, body: { yaml_content: draft } })
      expect(saved).toMatchObject({ status: 201, body: { name: 'session-limits' } })
      expect(draft).toContain('read_file: 6')
    })

    it('leaves out a session that had begun before what is counted', async () => {
      const early = happened('spanning', 'read_file', 'call_executed', {
        timestamp: new Date(now - 10 * 86_400_000).toISOString(),
      })
      const late = happened('spanning', 'read_file', 'call_executed')
      await console().ask('/api/edictum/v1/events', { body: { events: [early, late] } })
      expect((await calibrate('since=7d')).sessions).toBe(2)
    })

    it('refuses what it does not understand', async () => {
      const cookie = await console().logIn()
      for (const query of ['since=2999-01-01', 'since=soon', 'mode=enforce'])
        expect((await console().ask(`/api/edictum/v1/calibration?${query}`, { cookie })).status).toBe(422)
      expect((await console().ask('/api/edictum/v1/calibration', { key: null })).status).toBe(401)
    })
  },
  { now: () => now },
)
