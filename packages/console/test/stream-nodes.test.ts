// Streams over time, over restarts, and over several nodes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractBundle } from './bundle-texts.js'
import { type PostgresServer, startPostgres } from './postgres.js'
import { openStream, type TestStream } from './sse.js'
import { startTestConsole, type TestConsole } from './test-console.js'

const secret = ['not', 'a', 'secret', 'but', 'long', 'enough', 'for', 'one'].join('-')

async function deploy(
  node: TestConsole,
  { cookie, note }: { cookie: string; note: string },
): Promise<string> {
  const body = { yaml_content: contractBundle({ name: 'shared', note }) }
  const { version, revision_hash } = (await node.ask('/api/v1/bundles', { cookie, body })).body
  await node.ask(`/api/v1/bundles/shared/${version}/deploy`, { cookie, body: { env: 'production' } })
  return revision_hash
}

describe('two nodes on one database', () => {
  let postgres: PostgresServer
  let one: TestConsole
  let two: TestConsole
  let cookie: string

  beforeAll(async () => {
    postgres = await startPostgres()
    const databaseUrl = await postgres.createDatabase()
    one = await startTestConsole({ databaseUrl, secret })
    two = await startTestConsole({ databaseUrl, secret })
    cookie = await one.logIn()
  })
  afterAll(async () => {
    await one.stop()
    await two.stop()
    await postgres.stop()
  })

  it('tell agents on either of them what is deployed and assigned on the other', async () => {
    const streams = await Promise.all(
      [one, two].map((node, index) =>
        openStream(`${node.url}/api/v1/stream?env=production&bundle_name=shared`, {
          key: one.key,
          agent: `agent-${index}`,
        }),
      ),
    )
    const hash = await deploy(two, { cookie, note: 'from the second' })
    for (const { events } of streams)
      await expect.poll(() => events[0]?.data).toMatchObject({ bundle_name: 'shared', revision_hash: hash })
    await two.ask('/api/v1/bundles', { cookie, body: { yaml_content: contractBundle({ name: 'special' }) } })
    await two.ask('/api/v1/bundles/special/1/deploy', { cookie, body: { env: 'production' } })
    await two.ask('/api/v1/agent-registrations/agent-0', {
      method: 'PATCH',
      cookie,
      body: { bundle_name: 'special' },
    })
    await expect.poll(() => streams[0]!.events.at(-2)?.data.bundle_name).toBe('special')
    expect(streams[1]!.events.every(({ data }) => (data.bundle_name ?? data.name) === 'shared')).toBe(true)
    for (const stream of streams) stream.close()
  })

  it('sign with one key between them, also when both needed one first', async () => {
    const keys = await Promise.all(
      [one, two].map(async (node) => (await node.ask('/api/v1/signing-keys', { cookie })).body.keys),
    )
    expect(keys[0]).toHaveLength(1)
    expect(keys[0]).toEqual(keys[1])
  })

  it('abort the streams of a key on one that is revoked on the other', async () => {
    const made = await one.makeKey({ env: 'production' })
    const stream = await openStream(`${two.url}/v1/stream`, { key: made.key })
    await one.ask(`/api/v1/keys/${made.id}`, { method: 'DELETE', cookie })
    expect(await stream.ended).not.toBe('end')
  })
})

/** A thousand agents, a hundred at a time: more at once would wait for the system to accept them. */
async function openMany(url: string, key: string): Promise<readonly TestStream[]> {
  const streams: TestStream[] = []
  while (streams.length < 1_000)
    streams.push(
      ...(await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          openStream(url, { key, agent: `agent-${streams.length + index}` }),
        ),
      )),
    )
  return streams
}

describe('a stream', () => {
  it('pings in less than 15 seconds', async () => {
    const node = await startTestConsole()
    const stream = await openStream(`${node.url}/v1/stream`, { key: node.key })
    await expect.poll(() => stream.text(), { timeout: 14_500, interval: 100 }).toContain(': ping\n\n')
    stream.close()
    await node.stop()
  })

  it('older than 65 minutes still receives deploys', async () => {
    let late = 0
    const node = await startTestConsole({ now: () => Date.now() + late })
    const stream = await openStream(`${node.url}/v1/stream?env=production&bundle_name=shared`, {
      key: node.key,
    })
    late = 66 * 60_000
    const hash = await deploy(node, { cookie: await node.logIn(), note: 'late' })
    await expect.poll(() => stream.events.length).toBe(2)
    expect(stream.events[0]!.data.bundle_name).toBe('shared')
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    stream.close()
    await node.stop()
  })

  it('is aborted, not ended, when the server stops: counters are intact, 1,000 clients come back, no deploy is lost', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'edictum-console-'))
    const before = await startTestConsole({ dataFolder })
    const cookie = await before.logIn()
    const old = await deploy(before, { cookie, note: 'before' })
    const path = `/api/v1/stream?env=production&bundle_name=shared&policy_version=${old}`
    const clients = await openMany(before.url + path, before.key)
    await before.ask('/v1/sessions/counter/increment', { body: { amount: 41 } })
    const hash = await deploy(before, { cookie, note: 'just before the stop' })
    await before.stop()
    expect(await Promise.all(clients.map(({ ended }) => ended))).not.toContain('end')
    const after = await startTestConsole({ dataFolder })
    const again = await openMany(after.url + path, before.key)
    const heard = () => again.filter(({ events }) => events[0]?.data.revision_hash === hash).length
    await expect.poll(heard, { timeout: 60_000 }).toBe(again.length)
    const counted = await after.ask('/v1/sessions/counter/increment', { key: before.key, body: {} })
    expect(counted.body).toEqual({ value: 42 })
    for (const client of again) client.close()
    await after.stop()
    rmSync(dataFolder, { recursive: true, force: true })
  }, 240_000)
})
