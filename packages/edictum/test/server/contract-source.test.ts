// Contracts from a server, and everything that must not become contracts.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BundleVerificationError } from '../../src/server/bundle-verification-error.js'
import type { ServerProblem } from '../../src/server/problem.js'
import type { CurrentBundle } from '../../src/server/protocol/bundles.js'
import { EdictumServerClient } from '../../src/server/server-client.js'
import {
  ServerContractSource,
  type ServerContractSourceOptions,
} from '../../src/server/server-contract-source.js'
import { EdictumServerError } from '../../src/server/server-error.js'
import {
  type BundleServer,
  bundleText,
  newSigningKey,
  signedBundle,
  startBundleServer,
} from './bundle-server.js'

const key = newSigningKey()
const thief = newSigningKey()
let server: BundleServer
let folder: string
let problems: ServerProblem[]
let applied: string[]
const sources: ServerContractSource[] = []

beforeEach(async () => {
  server = await startBundleServer()
  folder = mkdtempSync(join(tmpdir(), 'edictum-bundles-'))
  problems = []
  applied = []
})
afterEach(async () => {
  for (const source of sources.splice(0)) await source.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

function open(options: Partial<ServerContractSourceOptions> = {}): ServerContractSource {
  const client = new EdictumServerClient({ baseUrl: server.url, apiKey: 'not-a-real-key', maxRetries: 1 })
  const source = new ServerContractSource(client, {
    bundleName: 'agents',
    publicKeys: [key.publicKey],
    cacheFolder: folder,
    startTimeoutMs: 1_500,
    onProblem: (problem) => problems.push(problem),
    ...options,
  })
  sources.push(source)
  return source
}

const apply = ({ bytes }: { readonly bytes: Uint8Array }): void => {
  const text = Buffer.from(bytes).toString()
  if (text.includes('unloadable')) throw new Error('cannot be loaded')
  applied.push(/message: '(.*)'/.exec(text)?.[1] ?? '')
}

/** Deploys and tells everybody. */
function deploy(message: string, sequence: number, keys = [key]): CurrentBundle {
  const bundle = signedBundle(bundleText('agents', message), keys, { sequence })
  server.serve('agents', bundle)
  server.tell({ bundle_name: 'agents', revision_hash: bundle.manifest.revision_hash, sequence })
  return bundle
}

const lies: readonly (readonly [
  string,
  BundleVerificationError['fault'],
  (good: CurrentBundle) => unknown,
])[] = [
  [
    'has altered text',
    'wrong-hash',
    (good) => ({ ...good, yaml_bytes: Buffer.from('other').toString('base64') }),
  ],
  [
    'has altered text and hash',
    'wrong-signature',
    ({ manifest, ...rest }) => ({ ...rest, manifest: { ...manifest, revision_hash: '0'.repeat(64) } }),
  ],
  [
    'is signed by somebody else',
    'untrusted-key',
    () => signedBundle(bundleText('agents', 'stolen'), [thief], { sequence: 9 }),
  ],
  [
    'claims a key it is not signed with',
    'wrong-signature',
    (good) => ({
      ...good,
      signatures: signedBundle('other', [thief]).signatures.map(({ signature }) => ({
        signature,
        public_key: key.publicKey,
      })),
    }),
  ],
  ['has no signature', 'unsigned', (good) => ({ ...good, signatures: [] })],
  [
    'is for another environment',
    'wrong-environment',
    () => signedBundle(bundleText('agents', 'x'), [key], { env: 'staging', sequence: 9 }),
  ],
  [
    'is another bundle',
    'wrong-name',
    () => ({ ...signedBundle(bundleText('others', 'x'), [key], { name: 'others', sequence: 9 }) }),
  ],
  ['is older', 'rolled-back', () => signedBundle(bundleText('agents', 'old'), [key], { sequence: 2 })],
  [
    'is another of the same number',
    'rolled-back',
    () => signedBundle(bundleText('agents', 'twin'), [key], { sequence: 3 }),
  ],
  ['has no manifest', 'malformed', (good) => ({ ...good, manifest: undefined })],
  [
    'has a manifest of nonsense',
    'malformed',
    (good) => ({ ...good, manifest: { name: '../../etc', sequence: 'x' } }),
  ],
  ['has signatures of nonsense', 'malformed', (good) => ({ ...good, signatures: [null] })],
  ['has no text', 'malformed', (good) => ({ ...good, yaml_bytes: undefined })],
]

describe('a contract source', () => {
  it('puts the first bundle into force, follows deployments, and tells the server', async () => {
    deploy('one', 1)
    const source = open()
    await source.start(apply)
    expect(applied).toEqual(['one'])
    deploy('two', 2)
    await expect.poll(() => applied).toEqual(['one', 'two'])
    await expect.poll(() => server.acknowledged.map(({ outcome }) => outcome)).toEqual(['applied', 'applied'])
    expect(source.current?.sequence).toBe(2)
    expect(problems).toEqual([])
  })

  it('keeps the bundle in a private file', async () => {
    deploy('one', 1)
    await open().start(apply)
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  })

  for (const [name, fault, lie] of lies) {
    it(`keeps what is in force when the next one ${name}, says so, and follows the one after it`, async () => {
      deploy('one', 3)
      const source = open()
      await source.start(apply)
      const next = signedBundle(bundleText('agents', 'next'), [key], { sequence: 4 })
      server.serve('agents', lie(next))
      server.tell({ bundle_name: 'agents', revision_hash: next.manifest.revision_hash, sequence: 4 })
      await expect.poll(() => problems.length).toBe(1)
      expect(problems[0]?.error).toMatchObject({ name: 'BundleVerificationError', fault })
      expect(applied).toEqual(['one'])
      expect(source.current?.sequence).toBe(3)
      deploy('good', 10)
      await expect.poll(() => applied).toEqual(['one', 'good'])
    })

    it(`does not start with one that ${name}`, async () => {
      deploy('one', 3)
      await open().start(apply)
      await sources.pop()?.close()
      applied.length = 0
      server.serve('agents', lie(signedBundle(bundleText('agents', 'next'), [key], { sequence: 4 })))
      // The last good one is still there.
      await open().start(apply)
      expect(applied).toEqual(['one'])
      expect(problems[0]?.error).toBeInstanceOf(BundleVerificationError)
    })
  }

  it('keeps what is in force when the next one cannot be loaded, and tells the server why', async () => {
    deploy('one', 1)
    await open().start(apply)
    deploy('unloadable', 2)
    await expect
      .poll(() => server.acknowledged.at(-1))
      .toMatchObject({
        outcome: 'rejected',
        reason: 'cannot be loaded',
      })
    expect(applied).toEqual(['one'])
    deploy('three', 3)
    await expect.poll(() => applied).toEqual(['one', 'three'])
  })

  it('starts with the last good bundle when the server is away, and only then', async () => {
    deploy('one', 1)
    await open().start(apply)
    await sources.pop()?.close()
    server.refuse(503)
    await open().start(apply)
    expect(applied).toEqual(['one', 'one'])
    expect(problems.at(-1)?.message).toMatch(/last good bundle/)
    await sources.pop()?.close()
    server.refuse(401)
    await expect(open().start(apply)).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(applied).toHaveLength(2)
  })

  it('does not start with a kept bundle that was tampered with', async () => {
    deploy('one', 1)
    await open().start(apply)
    await sources.pop()?.close()
    const file = join(folder, 'bundle-agents.json')
    const kept = JSON.parse(readFileSync(file, 'utf8')) as CurrentBundle
    const text = Buffer.from(bundleText('agents', 'tampered')).toString('base64')
    writeFileSync(file, JSON.stringify({ ...kept, yaml_bytes: text }))
    server.refuse(503)
    await expect(open().start(apply)).rejects.toThrow(EdictumServerError)
    expect(applied).toEqual(['one'])
  })

  it('is not talked back to an older bundle by a restart', async () => {
    deploy('new', 7)
    await open().start(apply)
    await sources.pop()?.close()
    deploy('old', 6)
    await open().start(apply)
    expect(applied).toEqual(['new', 'new'])
    expect(problems[0]?.error).toMatchObject({ fault: 'rolled-back' })
  })

  it('says within the time it was given that there is no bundle', async () => {
    await expect(open().start(apply)).rejects.toMatchObject({ code: 'not-found' })
    server.refuse(503)
    const startedAt = performance.now()
    await expect(open().start(apply)).rejects.toMatchObject({ status: 503 })
    await expect(open({ bundleName: 'other', startTimeoutMs: 300 }).start(apply)).rejects.toThrow(/refused/)
    expect(performance.now() - startedAt).toBeLessThan(15_000)
    expect(applied).toEqual([])
  })
})

describe('trust', () => {
  const successor = newSigningKey()

  it('is in several keys while they overlap', async () => {
    deploy('one', 1, [key, successor])
    await open({ publicKeys: [successor.publicKey, thief.publicKey] }).start(apply)
    expect(applied).toEqual(['one'])
  })

  it('is in whoever signed the first bundle when no keys are given, and in nobody else', async () => {
    const openUnpinned = (): ServerContractSource => {
      const client = new EdictumServerClient({ baseUrl: server.url, apiKey: 'not-a-real-key', maxRetries: 1 })
      const source = new ServerContractSource(client, {
        bundleName: 'agents',
        cacheFolder: folder,
        onProblem: (problem) => problems.push(problem),
      })
      sources.push(source)
      return source
    }
    deploy('one', 1)
    await openUnpinned().start(apply)
    deploy('stolen', 2, [thief])
    await expect.poll(() => problems.length).toBe(1)
    expect(problems[0]?.error).toMatchObject({ fault: 'untrusted-key' })
    await sources.pop()?.close()
    await openUnpinned().start(apply)
    expect(applied).toEqual(['one', 'one'])

    // A manifest signed by a trusted key names its successor.
    const keys = [key.publicKey, successor.publicKey]
    const heir = signedBundle(bundleText('agents', 'heir'), [successor, key], { sequence: 3, keys })
    server.serve('agents', heir)
    server.tell({ bundle_name: 'agents', revision_hash: heir.manifest.revision_hash, sequence: 3 })
    await expect.poll(() => applied.at(-1)).toBe('heir')
    await expect
      .poll(() => readFileSync(join(folder, 'trusted-keys.json'), 'utf8'))
      .toContain(successor.publicKey)
    deploy('by the successor', 4, [successor])
    await expect.poll(() => applied.at(-1)).toBe('by the successor')
  })
})

describe('the stream', () => {
  it('is opened again after it broke, saying what is in force, and brings what was missed', async () => {
    deploy('one', 1)
    await open().start(apply)
    await expect.poll(() => server.streams.length).toBe(1)
    server.endStreams('abruptly')
    const two = deploy('two', 2)
    await expect.poll(() => applied, { timeout: 5_000 }).toEqual(['one', 'two'])
    server.endStreams('politely')
    await expect.poll(() => server.streams.length, { timeout: 10_000 }).toBe(3)
    const query = new URL(server.streams.at(-1) ?? '', server.url).searchParams
    expect(Object.fromEntries(query)).toEqual({
      env: 'production',
      bundle_name: 'agents',
      policy_version: two.manifest.revision_hash,
    })
  })

  it('is read event by event, however it is cut, and whatever else it carries', async () => {
    deploy('one', 1)
    await open().start(apply)
    await expect.poll(() => server.streams.length).toBe(1)
    const two = signedBundle(bundleText('agents', 'two'), [key], { sequence: 2 })
    server.serve('agents', two)
    const notice = JSON.stringify({
      bundle_name: 'agents',
      revision_hash: two.manifest.revision_hash,
      sequence: 2,
    })
    const text = `: ping\r\n\r\nevent: decision\r\ndata: {"x":1}\r\n\r\ndata: not json\n\ndata: null\n\nevent: bundle_updated\ndata: ${notice}\n\n`
    for (const character of text) server.write(character)
    await expect.poll(() => applied).toEqual(['one', 'two'])
    expect(problems).toEqual([])
  })

  it('is left when an event never ends', async () => {
    deploy('one', 1)
    await open().start(apply)
    await expect.poll(() => server.streams.length).toBe(1)
    server.write(`data: ${'x'.repeat(2_000_000)}`)
    await expect.poll(() => problems.length).toBe(1)
    expect(problems[0]?.error).toMatchObject({ code: 'answer-too-large' })
    await expect.poll(() => server.streams.length, { timeout: 5_000 }).toBe(2)
  })

  it('says which bundle an agent gets that asks for none, also another one than it has', async () => {
    deploy('one', 1)
    const options = { tags: { team: 'blue' }, publicKeys: [key.publicKey] }
    const client = new EdictumServerClient({ baseUrl: server.url, apiKey: 'not-a-real-key', maxRetries: 1 })
    const start = async (): Promise<void> => {
      const assigned = new ServerContractSource(client, {
        ...options,
        cacheFolder: folder,
        startTimeoutMs: 3_000,
        onProblem: (problem) => problems.push(problem),
      })
      sources.push(assigned)
      await assigned.start(apply)
    }
    await start()
    expect(applied).toEqual(['one'])
    const query = new URL(server.streams[0] ?? '', server.url).searchParams
    expect(Object.fromEntries(query)).toEqual({ env: 'production', tags: '{"team":"blue"}' })
    const other = signedBundle(bundleText('others', 'other'), [key], { name: 'others' })
    server.serve('others', other)
    server.tell({ bundle_name: 'others', revision_hash: other.manifest.revision_hash, sequence: 1 })
    await expect.poll(() => applied).toEqual(['one', 'other'])
    // Remembered for a start without the server.
    await sources.pop()?.close()
    server.refuse(503)
    await start()
    expect(applied).toEqual(['one', 'other', 'other'])
  })
})
