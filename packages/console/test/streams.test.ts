// What agents and people hear as it happens.
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { contractBundle } from './bundle-texts.js'
import { describeOnBothStores } from './dialects.js'
import { openStream, type StreamOptions, type TestStream } from './sse.js'
import type { TestConsole } from './test-console.js'

describeOnBothStores('streams', (consoleOf) => {
  let publisher: string
  let cookie: string
  const open: TestStream[] = []
  const used = new Map<string, number>()

  beforeAll(async () => {
    publisher = (await consoleOf().makeKey({ env: 'production', scopes: ['publish'] })).key
    cookie = await consoleOf().logIn()
  })
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close()
  })

  async function connect(path: string, options: StreamOptions = {}, node: TestConsole = consoleOf()) {
    const stream = await openStream(node.url + path, { key: consoleOf().key, ...options })
    open.push(stream)
    return stream
  }

  /** A new version of the bundle, in force. */
  async function deploy(name: string): Promise<string> {
    const count = (used.get(name) ?? 0) + 1
    used.set(name, count)
    const body = { yaml_content: contractBundle({ name, note: `version ${count}` }) }
    const uploaded = await consoleOf().ask('/api/v1/bundles', { key: publisher, body })
    const path = `/api/v1/bundles/${name}/${uploaded.body.version}/deploy`
    const deployed = await consoleOf().ask(path, { key: publisher, body: { env: 'production' } })
    expect(deployed.status).toBe(201)
    return uploaded.body.revision_hash
  }

  const assign = (agent: string, bundle: string) =>
    consoleOf().ask(`/api/v1/agent-registrations/${agent}`, {
      method: 'PATCH',
      cookie,
      body: { bundle_name: bundle },
    })

  const names = (stream: TestStream) => stream.events.map(({ event }) => event)
  const settled = (stream: TestStream) =>
    new Promise((resolve) => setTimeout(resolve, 250)).then(() => [...stream.events])

  it.each([
    ['without parameters (TypeScript)', '/v1/stream'],
    ['with env (Go)', '/v1/stream?env=production&bundle_name=any'],
    [
      'with everything (Python)',
      '/api/v1/stream?env=production&bundle_name=any&policy_version=x&tags=%7B%7D',
    ],
    ['as our own client', '/api/edictum/v1/stream'],
  ])('opens an event stream %s', async (_, path) => {
    const stream = await connect(path, { agent: 'opener' })
    expect(stream.status).toBe(200)
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)
    expect(stream.headers['content-encoding']).toBeUndefined()
  })

  it.each([
    ['another environment', '/api/v1/stream?env=staging', {}, 403, 'wrong-environment'],
    ['another environment', '/v1/stream?env=staging', {}, 403, 'wrong-environment'],
    ['tags that are no JSON', '/v1/stream?env=production&tags=%7B', { agent: 'a' }, 422, 'invalid-request'],
    [
      'a tag that is no text',
      '/v1/stream?env=production&tags=%7B%22a%22:1%7D',
      { agent: 'a' },
      422,
      'invalid-request',
    ],
    ['a bundle name that is none', '/v1/stream?env=production&bundle_name=a%2Fb', {}, 422, 'invalid-request'],
    ['an agent id that is none', '/v1/stream', { agent: 'a b' }, 422, 'invalid-request'],
    ['a wrong key', '/v1/stream', { key: 'edk_production_wrong' }, 401, 'unauthenticated'],
  ])('refuses %s on %s', async (_, path, options, status, code) => {
    const stream = await connect(path, options)
    expect(stream.status).toBe(status)
    await stream.ended
    expect(JSON.parse(stream.text())).toMatchObject({ code })
  })

  it('tells an agent with a stale or absent policy_version at once: contract_update and ruleset_updated', async () => {
    const hash = await deploy('stale')
    for (const version of ['', `&policy_version=${'0'.repeat(64)}`]) {
      const stream = await connect(`/api/v1/stream?env=production&bundle_name=stale${version}`)
      await expect.poll(() => names(stream)).toEqual(['contract_update', 'ruleset_updated'])
      expect(stream.events[0]!.data).toMatchObject({
        type: 'contract_update',
        _assignment_changed: true,
        bundle_name: 'stale',
        revision_hash: hash,
      })
      expect(stream.events[0]!.data).not.toHaveProperty('yaml_bytes')
      expect(stream.events[1]!.data).toMatchObject({ name: 'stale', version: 1 })
      expect(stream.text()).toMatch(/^event: contract_update\ndata: \{/)
    }
  })

  it('sends nothing but pings to one with a matching policy_version, of either vocabulary', async () => {
    const hash = await deploy('matching')
    const served = (await consoleOf().ask('/v1/rulesets/matching/current')).body.revision_hash
    expect(served).not.toBe(hash)
    for (const [prefix, version] of [
      ['/api/v1', hash],
      ['/v1', served],
      ['/api/edictum/v1', hash],
    ]) {
      const stream = await connect(
        `${prefix}/stream?env=production&bundle_name=matching&policy_version=${version}`,
      )
      expect(await settled(stream)).toEqual([])
    }
  })

  it('tells a client that says nothing about itself of every bundle, by notices it can choose from', async () => {
    await deploy('first')
    await deploy('second')
    const stream = await connect('/v1/stream')
    await expect
      .poll(() => stream.events.map(({ data }) => data.name))
      .toEqual(expect.arrayContaining(['first', 'second']))
    expect(new Set(names(stream))).toEqual(new Set(['ruleset_updated']))
    const before = stream.events.length
    await deploy('second')
    await expect.poll(() => stream.events.length).toBe(before + 1)
    expect(stream.events.at(-1)!.data).toMatchObject({ name: 'second', version: 2 })
  })

  it('tells an agent of a deploy of its own bundle, and of no other', async () => {
    await deploy('mine')
    await deploy('other')
    const stream = await connect('/api/v1/stream?env=production&bundle_name=mine', { agent: 'owner' })
    await expect.poll(() => stream.events.length).toBe(2)
    await deploy('other')
    const hash = await deploy('mine')
    await expect.poll(() => stream.events.length).toBe(4)
    expect(stream.events[2]!.data).toMatchObject({ bundle_name: 'mine', revision_hash: hash })
    expect((await settled(stream)).every(({ data }) => (data.bundle_name ?? data.name) === 'mine')).toBe(true)
  })

  it('gives an agent without a bundle name the one it is assigned, at once', async () => {
    await deploy('assigned')
    await assign('unnamed', 'assigned')
    const before = Date.now()
    const stream = await connect('/api/v1/stream?env=production', { agent: 'unnamed' })
    await expect.poll(() => stream.events[0]?.data).toMatchObject({ bundle_name: 'assigned' })
    expect(Date.now() - before).toBeLessThan(5_000)
  })

  it('lets the assignment win over what the agent asks for', async () => {
    await deploy('wanted')
    await deploy('decided')
    await assign('stubborn', 'decided')
    const stream = await connect('/v1/stream?env=production&bundle_name=wanted', { agent: 'stubborn' })
    await expect.poll(() => stream.events.length).toBe(2)
    expect((await settled(stream)).map(({ data }) => data.bundle_name ?? data.name)).toEqual([
      'decided',
      'decided',
    ])
  })

  it('tells a connected agent that is reassigned, and of deploys of the new bundle, without reconnect', async () => {
    await deploy('before')
    await deploy('after')
    const stream = await connect('/api/v1/stream?env=production&bundle_name=before', { agent: 'moved' })
    await expect.poll(() => stream.events.length).toBe(2)
    await assign('moved', 'after')
    await expect.poll(() => stream.events.length).toBe(4)
    expect(stream.events[2]!.data).toMatchObject({ _assignment_changed: true, bundle_name: 'after' })
    await deploy('before')
    const hash = await deploy('after')
    await expect.poll(() => stream.events.length).toBe(6)
    expect(stream.events[4]!.data).toMatchObject({ bundle_name: 'after', revision_hash: hash })
  })

  it('tells an agent of a deploy it missed when it comes back', async () => {
    const old = await deploy('missed')
    const stream = await connect(`/api/v1/stream?env=production&bundle_name=missed&policy_version=${old}`)
    stream.close()
    const hash = await deploy('missed')
    const again = await connect(`/api/v1/stream?env=production&bundle_name=missed&policy_version=${old}`)
    await expect.poll(() => again.events[0]?.data.revision_hash).toBe(hash)
  })

  it('tells our own client by its own notice', async () => {
    const hash = await deploy('own')
    const stream = await connect('/api/edictum/v1/stream?bundle_name=own', { agent: 'ours' })
    await expect
      .poll(() => stream.events)
      .toEqual([{ event: 'bundle_updated', data: { bundle_name: 'own', revision_hash: hash, sequence: 1 } }])
    await deploy('own')
    await expect.poll(() => stream.events[1]?.data.sequence).toBe(2)
  })

  it('chooses by rules over ids and tags, and again when a rule changes', async () => {
    await deploy('ruled')
    await deploy('ruled-otherwise')
    const stream = await connect('/v1/stream?env=production&tags=%7B%22team%22:%22pay%22%7D', {
      agent: 'bot-1',
    })
    expect(await settled(stream)).toEqual([])
    const rule = {
      priority: 10,
      pattern: 'bot-*',
      tag_match: { team: 'pay' },
      bundle_name: 'ruled',
      env: 'production',
    }
    const made = await consoleOf().ask('/api/v1/assignment-rules', { cookie, body: rule })
    expect(made.status).toBe(201)
    await expect.poll(() => stream.events[0]?.data.bundle_name).toBe('ruled')
    await consoleOf().ask(`/api/v1/assignment-rules/${made.body.id}`, {
      method: 'PATCH',
      cookie,
      body: { bundle_name: 'ruled-otherwise' },
    })
    await expect.poll(() => stream.events.at(-2)?.data.bundle_name).toBe('ruled-otherwise')
  })

  it('aborts the streams of a revoked key at once, and refuses it afterwards', async () => {
    const made = await consoleOf().makeKey({ env: 'production' })
    const streams = await Promise.all(
      ['/api/v1/stream', '/v1/stream', '/api/edictum/v1/stream'].map((path) =>
        connect(path, { key: made.key }),
      ),
    )
    await consoleOf().ask(`/api/v1/keys/${made.id}`, { method: 'DELETE', cookie })
    // A clean end would bring stock clients back hundreds of times a second.
    expect(await Promise.all(streams.map(({ ended }) => ended))).not.toContain('end')
    for (const path of ['/api/v1/stream', '/v1/stream', '/api/edictum/v1/stream'])
      expect((await connect(path, { key: made.key })).status).toBe(401)
  })

  describe('about approvals', () => {
    const create = (agent: string, timeout = 60) =>
      consoleOf().ask('/api/v1/approvals', {
        body: { agent_id: agent, tool_name: 'pay', tool_args: {}, message: 'pay?', timeout },
        headers: { 'X-Edictum-Agent-Id': agent },
      })

    it('speak only to the agent that asked', async () => {
      const owner = await connect('/api/v1/stream?env=production', { agent: 'asking' })
      const later = await connect('/v1/stream?env=production', { agent: 'asking' })
      const neighbour = await connect('/api/v1/stream?env=production', { agent: 'neighbour' })
      const { id } = (await create('asking')).body
      await expect.poll(() => names(owner)).toEqual(['approval_created'])
      await consoleOf().ask(`/api/v1/approvals/${id}`, { method: 'PUT', cookie, body: { approved: false } })
      await expect.poll(() => names(owner)).toEqual(['approval_created', 'approval_decided'])
      expect(owner.events[1]!.data).toMatchObject({ approval_id: id, status: 'denied' })
      await expect.poll(() => later.events[1]?.data).toMatchObject({ status: 'rejected' })
      expect(await settled(neighbour)).toEqual([])
    })

    it('say when time is up', async () => {
      const owner = await connect('/api/v1/stream?env=production', { agent: 'late' })
      await create('late', 0.5)
      await expect
        .poll(() => names(owner), { timeout: 5_000 })
        .toEqual(['approval_created', 'approval_timeout'])
    })
  })

  it('shows people everything that changes, on one stream', async () => {
    const stream = await connect('/api/v1/stream/dashboard', { cookie, key: undefined as never })
    expect(stream.status).toBe(200)
    await deploy('watched')
    await assign('watched-agent', 'watched')
    await consoleOf().ask('/v1/events', {
      body: { events: [{ timestamp: new Date().toISOString(), tool_name: 't', action: 'call_allowed' }] },
    })
    await expect
      .poll(() => names(stream))
      .toEqual(['ready', 'bundle_uploaded', 'bundle_deployed', 'assignment_changed', 'event_created'])
    expect(stream.events[2]!.data).toMatchObject({
      type: 'bundle_deployed',
      bundle_name: 'watched',
      env: 'production',
    })
  })

  it('lets no key see what people see, and nobody without a cookie', async () => {
    for (const options of [{}, { key: undefined as never }])
      expect((await connect('/api/v1/stream/dashboard', options)).status).toBe(401)
  })

  it('logs no errors', () => {
    expect(consoleOf().errors).toEqual([])
  })
})
