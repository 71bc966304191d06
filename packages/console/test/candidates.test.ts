// Contracts on trial beside those in force.
import { expect, it } from 'vitest'
import type { CandidateList, CandidateTexts } from '../src/protocol/candidates.js'
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

  it('are put beside what is enforced, with what is different in words', async () => {
    const cookie = await console().logIn()
    const save = async (name: string, path: string, more = ''): Promise<void> => {
      const yaml_content = `apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: ${name} }
${more}defaults: { mode: enforce }
contracts:
  - id: other
    type: pre
    tool: search
    when: { args.q: { exists: true } }
    then: { effect: deny, message: "no" }
  - # as asked for by the auditors
    id: no-keys
    type: pre
    tool: read_file

    when: { args.path: { contains: "${path}" } }
    then: { effect: deny, message: "no" }
`
      const { status } = await console().ask('/api/v1/bundles', { cookie, body: { yaml_content } })
      expect(status).toBe(201)
    }
    await save('in-force', '.pem')
    const deployed = await console().ask('/api/v1/bundles/in-force/1/deploy', {
      cookie,
      body: { env: 'production' },
    })
    expect(deployed.status).toBeLessThan(300)
    // Newer, but nobody runs it.
    await save('in-force', '.p12')
    await save('on-trial', '.key', 'observe_alongside: true\n')
    const textsOf = async (contract: string): Promise<CandidateTexts> =>
      (await console().ask(`/api/edictum/v1/candidates/${contract}/texts`, { cookie })).body
    const { enforced, candidate, changes } = await textsOf('no-keys')
    expect(enforced).toMatchObject({ name: 'in-force', version: 1, environments: ['production'] })
    expect(enforced?.text).toMatch(/^- # as asked[^]*contains: "\.pem"[^]*message: "no" }$/)
    expect(enforced?.text).not.toContain('search')
    expect(candidate).toMatchObject({ name: 'on-trial', version: 1, environments: [] })
    expect(changes.join()).toContain('.key')
    expect(await textsOf('never_heard_of')).toEqual({
      contract: 'never_heard_of',
      enforced: null,
      candidate: null,
      changes: [],
    })
  })

  it('are for people', async () => {
    expect((await console().ask('/api/edictum/v1/candidates', { key: null })).status).toBe(401)
  })
})
