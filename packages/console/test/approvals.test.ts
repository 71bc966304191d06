import { describe, expect, it } from 'vitest'
import { describeOnBothStores } from './dialects.js'

const own = '/api/edictum/v1/approvals'

const wanted = {
  tool_name: 'deploy',
  tool_args: { service: 'web', replicas: 3 },
  message: 'Deploy web?',
  timeout: 60,
  timeout_effect: 'deny',
}

describeOnBothStores('approvals', (consoleOf) => {
  const create = async (path = '/api/v1/approvals', body: object = wanted) =>
    (await consoleOf().ask(path, { body, headers: { 'X-Edictum-Agent-Id': 'agent-a' } })).body
  const createOwn = (fields: object = {}) =>
    create(own, { ...wanted, args_hash: 'abc123', session_id: 's', principal: { role: 'ops' }, ...fields })

  it('creates, shows, lets a person decide, and tells the agent', async () => {
    const { ask, logInAs } = consoleOf()
    const approval = await create()
    expect(approval).toMatchObject({
      id: expect.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
      status: 'pending',
      agent_id: 'agent-a',
      env: 'production',
      timeout_seconds: 60,
      args_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      decided_by: null,
    })
    const cookie = await logInAs('approver')
    const decided = await ask(`/api/v1/approvals/${approval.id}`, {
      method: 'PUT',
      cookie,
      body: { approved: true, reason: 'fine' },
    })
    expect(decided).toMatchObject({ status: 200, body: { status: 'approved', decision_reason: 'fine' } })
    expect((await ask(`/api/v1/approvals/${approval.id}`)).body).toMatchObject({
      status: 'approved',
      decided_by: expect.stringContaining('@example.com'),
      decided_via: 'console',
    })
  })

  it('says denied and timeout at /api/v1, rejected and timed_out at /v1', async () => {
    const { ask, logInAs } = consoleOf()
    const cookie = await logInAs('approver')
    const denied = await create('/v1/approvals', {
      ...wanted,
      timeout_effect: undefined,
      timeout_action: 'block',
    })
    await ask(`/v1/approvals/${denied.id}/decide`, { cookie, body: { decision: 'rejected', reason: 'no' } })
    expect((await ask(`/api/v1/approvals/${denied.id}`)).body.status).toBe('denied')
    expect((await ask(`/v1/approvals/${denied.id}`)).body).toMatchObject({
      status: 'rejected',
      reason: 'no',
      decision_reason: 'no',
    })
    const expired = await create('/v1/approvals', { ...wanted, timeout: 0.05 })
    await expect
      .poll(async () => (await ask(`/v1/approvals/${expired.id}`)).body.status, { timeout: 5_000 })
      .toBe('timed_out')
    expect((await ask(`/api/v1/approvals/${expired.id}`)).body).toMatchObject({
      status: 'timeout',
      decided_via: 'system',
    })
  })

  it.each([
    ['timeout_effect deny', { timeout_effect: 'deny' }, 'deny'],
    ['timeout_effect allow', { timeout_effect: 'allow' }, 'allow'],
    ['timeout_action block', { timeout_effect: undefined, timeout_action: 'block' }, 'deny'],
    ['timeout_action deny', { timeout_effect: undefined, timeout_action: 'deny' }, 'deny'],
    ['timeout_action allow', { timeout_effect: undefined, timeout_action: 'allow' }, 'allow'],
    ['a fractional timeout', { timeout: 12.5 }, 'deny'],
  ])('accepts %s', async (_, fields, effect) => {
    expect((await create('/v1/approvals', { ...wanted, ...fields })).timeout_effect).toBe(effect)
  })

  it('refuses a decision after the deadline', async () => {
    const { ask, logInAs } = consoleOf()
    const cookie = await logInAs('approver')
    const approval = await create('/v1/approvals', { ...wanted, timeout: 0.02 })
    await expect
      .poll(async () => (await ask(`/v1/approvals/${approval.id}`)).body.status, { timeout: 5_000 })
      .toBe('timed_out')
    const late = await ask(`/api/v1/approvals/${approval.id}`, {
      method: 'PUT',
      cookie,
      body: { approved: true },
    })
    expect(late).toMatchObject({ status: 409, body: { code: 'approval-not-pending' } })
  })

  it('lets exactly one of many deciders win', async () => {
    const { ask, logInAs } = consoleOf()
    const cookie = await logInAs('admin')
    const { id } = await create()
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        ask(`/v1/approvals/${id}/decide`, {
          cookie,
          body: { decision: index % 2 === 0 ? 'approved' : 'rejected', reason: String(index) },
        }),
      ),
    )
    const winners = replies.filter(({ status }) => status === 200)
    expect(winners).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(19)
    expect((await ask(`/v1/approvals/${id}`)).body.reason).toBe(winners[0]!.body.reason)
  })

  it('answers a decision on an approval that never was with 409', async () => {
    const { ask, logInAs } = consoleOf()
    const cookie = await logInAs('approver')
    const reply = await ask('/api/v1/approvals/nothing', { method: 'PUT', cookie, body: { approved: true } })
    expect(reply.status).toBe(409)
  })

  it('answers a long poll the moment a person decides', async () => {
    const { ask, logInAs } = consoleOf()
    const cookie = await logInAs('approver')
    const { id } = await createOwn()
    const startedAt = performance.now()
    const waiting = ask(`${own}/${id}?wait=25`)
    await expect.poll(() => consoleOf().running.services.sockets.size).toBeGreaterThan(0)
    await ask(`${own}/${id}/decide`, { cookie, body: { decision: 'denied', reason: 'not today' } })
    expect((await waiting).body).toMatchObject({ status: 'denied', decision_reason: 'not today' })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  it('answers a long poll when the approval expires', async () => {
    const { id } = await createOwn({ timeout: 0.2 })
    expect((await consoleOf().ask(`${own}/${id}?wait=25`)).body.status).toBe('timeout')
  })

  it('answers a long poll that nobody decides with the state as it is', async () => {
    const { id } = await createOwn()
    expect((await consoleOf().ask(`${own}/${id}?wait=0.1`)).body.status).toBe('pending')
  })

  it('takes a cancelled approval away from the people', async () => {
    const { ask, logInAs } = consoleOf()
    const cookie = await logInAs('approver')
    const { id } = await createOwn()
    expect((await ask(`${own}/${id}/cancel`, { method: 'POST' })).body.status).toBe('cancelled')
    expect((await ask(`${own}/${id}/decide`, { cookie, body: { decision: 'approved' } })).status).toBe(409)
    expect((await ask(`/api/v1/approvals/${id}`)).body.status).toBe('timeout')
  })

  it('shows the hash of the arguments and binds the decision to it', async () => {
    const { ask, logInAs } = consoleOf()
    const cookie = await logInAs('approver')
    const { id, args_hash: hash } = await createOwn({ args_hash: 'hash-of-what-runs' })
    expect(hash).toBe('hash-of-what-runs')
    const other = await ask(`${own}/${id}/decide`, {
      cookie,
      body: { decision: 'approved', args_hash: 'hash-of-something-else' },
    })
    expect(other.status).toBe(409)
    expect((await ask(`${own}/${id}`)).body.status).toBe('pending')
    const same = await ask(`${own}/${id}/decide`, { cookie, body: { decision: 'approved', args_hash: hash } })
    expect(same.status).toBe(200)
  })

  it('creates one approval for a request sent twice with an idempotency key', async () => {
    const { ask } = consoleOf()
    const headers = { 'Idempotency-Key': `once-${Math.random()}` }
    const body = { ...wanted, args_hash: 'abc' }
    const [one, two] = await Promise.all([ask(own, { body, headers }), ask(own, { body, headers })])
    expect(two.body.id).toBe(one.body.id)
  })

  it('creates two approvals for two equal requests', async () => {
    expect((await create()).id).not.toBe((await create()).id)
  })

  describe('who learns of them', () => {
    it('nobody of another environment', async () => {
      const { ask, makeKey } = consoleOf()
      const { key } = await makeKey({ env: 'staging', scopes: ['agent', 'read', 'approve'] })
      const { id } = await create()
      expect((await ask(`/api/v1/approvals/${id}`, { key })).status).toBe(404)
      expect((await ask(`/v1/approvals/${id}/decide`, { key, body: { decision: 'approved' } })).status).toBe(
        404,
      )
      expect((await ask('/v1/approvals', { key })).body.approvals).toEqual([])
    })

    it('no other agent of the same environment', async () => {
      const { ask, makeKey } = consoleOf()
      const { key } = await makeKey({ env: 'production' })
      const { id } = await create()
      const headers = { 'X-Edictum-Agent-Id': 'agent-b' }
      expect((await ask(`/api/v1/approvals/${id}`, { key, headers })).status).toBe(404)
      expect((await ask(`${own}/${id}/cancel`, { key, headers, method: 'POST' })).status).toBe(404)
      expect((await ask('/v1/approvals', { key, headers })).body.approvals).toEqual([])
    })
  })

  it('lets a key decide only with the scope for it, and never on what it asked itself', async () => {
    const { ask, makeKey } = consoleOf()
    const { id } = await create()
    const body = { decision: 'approved', decided_by: 'ana', decided_via: 'chat' }
    expect((await ask(`/v1/approvals/${id}/decide`, { body })).status).toBe(403)
    const { key: both } = await makeKey({ env: 'production', scopes: ['agent', 'approve'] })
    const asked = (await ask('/v1/approvals', { key: both, body: wanted })).body
    expect((await ask(`/v1/approvals/${asked.id}/decide`, { key: both, body })).status).toBe(403)
    const { key, prefix } = await makeKey({ env: 'production', scopes: ['approve'] })
    expect((await ask(`/v1/approvals/${id}/decide`, { key, body })).body).toMatchObject({
      status: 'approved',
      decided_by: `ana (key:${prefix})`,
      decided_via: 'chat',
    })
  })

  it('does not let a viewer or a publisher decide', async () => {
    const { ask, logInAs } = consoleOf()
    const { id } = await create()
    for (const role of ['viewer', 'publisher']) {
      const reply = await ask(`/api/v1/approvals/${id}`, {
        method: 'PUT',
        cookie: await logInAs(role),
        body: { approved: true },
      })
      expect(reply.status).toBe(403)
    }
  })

  it('lists approvals by status, newest first', async () => {
    const { ask, logIn } = consoleOf()
    const cookie = await logIn()
    const session = `list-${Math.random()}`
    const one = await createOwn({ session_id: session })
    const two = await createOwn({ session_id: session })
    await ask(`${own}/${one.id}/cancel`, { method: 'POST' })
    const list = (await ask(`/v1/approvals?session_id=${session}&status=pending`, { cookie })).body.approvals
    expect(list.map(({ id }: { id: string }) => id)).toEqual([two.id])
    expect((await ask('/api/v1/approvals?status=nonsense', { cookie })).status).toBe(422)
  })
})

describeOnBothStores(
  'approvals of clients that send requests again',
  (consoleOf) => {
    it('takes equal requests within the set time for one, and different ones for different', async () => {
      const { ask } = consoleOf()
      const post = (body: object) => ask('/v1/approvals', { body })
      const [one, two, other] = await Promise.all([
        post(wanted),
        post(wanted),
        post({ ...wanted, tool_args: { service: 'api' } }),
      ])
      expect(two.body.id).toBe(one.body.id)
      expect(other.body.id).not.toBe(one.body.id)
    })
  },
  { collapseApprovalsSeconds: 30 },
)
