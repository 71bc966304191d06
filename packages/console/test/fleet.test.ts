// The fleet: who is there, what runs where, and what a draft would change.
import { beforeAll, describe, expect, it } from 'vitest'
import { contractBundle } from './bundle-texts.js'
import { describeOnBothStores } from './dialects.js'
import { openStream } from './sse.js'

describeOnBothStores('the fleet', (consoleOf) => {
  let cookie: string
  let hash: string

  beforeAll(async () => {
    cookie = await consoleOf().logIn()
    for (const name of ['payments', 'files']) {
      const body = { yaml_content: contractBundle({ name }) }
      const uploaded = await consoleOf().ask('/api/v1/bundles', { cookie, body })
      if (name === 'files') hash = uploaded.body.revision_hash
      await consoleOf().ask(`/api/v1/bundles/${name}/1/deploy`, { cookie, body: { env: 'production' } })
    }
  })

  const ask = (path: string, body?: unknown, method?: string) =>
    consoleOf().ask(path, {
      cookie,
      ...(body === undefined ? {} : { body }),
      ...(method === undefined ? {} : { method }),
    })
  const assign = (agent: string, body: object) => ask(`/api/v1/agent-registrations/${agent}`, body, 'PATCH')
  const statusOf = async (agent: string) => {
    const { agents } = (await ask('/api/v1/agents/status')).body
    return agents.find(({ agent_id }: { agent_id: string }) => agent_id === agent)
  }
  const send = (agent: string, events: readonly object[], more: object = {}) =>
    consoleOf().ask('/v1/events', {
      headers: { 'X-Edictum-Agent-Id': agent },
      body: {
        events: events.map((event, index) => ({
          call_id: `${agent}-${index}`,
          agent_id: agent,
          timestamp: new Date().toISOString(),
          mode: 'enforce',
          ...event,
        })),
        ...more,
      },
    })

  describe('has assignments', () => {
    it('also for an agent nobody has heard of', async () => {
      expect(await assign('never-seen', { bundle_name: 'files' })).toMatchObject({
        status: 200,
        body: { agent_id: 'never-seen', bundle_name: 'files', resolved_bundle: 'files', last_seen_at: null },
      })
      const { body } = await ask('/api/v1/assignment-rules/resolve/never-seen?env=production')
      expect(body).toEqual({ bundle_name: 'files', source: 'explicit', rule_id: null, rule_pattern: null })
    })

    it('that are taken away by an empty name', async () => {
      await assign('fickle', { bundle_name: 'files' })
      expect((await assign('fickle', { bundle_name: '' })).body).toMatchObject({ bundle_name: null })
      const { body } = await ask(
        '/api/v1/assignment-rules/resolve/fickle?env=production&bundle_name=payments',
      )
      expect(body).toMatchObject({ bundle_name: 'payments', source: 'agent_provided' })
    })

    it('for many at once', async () => {
      const agent_ids = Array.from({ length: 100 }, (_, index) => `bulk-${index}`)
      expect(
        (await ask('/api/v1/agent-registrations/bulk-assign', { agent_ids, bundle_name: 'files' })).body,
      ).toEqual({
        updated: 100,
      })
      const { body } = await ask('/api/v1/agent-registrations')
      expect(
        body.filter((agent: { bundle_name: string }) => agent.bundle_name === 'files').length,
      ).toBeGreaterThan(99)
    })

    it('by rules, the lowest priority number first, only in their environment and with their tags', async () => {
      const rule = { pattern: 'svc-*', bundle_name: 'files', env: 'production' }
      const made = await ask('/api/v1/assignment-rules', { ...rule, priority: 5, tag_match: { team: 'a' } })
      expect(made).toMatchObject({ status: 201, body: { priority: 5, tag_match: { team: 'a' } } })
      await ask('/api/v1/assignment-rules', { ...rule, priority: 9, bundle_name: 'payments' })
      await assign('svc-1', { tags: { team: 'a', other: 'x' } })
      const resolve = async (agent: string, env = 'production') =>
        (await ask(`/api/v1/assignment-rules/resolve/${agent}?env=${env}`)).body
      expect(await resolve('svc-1')).toMatchObject({
        bundle_name: 'files',
        source: 'rule',
        rule_id: made.body.id,
      })
      expect(await resolve('svc-2')).toMatchObject({ bundle_name: 'payments', rule_pattern: 'svc-*' })
      expect(await resolve('svc-1', 'staging')).toMatchObject({ bundle_name: null, source: 'none' })
      expect(await ask('/api/v1/assignment-rules', { ...rule, priority: 5 })).toMatchObject({
        status: 409,
        body: { code: 'conflict' },
      })
      expect((await ask(`/api/v1/assignment-rules/${made.body.id}`, undefined, 'DELETE')).status).toBe(200)
      await expect.poll(() => resolve('svc-1')).toMatchObject({ bundle_name: 'payments' })
      expect((await ask(`/api/v1/assignment-rules/${made.body.id}`, undefined, 'DELETE')).status).toBe(404)
    })

    it.each([
      [
        'a bundle that is not there',
        'PATCH',
        '/api/v1/agent-registrations/a',
        { bundle_name: 'nothing' },
        422,
      ],
      ['nothing to change', 'PATCH', '/api/v1/agent-registrations/a', {}, 422],
      ['an id that is none', 'PATCH', '/api/v1/agent-registrations/a%20b', { bundle_name: 'files' }, 422],
      ['a tag that is no text', 'PATCH', '/api/v1/agent-registrations/a', { tags: { a: 1 } }, 422],
      ['markup as name', 'PATCH', '/api/v1/agent-registrations/a', { display_name: '<b>' }, 422],
      [
        'no agents',
        'POST',
        '/api/v1/agent-registrations/bulk-assign',
        { agent_ids: [], bundle_name: 'files' },
        422,
      ],
      [
        'a pattern with a slash',
        'POST',
        '/api/v1/assignment-rules',
        { priority: 1, pattern: 'a/b', bundle_name: 'files', env: 'x' },
        400,
      ],
      [
        'a negative priority',
        'POST',
        '/api/v1/assignment-rules',
        { priority: -1, pattern: 'a', bundle_name: 'files', env: 'x' },
        422,
      ],
      ['a rule that is not there', 'PATCH', '/api/v1/assignment-rules/none', { priority: 77 }, 404],
    ])('not with %s', async (_, method, path, body, status) => {
      const reply = await ask(path, body, method)
      expect(reply.status).toBe(status)
      expect(reply.body).toMatchObject({ detail: expect.any(String), code: expect.any(String) })
    })

    it('made by publishers, not by viewers, approvers or keys', async () => {
      const body = { bundle_name: 'files' }
      const path = '/api/v1/agent-registrations/guarded'
      for (const role of ['viewer', 'approver'])
        expect(
          (await consoleOf().ask(path, { method: 'PATCH', cookie: await consoleOf().logInAs(role), body }))
            .status,
        ).toBe(403)
      expect((await consoleOf().ask(path, { method: 'PATCH', body })).status).toBe(401)
    })
  })

  describe('shows what agents run', () => {
    it('by the hash in their events: current, drifting or unknown, per environment and bundle', async () => {
      for (const agent of ['current', 'drifting', 'silent']) await assign(agent, { bundle_name: 'files' })
      await send('current', [{ action: 'call_allowed', tool_name: 'read', policy_version: hash }])
      await send('drifting', [{ action: 'call_allowed', tool_name: 'read', policy_version: 'f'.repeat(64) }])
      await send('silent', [{ action: 'call_allowed', tool_name: 'read' }])
      expect(await statusOf('current')).toMatchObject({
        env: 'production',
        bundle_name: 'files',
        status: 'current',
      })
      expect(await statusOf('drifting')).toMatchObject({ status: 'drift' })
      expect(await statusOf('silent')).toMatchObject({ status: 'unknown' })
    })

    it('by a header of any request', async () => {
      await assign('by-header', { bundle_name: 'files' })
      await consoleOf().ask('/v1/sessions/none', {
        headers: { 'X-Edictum-Agent-Id': 'by-header', 'X-Edictum-Policy-Version': hash },
      })
      expect(await statusOf('by-header')).toMatchObject({ status: 'current', connected: false })
    })

    it('by their stream, and whether it is open', async () => {
      const url = `${consoleOf().url}/v1/stream?env=production&bundle_name=files&policy_version=${hash}`
      const stream = await openStream(url, { key: consoleOf().key, agent: 'streaming' })
      await expect.poll(() => statusOf('streaming')).toMatchObject({ status: 'current', connected: true })
      stream.close()
      await expect.poll(() => statusOf('streaming')).toMatchObject({ connected: false })
    })

    it('and that one believes to be in another environment than its key', async () => {
      const stream = await openStream(`${consoleOf().url}/v1/stream?env=staging`, {
        key: consoleOf().key,
        agent: 'lost',
      })
      expect(stream.status).toBe(403)
      expect(await statusOf('lost')).toMatchObject({ env: 'production', claimed_env: 'staging' })
    })

    it('by what they say about a bundle they were given', async () => {
      const acknowledge = (agent: string, body: object) =>
        consoleOf().ask('/api/edictum/v1/bundles/acknowledge', {
          headers: { 'X-Edictum-Agent-Id': agent },
          body,
        })
      await assign('refusing', { bundle_name: 'payments' })
      const { revision_hash } = (await ask('/api/v1/bundles/payments/1')).body
      const about = { bundle_name: 'payments', revision_hash }
      expect(await acknowledge('applying', { ...about, outcome: 'applied' })).toMatchObject({
        status: 200,
        body: {},
      })
      await acknowledge('refusing', { ...about, outcome: 'rejected', reason: 'bad signature' })
      await ask('/api/v1/agents/status')
      const { body } = await ask('/api/v1/bundles/payments/rollout?env=production')
      expect(body.agents).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ agent_id: 'applying', status: 'applied' }),
          expect.objectContaining({ agent_id: 'refusing', status: 'rejected', reason: 'bad signature' }),
        ]),
      )
      expect(body.summary).toMatchObject({ applied: 1, rejected: 1 })
      for (const wrong of [
        { ...about },
        { ...about, outcome: 'maybe' },
        { ...about, outcome: 'applied', revision_hash: 'x' },
      ])
        expect((await acknowledge('x', wrong)).status).toBe(422)
    })
  })

  describe('shows coverage', () => {
    it('by tool: enforced, observed or ungoverned', async () => {
      await assign('covered', { bundle_name: 'files' })
      await send('covered', [
        { action: 'call_denied', tool_name: 'delete_file' },
        { action: 'call_allowed', tool_name: 'delete_file' },
        { action: 'call_allowed', tool_name: 'unwatched' },
      ])
      const { body } = await ask('/api/v1/agents/covered/coverage?since=1h')
      expect(body).toMatchObject({
        agent_id: 'covered',
        deployed_bundle: { name: 'files', version: 1, revision_hash: hash },
        summary: { total_tools: 2, enforced: 1, observed: 0, ungoverned: 1, coverage_pct: 50 },
      })
      expect(body.tools).toMatchObject([
        {
          tool_name: 'delete_file',
          status: 'enforced',
          contract_name: 'no-secrets',
          source: 'console',
          event_count: 2,
          deny_count: 1,
        },
        { tool_name: 'unwatched', status: 'ungoverned', contract_name: null, source: null },
      ])
    })

    it('from a local manifest, sent without an agent header', async () => {
      const events = [
        {
          call_id: 'c',
          agent_id: 'laptop',
          tool_name: 'Bash',
          verdict: 'call_denied',
          mode: 'enforce',
          timestamp: new Date().toISOString(),
        },
      ]
      const agent_manifest = {
        agent_id: 'laptop',
        policy_version: 'x',
        contracts: [{ id: 'local-rule', type: 'pre', tool: ['Bash', 'Edit'], mode: 'enforce' }],
      }
      expect((await consoleOf().ask('/api/v1/events', { body: { events, agent_manifest } })).status).toBe(200)
      const { body } = await ask('/api/v1/agents/laptop/coverage')
      expect(body.tools).toMatchObject([
        { tool_name: 'Bash', status: 'enforced', contract_name: 'local-rule', source: 'local' },
      ])
    })

    it('of an agent with contracts of its own, by the hash it runs, when they are stored here', async () => {
      await send('self-served', [
        { action: 'call_allowed', tool_name: 'delete_file', policy_version: hash },
        { action: 'call_allowed', tool_name: 'unwatched', policy_version: hash },
      ])
      const { body } = await ask('/api/v1/agents/self-served/coverage?since=1h')
      expect(body).toMatchObject({
        deployed_bundle: null,
        summary: { total_tools: 2, enforced: 1, ungoverned: 1 },
      })
    })

    it('of the whole fleet, with the tools nobody watches', async () => {
      const { body } = await ask('/api/v1/agents/fleet-coverage?since=24h')
      expect(body.fleet_summary.ungoverned_tools).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ tool_name: 'unwatched', agent_ids: ['covered', 'self-served'] }),
        ]),
      )
      expect(body.agents.find((agent: { agent_id: string }) => agent.agent_id === 'covered')).toMatchObject({
        coverage_pct: 50,
        event_count_24h: 3,
      })
    })

    it.each([
      ['/api/v1/agents/nobody/coverage', 404],
      ['/api/v1/agents/nobody/history', 404],
      ['/api/v1/agents/covered/coverage?since=yesterday', 400],
      ['/api/v1/agents/fleet-coverage?since=x', 400],
    ])('%s: %i', async (path, status) => {
      expect((await ask(path)).status).toBe(status)
    })
  })

  it('remembers when an agent came, what was deployed to it and when it drifted', async () => {
    await assign('history', { bundle_name: 'files' })
    const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
    await send('history', [
      { action: 'call_allowed', tool_name: 'a', policy_version: 'e'.repeat(64), timestamp: at(1) },
      { action: 'call_allowed', tool_name: 'a', policy_version: hash, timestamp: at(2) },
    ])
    const { body } = await ask('/api/v1/agents/history/history')
    expect(body.events.map(({ type }: { type: string }) => type)).toEqual([
      'drift_resolved',
      'drift_detected',
      'first_seen',
      'deployment',
    ])
  })

  describe('tries drafts', () => {
    const draft = contractBundle({ name: 'draft' })

    it('on one made-up call, and says why', async () => {
      const call = { yaml_content: draft, tool_name: 'delete_file', tool_args: { path: '/secret/x' } }
      const reply = await ask('/api/v1/bundles/evaluate', call)
      expect(reply).toMatchObject({
        status: 200,
        body: {
          verdict: 'deny',
          mode: 'enforce',
          deciding_contract: 'no-secrets',
          policy_version: expect.stringMatching(/^[0-9a-f]{12}$/),
          contracts_evaluated: [
            { id: 'no-secrets', type: 'precondition', matched: true, effect: 'deny', message: 'no' },
          ],
        },
      })
      expect(reply.body.explanations[0]).toMatchObject({ contractId: 'no-secrets', outcome: 'matched' })
      const asked = await ask('/api/v1/bundles/evaluate', {
        ...call,
        tool_name: 'pay',
        tool_args: { sum: 500 },
      })
      expect(asked.body).toMatchObject({ verdict: 'approve', deciding_contract: 'ask-first' })
    })

    it('without reading the environment or the log file the draft names', async () => {
      const sneaky = draft
        .replace('args.path: { contains: secret }', 'env.PATH: { exists: true }')
        .replace('contracts:', 'observability: { file: /proc/edictum-must-not-open-this }\ncontracts:')
      const reply = await ask('/api/v1/bundles/evaluate', { yaml_content: sneaky, tool_name: 'delete_file' })
      expect(reply).toMatchObject({ status: 200, body: { verdict: 'allow' } })
    })

    it.each([
      ['a draft that does not load', { yaml_content: 'a: b', tool_name: 't' }, 'invalid-bundle'],
      ['no tool', { yaml_content: draft }, 'invalid-request'],
      [
        'arguments that are a list',
        { yaml_content: draft, tool_name: 't', tool_args: [] },
        'invalid-request',
      ],
    ])('not with %s', async (_, body, code) => {
      expect(await ask('/api/v1/bundles/evaluate', body)).toMatchObject({ status: 422, body: { code } })
    })

    it('on calls that were really made: what would change, grouped, with examples', async () => {
      const made = (tool_args: object, action: string) => ({ action, tool_name: 'delete_file', tool_args })
      await send('replayed', [
        made({ path: '/secret/1' }, 'call_allowed'),
        made({ path: '/secret/2' }, 'call_allowed'),
        made({ path: '/tmp/x' }, 'call_allowed'),
        made({ path: '/tmp/y' }, 'call_blocked'),
        made({ path: '/secret/3' }, 'call_executed'),
      ])
      const { status, body } = await ask('/api/v1/bundles/replay', {
        yaml_content: draft,
        agent_id: 'replayed',
      })
      expect(status).toBe(200)
      expect(body).toMatchObject({ events_read: 5, replayed: 4, changed: 3, unchanged: 1 })
      expect(body.groups).toMatchObject([
        { tool: 'delete_file', before: 'allow', after: 'deny', contract: 'no-secrets', count: 2 },
        { tool: 'delete_file', before: 'deny', after: 'allow', contract: null, count: 1 },
      ])
      expect(body.groups[0].examples[0].tool_args.path).toContain('/secret/')
      const later = await ask('/v1/rulesets/files/replay', { version: 1, agent_id: 'replayed' })
      expect(later.body).toMatchObject({ replayed: 4, changed: 3 })
    })
  })

  it('logs no errors', () => {
    expect(consoleOf().errors).toEqual([])
  })
})
