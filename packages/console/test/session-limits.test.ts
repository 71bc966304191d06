// How far sessions are from the limits of the contracts they run under.
import { expect, it } from 'vitest'
import type { NearLimits } from '../src/protocol/session-limits.js'
import { describeOnBothStores } from './dialects.js'

const limited = `apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: limited }
defaults: { mode: enforce }
contracts:
  - id: wide
    type: session
    limits: { max_attempts: 40, max_calls_per_tool: { deploy: 9 } }
    then: { effect: deny, message: "Enough" }
  - id: narrow
    type: session
    limits: { max_attempts: 10, max_calls_per_tool: { deploy: 2 } }
    then: { effect: deny, message: "Enough" }
  - id: watching
    type: session
    mode: observe
    limits: { max_attempts: 1, max_tool_calls: 1 }
    then: { effect: deny, message: "Enough" }
`

describeOnBothStores('session limits', (console) => {
  const save = async (): Promise<string> => {
    const cookie = await console().logIn()
    const { body } = await console().ask('/api/v1/bundles', { cookie, body: { yaml_content: limited } })
    return body.revision_hash
  }
  const send = async (events: readonly object[]): Promise<void> => {
    const body = {
      events: events.map((event, number) => ({
        timestamp: new Date(Date.now() + number).toISOString(),
        tool_name: 'read_file',
        action: 'call_executed',
        ...event,
      })),
    }
    expect((await console().ask('/api/edictum/v1/events', { body })).body.accepted).toBe(events.length)
  }
  const ask = async (query = ''): Promise<NearLimits> =>
    (await console().ask(`/api/edictum/v1/session-limits${query}`, { cookie: await console().logIn() })).body

  it('are the lowest of what is enforced; those near one come first', async () => {
    const policy_version = await save()
    await send([
      { session_id: 'far', session_attempt_count: 7, session_execution_count: 7, policy_version },
      { session_id: 'near', session_attempt_count: 8, session_execution_count: 1, policy_version },
      { session_id: 'unknown', session_attempt_count: 499, policy_version: 'f'.repeat(64) },
    ])
    const { sessions, near_from: nearFrom } = await ask()
    expect(nearFrom).toBe(0.8)
    expect(sessions.map(({ session_id: id }) => id)).toEqual(['near'])
    expect(sessions[0]).toMatchObject({
      contract_version: { name: 'limited', version: 1 },
      counters: [
        { limit_name: 'max_attempts', count: 8, limit: 10, is_default: false },
        { limit_name: 'max_tool_calls', count: 1, limit: 200, is_default: true },
        { limit_name: 'max_calls_per_tool', tool_name: 'deploy', count: 0, limit: 2 },
      ],
    })
  })

  it('are shown of one session however far it is, and not guessed', async () => {
    expect((await ask('?session_id=far')).sessions).toMatchObject([{ counters: [{ count: 7 }, {}, {}] }])
    expect((await ask('?session_id=unknown')).sessions).toMatchObject([
      { contract_version: null, counters: [] },
    ])
    expect((await ask('?session_id=nobody')).sessions).toEqual([])
  })

  it('count the calls of one tool from its events', async () => {
    const policy_version = await save()
    const deploy = { session_id: 'deploying', tool_name: 'deploy', policy_version }
    await send([
      { ...deploy, call_id: '1' },
      { ...deploy, call_id: '2' },
    ])
    const { sessions } = await ask()
    expect(sessions[0]).toMatchObject({ session_id: 'deploying' })
    expect(sessions[0]?.counters[2]).toMatchObject({ tool_name: 'deploy', count: 2, limit: 2 })
  })
})
