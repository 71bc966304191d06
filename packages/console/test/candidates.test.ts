// Contracts on trial beside those in force.
import { expect, it } from 'vitest'
import type { CandidateList } from '../src/protocol/candidates.js'
import { describeOnBothStores } from './dialects.js'

describeOnBothStores('candidates', (console) => {
  const ask = async (query = ''): Promise<CandidateList> =>
    (await console().ask(`/api/edictum/v1/candidates${query}`, { cookie: await console().logIn() })).body

  it('are none until one is on trial', async () => {
    expect((await ask()).candidates).toEqual([])
  })

  it('are counted by what they would have decided about calls that were allowed', async () => {
    const watched = { mode: 'observe', decision_name: 'no-secrets:candidate' }
    const events = [
      { tool_name: 'read_file', action: 'call_allowed' },
      { tool_name: 'read_file', action: 'call_allowed', ...watched },
      { tool_name: 'read_file', action: 'call_would_deny', ...watched },
      { tool_name: 'search', action: 'call_allowed', ...watched },
      { tool_name: 'read_file', action: 'call_denied', decision_name: 'no-secrets' },
      // A contract that only watches is no candidate.
      { tool_name: 'read_file', action: 'call_would_deny', mode: 'observe', decision_name: 'watching' },
      { tool_name: 'search', action: 'call_allowed', mode: 'observe', decision_name: 'quiet:candidate' },
    ].map((event, number) => ({ timestamp: new Date().toISOString(), call_id: `c${number}`, ...event }))
    await console().ask('/api/edictum/v1/events', { body: { events } })
    const { candidates } = await ask('?since=24h')
    expect(candidates).toEqual([
      {
        candidate: 'no-secrets:candidate',
        contract: 'no-secrets',
        agrees: 2,
        differs: 1,
        enforced_denials: 1,
        last_difference_at: events[2]?.timestamp,
        tools: [
          { tool_name: 'read_file', agrees: 1, differs: 1 },
          { tool_name: 'search', agrees: 1, differs: 0 },
        ],
      },
      expect.objectContaining({ contract: 'quiet', agrees: 1, differs: 0, last_difference_at: null }),
    ])
    expect((await ask('?env=nowhere')).candidates).toEqual([])
  })

  it('are for people', async () => {
    expect((await console().ask('/api/edictum/v1/candidates', { key: null })).status).toBe(401)
  })
})
