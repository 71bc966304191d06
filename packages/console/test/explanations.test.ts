// Why calls were decided as they were: the call on record, judged by the version it names.
import { expect, it } from 'vitest'
import type { DecisionExplanation } from '../src/protocol/decisions.js'
import { contractBundle } from './bundle-texts.js'
import { describeOnBothStores } from './dialects.js'

describeOnBothStores('explanations', (console) => {
  let number = 0

  /** Stores an event and answers the explanation of it. */
  const explain = async (event: object): Promise<DecisionExplanation> => {
    const cookie = await console().logIn()
    const session = `session-${++number}`
    const body = {
      events: [
        { timestamp: new Date().toISOString(), tool_name: 'read_file', session_id: session, ...event },
      ],
    }
    await console().ask('/api/edictum/v1/events', { body })
    const found = await console().ask(`/api/edictum/v1/decisions?session_id=${session}`, { cookie })
    const { id } = found.body.decisions[0]
    const answer = await console().ask(`/api/edictum/v1/decisions/${id}/explanation`, { cookie })
    expect(answer.status).toBe(200)
    return answer.body
  }
  const save = async (): Promise<string> => {
    const cookie = await console().logIn()
    const { body } = await console().ask('/api/v1/bundles', {
      cookie,
      body: { yaml_content: contractBundle({ name: 'why', tool: 'read_file' }) },
    })
    return body.revision_hash
  }

  it('name the version, every leaf and what it saw', async () => {
    const denied = {
      action: 'call_denied',
      decision_source: 'yaml_precondition',
      decision_name: 'no-secrets',
      policy_version: await save(),
      tool_args: { path: 'config/secrets' },
    }
    const explanation = await explain(denied)
    expect(explanation).toMatchObject({
      contract_version: { name: 'why', version: 1 },
      agrees: true,
      judgement: { verdict: 'deny' },
      judged_in_ms: expect.any(Number),
    })
    const [leaf] = JSON.stringify(explanation.judgement?.explanations).match(/\{"kind":"leaf"[^}]*\}/) ?? []
    expect(leaf).toContain('config/secrets')
    // The same in the shape of other clients.
    const { action, ...payload } = denied
    expect(await explain({ action, payload })).toMatchObject({ agrees: true })
  })

  it('say when what is on record would be decided in another way', async () => {
    const explanation = await explain({
      action: 'call_denied',
      decision_source: 'yaml_precondition',
      policy_version: await save(),
      tool_args: { path: '[REDACTED]' },
    })
    expect(explanation).toMatchObject({ agrees: false, judgement: { verdict: 'allow' } })
  })

  it('do not compare what a dry run cannot know', async () => {
    const policy_version = await save()
    const limit = { action: 'call_denied', decision_source: 'attempt_limit', policy_version }
    expect(await explain(limit)).toMatchObject({ agrees: null })
    const watched = { action: 'call_would_deny', mode: 'observe', policy_version }
    expect(await explain(watched)).toMatchObject({ agrees: null })
  })

  it('say nothing about contracts that are not stored here', async () => {
    const nothing = { contract_version: null, judgement: null, agrees: null, judged_in_ms: null }
    expect(await explain({ action: 'call_denied', policy_version: 'f'.repeat(64) })).toEqual(nothing)
    expect(await explain({ action: 'call_denied' })).toEqual(nothing)
  })

  it('are for people, and of events that are there', async () => {
    const cookie = await console().logIn()
    const path = '/api/edictum/v1/decisions/999999/explanation'
    expect((await console().ask(path, { cookie })).status).toBe(404)
    expect((await console().ask(path, { key: null })).status).toBe(401)
  })
})
