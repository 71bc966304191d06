// What the published TypeScript client (0.4.1) sends for one governed call from start to end, request by request. The client
// itself cannot be installed here, so its requests are written down; what it does with the answers is said beside them.
import { createPublicKey, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { contractBundle } from './bundle-texts.js'
import { describeOnBothStores } from './dialects.js'
import { openStream } from './sse.js'

/** Of DER: what comes before the 32 bytes of an Ed25519 key. */
const keyHeader = Buffer.from('302a300506032b6570032100', 'hex')
/** The client checks ids it is given, because it puts them into paths. */
const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

describeOnBothStores('the published TypeScript client', (consoleOf) => {
  it('starts, counts, asks, reports and hears of a deploy', async () => {
    const { ask, url, key, logIn } = consoleOf()
    const cookie = await logIn()
    const headers = { 'X-Edictum-Agent-Id': 'agent-ts' }
    const send = (path: string, body?: object, method?: string) =>
      ask(path, {
        headers,
        ...(body === undefined ? {} : { body }),
        ...(method === undefined ? {} : { method }),
      })
    const deploy = async (note: string) => {
      const text = contractBundle({ name: 'stock', note })
      const { body } = await ask('/api/v1/bundles', { cookie, body: { yaml_content: text } })
      await ask(`/api/v1/bundles/stock/${body.version}/deploy`, { cookie, body: { env: 'production' } })
    }
    await deploy('first')

    // Start: the contracts, verified with a key pinned as hex, over exactly the bytes of `yaml`.
    const current = (await send('/v1/rulesets/stock/current')).body
    const publicKey = createPublicKey({
      key: Buffer.concat([keyHeader, Buffer.from(current.public_key, 'hex')]),
      format: 'der',
      type: 'spki',
    })
    const bytes = Buffer.from(current.yaml, 'utf8')
    expect(verify(null, bytes, publicKey, Buffer.from(current.signature, 'base64'))).toBe(true)
    expect(Buffer.from(current.yaml_bytes, 'base64').equals(bytes)).toBe(true)
    expect(current.signature.length).toBeLessThanOrEqual(512)

    // A stream without parameters; a notice makes it fetch the contracts again.
    const stream = await openStream(`${url}/v1/stream`, { key, agent: 'agent-ts' })
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)

    // Limits: read together, counted one by one. A count that is no number would be an error.
    const session = 'session ü @1'
    const path = (counter: string) => `/v1/sessions/${encodeURIComponent(`s:${session}:${counter}`)}`
    const keys = ['attempts', 'execs', 'tool:deploy'].map((counter) => `s:${session}:${counter}`)
    expect((await send('/v1/sessions/batch', { keys })).body.values).toEqual(
      Object.fromEntries(keys.map((name) => [name, null])),
    )
    expect((await send(`${path('attempts')}/increment`, { amount: 1 })).body).toEqual({ value: 1 })
    expect((await send(path('consec_fail'))).status).toBe(404)
    expect((await send(path('consec_fail'), undefined, 'DELETE')).status).toBe(200)
    expect((await send(`${path('execs')}/increment`, { amount: 1 })).body).toEqual({ value: 1 })
    expect((await send(path('execs'))).body).toEqual({ value: '1' })

    // An approval: fractional timeout, later words, then polling.
    const created = await send('/v1/approvals', {
      agent_id: 'agent-ts',
      tool_name: 'deploy',
      tool_args: { service: 'web' },
      message: 'deploy web?',
      timeout: 30.5,
      timeout_action: 'block',
      session_id: session,
      rule_name: 'ask-first',
    })
    expect(created).toMatchObject({ status: 201, body: { status: 'pending' } })
    const { id } = created.body
    expect(id).toMatch(idForm)
    expect((await send(`/v1/approvals/${id}`)).body.status).toBe('pending')
    await ask(`/api/v1/approvals/${id}`, { cookie, method: 'PUT', body: { approved: true, reason: 'fine' } })
    expect((await send(`/v1/approvals/${id}`)).body).toMatchObject({
      status: 'approved',
      decided_by: expect.any(String),
      decision_reason: 'fine',
    })

    // Audit: flat events in the later words, sent again as a whole when an answer is lost.
    const event = (action: string, index: number) => ({
      schema_version: '0.3.0',
      call_id: 'call-1',
      agent_id: 'agent-ts',
      tool_name: 'deploy',
      tool_args: { service: 'web' },
      action,
      rules_evaluated: [],
      mode: 'enforce',
      timestamp: '2026-03-01T12:00:00.000Z',
      call_index: index,
      session_id: session,
      parent_session_id: null,
      workflow: null,
    })
    const events = ['call_asked', 'call_approval_granted', 'call_executed'].map(event)
    expect((await send('/v1/events', { events })).body).toEqual({ accepted: 3, duplicates: 0 })
    expect((await send('/v1/events', { events })).body).toEqual({ accepted: 0, duplicates: 3 })
    const listed = (await send(`/v1/events?session_id=${encodeURIComponent(session)}`)).body.events
    expect(listed.map(({ action }: { action: string }) => action)).toEqual([
      'call_executed',
      'call_approval_granted',
      'call_asked',
    ])

    await deploy('second')
    const isNotice = ({ event: name, data }: { event: string; data: { name?: string; version?: number } }) =>
      name === 'ruleset_updated' && data.name === 'stock' && data.version === 2
    await expect.poll(() => stream.events.some(isNotice), { timeout: 30_000 }).toBe(true)
    expect((await send('/v1/rulesets/stock/current')).body.version).toBe(2)
    stream.close()
  })
})
