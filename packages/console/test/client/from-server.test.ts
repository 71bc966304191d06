// A guard on a real console, from the first start to the last event.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CollectingAuditSink, Edictum, EdictumDenied, type FromServerOptions } from 'edictum'
import type { ServerProblem } from 'edictum/server'
import { contractBundle } from '../bundle-texts.js'
import { startTestConsole, type TestConsole } from '../test-console.js'
import { type FaultyWay, openFaultyWay } from './faulty-way.js'

let console_: TestConsole
let way: FaultyWay
let publisher: string
const folders: string[] = []
const guards: Edictum[] = []
const problems: ServerProblem[] = []
let lastBundle = 0

beforeAll(async () => {
  console_ = await startTestConsole()
  way = await openFaultyWay(() => console_.url)
  publisher = (await console_.makeKey({ env: 'production', scopes: ['publish'] })).key
})
afterEach(async () => {
  await way.change({ kind: 'fair' })
  for (const guard of guards.splice(0)) await guard.close().catch(() => undefined)
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  problems.length = 0
})
afterAll(async () => {
  await way.close()
  await console_.stop()
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-state-'))
  folders.push(folder)
  return folder
}

async function deploy(name: string, note: string): Promise<string> {
  const text = contractBundle({ name, note })
  const { body } = await console_.ask('/api/v1/bundles', { key: publisher, body: { yaml_content: text } })
  const path = `/api/v1/bundles/${name}/${body.version}/deploy`
  const { status } = await console_.ask(path, { key: publisher, body: { env: 'production' } })
  expect(status).toBe(201)
  return body.revision_hash
}

async function open(options: Partial<FromServerOptions> = {}): Promise<Edictum> {
  const guard = await Edictum.fromServer({
    url: way.url,
    apiKey: console_.key,
    agentId: 'agent-1',
    stateFolder: newFolder(),
    onProblem: (problem) => problems.push(problem),
    ...options,
  })
  guards.push(guard)
  return guard
}

const newName = (): string => `bundle-${++lastBundle}`
const remove = (guard: Edictum, sessionId?: string): Promise<string> =>
  guard.run('delete_file', { path: '/secret' }, () => 'removed', sessionId === undefined ? {} : { sessionId })
const read = (guard: Edictum, sessionId?: string): Promise<string> =>
  guard.run('read_file', { path: '/a' }, () => 'read', sessionId === undefined ? {} : { sessionId })

async function eventsOf(
  agentId: string,
): Promise<{ action: string; tool_name: string; policy_version: string }[]> {
  const { body } = await console_.ask(`/v1/events?agent_id=${agentId}&limit=1000`)
  return body.events.toSorted(
    (one: { id: string }, other: { id: string }) => Number(one.id) - Number(other.id),
  )
}

describe('fromServer', () => {
  it('gives a guard its contracts, counters, approvals and record', async () => {
    const name = newName()
    const hash = await deploy(name, 'not that one')
    const guard = await open({ bundleName: name, agentId: 'whole', limits: { maxToolCalls: 3 } })
    expect(guard.policyVersion).toBe(hash)
    expect(guard.environment).toBe('production')
    await expect(remove(guard, 's-whole')).rejects.toThrow('not that one')
    expect(await read(guard, 's-whole')).toBe('read')
    const paying = guard.run('pay', { sum: 200 }, () => 'paid', { sessionId: 's-whole' })
    const approver = await console_.logInAs('approver')
    const pending = async (): Promise<{ id: string }[]> =>
      (await console_.ask('/api/v1/approvals?status=pending', { cookie: approver })).body
    await expect.poll(async () => (await pending()).length).toBe(1)
    const [asked] = await pending()
    await console_.ask(`/api/v1/approvals/${asked?.id}`, {
      method: 'PUT',
      cookie: approver,
      body: { approved: true },
    })
    expect(await paying).toBe('paid')
    expect(await read(guard, 's-whole')).toBe('read')
    // Another process of the same agent, the same session.
    const other = await open({ bundleName: name, agentId: 'whole', limits: { maxToolCalls: 3 } })
    await expect(read(other, 's-whole')).rejects.toThrow(/limit/i)
    await guard.close()
    await other.close()
    const actions = (await eventsOf('whole')).map(({ action }) => action)
    expect(actions).toEqual([
      'call_blocked',
      'call_allowed',
      'call_executed',
      'call_asked',
      'call_approval_granted',
      'call_executed',
      'call_allowed',
      'call_executed',
      'call_blocked',
    ])
    expect(problems).toEqual([])
  })

  it('follows a deployment without being started again, and the console knows it', async () => {
    const name = newName()
    await deploy(name, 'one')
    const guard = await open({ bundleName: name, agentId: 'follower' })
    await expect(remove(guard)).rejects.toThrow('one')
    const hash = await deploy(name, 'two')
    await expect.poll(() => guard.policyVersion).toBe(hash)
    await expect(remove(guard)).rejects.toThrow('two')
    const rollout = async (): Promise<unknown> =>
      (
        await console_.ask(`/api/v1/bundles/${name}/rollout?env=production`, {
          cookie: await console_.logIn(),
        })
      ).body
    await expect.poll(async () => JSON.stringify(await rollout())).toContain('applied')
  })

  it('trusts the successor of a signing key while keys overlap', async () => {
    const name = newName()
    await deploy(name, 'old key')
    const guard = await open({ bundleName: name })
    const cookie = await console_.logIn()
    const path = '/api/v1/settings/rotate-signing-key'
    await console_.ask(`${path}?overlap_days=1`, { method: 'POST', cookie })
    const during = await deploy(name, 'both keys')
    await expect.poll(() => guard.policyVersion).toBe(during)
    await console_.ask(`${path}?overlap_days=0`, { method: 'POST', cookie })
    const { body } = await console_.ask('/api/v1/signing-keys', { cookie })
    expect(body.keys).toHaveLength(1)
    await deploy(name, 'a key nobody heard of in time')
    await expect
      .poll(() => problems.map(({ error }) => (error as Error | undefined)?.name))
      .toContain('BundleVerificationError')
    expect(guard.policyVersion).toBe(during)
  })

  it('starts with the last good bundle when the server is away, denies, and recovers', async () => {
    const name = newName()
    const hash = await deploy(name, 'kept')
    const stateFolder = newFolder()
    const first = await open({ bundleName: name, stateFolder, agentId: 'offline' })
    await read(first)
    await first.close()
    await way.change({ kind: 'away' })
    const guard = await open({
      bundleName: name,
      stateFolder,
      agentId: 'offline',
      maxRetries: 1,
      portTimeoutMs: 1_000,
    })
    expect(guard.policyVersion).toBe(hash)
    await expect(read(guard)).rejects.toThrow(EdictumDenied)
    await way.change({ kind: 'fair' })
    expect(await read(guard)).toBe('read')
    await guard.close()
    const actions = (await eventsOf('offline')).map(({ action }) => action)
    expect(actions).toEqual([
      'call_allowed',
      'call_executed',
      'call_blocked',
      'call_allowed',
      'call_executed',
    ])
  })

  it('says what is wrong instead of starting without contracts', async () => {
    const unfit = { startTimeoutMs: 500, maxRetries: 1 }
    for (const options of [
      { bundleName: 'nobody-deployed-this' },
      { bundleName: newName(), apiKey: `edk_production_${'x'.repeat(43)}` },
    ]) {
      const error: unknown = await open({ ...unfit, ...options }).catch((failure: unknown) => failure)
      expect(error).toMatchObject({ name: 'EdictumConfigError', cause: { name: 'EdictumServerError' } })
      expect((error as { diagnostics: { code: string }[] }).diagnostics[0]?.code).toBe(
        'no-bundle-from-server',
      )
    }
    const name = newName()
    await deploy(name, 'x')
    await expect(open({ ...unfit, bundleName: name, publicKeys: ['0'.repeat(64)] })).rejects.toMatchObject({
      cause: { name: 'BundleVerificationError', fault: 'untrusted-key' },
    })
  })

  it('writes to sinks of its own beside the server', async () => {
    const name = newName()
    await deploy(name, 'tee')
    const tee = new CollectingAuditSink()
    const guard = await open({ bundleName: name, auditSink: tee, agentId: 'tee' })
    await read(guard)
    await guard.close()
    expect(tee.events.map(({ action }) => action)).toEqual(['call_allowed', 'call_executed'])
    expect(await eventsOf('tee')).toHaveLength(2)
  })

  it('takes the bundle an operator assigned, and another one when that changes', async () => {
    const [one, two] = [newName(), newName()]
    await deploy(one, 'first')
    const second = await deploy(two, 'second')
    const cookie = await console_.logIn()
    const assign = (bundle: string) =>
      console_.ask('/api/v1/agent-registrations/bulk-assign', {
        cookie,
        body: { agent_ids: ['assigned'], bundle_name: bundle },
      })
    expect((await assign(one)).status).toBe(200)
    const guard = await open({ agentId: 'assigned' })
    await expect(remove(guard)).rejects.toThrow('first')
    await assign(two)
    await expect.poll(() => guard.policyVersion).toBe(second)
  })

  it('lets a program end that has nothing else to do, and loses no event', async () => {
    const name = newName()
    await deploy(name, 'x')
    const folder = newFolder()
    const program = join(folder, 'agent.mjs')
    const library = fileURLToPath(new URL('../../../edictum/dist/index.js', import.meta.url))
    const options = {
      url: way.url,
      apiKey: console_.key,
      agentId: 'brief',
      bundleName: name,
      stateFolder: join(folder, 'state'),
    }
    writeFileSync(
      program,
      `import { Edictum } from ${JSON.stringify(library)}
const guard = await Edictum.fromServer(${JSON.stringify(options)})
await guard.run('read_file', { path: '/a' }, () => 'read')`,
    )
    const run = (): Promise<number | null> =>
      new Promise((resolve) => {
        const child: ChildProcess = spawn(process.execPath, [program], { stdio: 'inherit' })
        child.once('exit', resolve)
      })
    expect(await run()).toBe(0)
    expect(existsSync(join(folder, 'state'))).toBe(true)
    const next = await open({ ...options })
    await next.close()
    expect((await eventsOf('brief')).map(({ action }) => action)).toEqual(['call_allowed', 'call_executed'])
  })
})
