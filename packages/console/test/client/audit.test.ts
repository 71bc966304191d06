// Audit events of the library's client on a real console: every one once, in order, whatever happens on the way.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type AuditEvent, Edictum, EdictumDenied } from 'edictum'
import {
  EdictumServerClient,
  EdictumServerError,
  ServerAuditSink,
  type ServerAuditSinkOptions,
  type ServerProblem,
} from 'edictum/server'
import { describeAuditSink } from 'edictum/testing'
import { sampleAuditEvent } from '../../../edictum/src/testing/sample-audit-event.js'
import { startTestConsole, type TestConsole } from '../test-console.js'
import { type FaultyWay, httpAnswer, openFaultyWay } from './faulty-way.js'

let console_: TestConsole
let way: FaultyWay
const folders: string[] = []
const problems: ServerProblem[] = []
let lastAgent = 0

beforeAll(async () => {
  console_ = await startTestConsole()
  way = await openFaultyWay(() => console_.url)
})
afterAll(async () => {
  await way.close()
  await console_.stop()
})
afterEach(async () => {
  await way.change({ kind: 'fair' })
  problems.length = 0
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

interface Opened {
  readonly sink: ServerAuditSink
  readonly folder: string
  readonly agentId: string
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-spool-'))
  folders.push(folder)
  return folder
}

function openSink(
  options: Partial<ServerAuditSinkOptions> & { agentId?: string; apiKey?: string } = {},
): Opened {
  const { agentId = `agent-${++lastAgent}`, apiKey = console_.key, ...rest } = options
  const folder = rest.spoolFolder ?? newFolder()
  const client = new EdictumServerClient({ baseUrl: way.url, apiKey, agentId, timeoutMs: 5_000 })
  const sink = new ServerAuditSink(client, {
    flushIntervalMs: 20,
    onProblem: (problem) => problems.push(problem),
    ...rest,
    spoolFolder: folder,
  })
  return { sink, folder, agentId }
}

/** Call ids the console has of an agent, in the order it stored them. */
async function stored(agentId: string): Promise<readonly string[]> {
  const events: { id: string; call_id: string }[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const from: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { body } = await console_.ask(`/v1/events?agent_id=${agentId}&limit=1000${from}`)
    events.push(...body.events)
    cursor = body.next_cursor
  }
  return events.toSorted((one, other) => Number(one.id) - Number(other.id)).map(({ call_id }) => call_id)
}

const event = (callId: string, fields: Partial<AuditEvent> = {}): AuditEvent =>
  sampleAuditEvent({ callId, ...fields })
const callIds = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `c-${from + index}`)

describeAuditSink('ServerAuditSink', {
  describe,
  it,
  open: () => {
    const { sink, agentId } = openSink()
    return {
      sink,
      recorded: async () => {
        // Of a closed sink there is nothing left to flush.
        await sink.flush().catch(() => undefined)
        return stored(agentId)
      },
    }
  },
})

describe('ServerAuditSink', () => {
  it('sends by itself, after a while or when enough has come together', async () => {
    const { sink, agentId } = openSink({ flushIntervalMs: 30 })
    await sink.emit(event('c-0'))
    await expect.poll(() => stored(agentId)).toEqual(['c-0'])
    await sink.close()
    const patient = openSink({ flushIntervalMs: 3_600_000, batchSize: 5 })
    for (const id of callIds(5)) await patient.sink.emit(event(id))
    await expect.poll(() => stored(patient.agentId)).toEqual(callIds(5))
    await patient.sink.close()
  })

  it('keeps events in private files and leaves none behind when they are delivered', async () => {
    const { sink, folder } = openSink({ flushIntervalMs: 3_600_000 })
    await sink.emit(event('c-0'))
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
    await sink.close()
    expect(readdirSync(folder)).toEqual([])
  })

  it('keeps events while the server is away and sends them in order when it is back', async () => {
    const { sink, agentId } = openSink()
    await way.change({ kind: 'away' })
    for (const id of callIds(500)) await sink.emit(event(id))
    await expect(sink.flush()).rejects.toMatchObject({ code: 'unreachable' })
    expect(problems).toHaveLength(1)
    await way.change({ kind: 'fair' })
    for (const id of callIds(500, 500)) await sink.emit(event(id))
    await expect.poll(() => stored(agentId), { timeout: 20_000 }).toEqual(callIds(1_000))
    await sink.close()
  })

  it('stores an event once although its batch is sent again', async () => {
    const { sink, agentId } = openSink({ flushIntervalMs: 3_600_000 })
    for (const id of callIds(20)) await sink.emit(event(id))
    await way.change({ kind: 'cuts', answerBytes: 10 })
    await expect(sink.flush()).rejects.toThrow(EdictumServerError)
    expect(await stored(agentId)).toHaveLength(20)
    await way.change({ kind: 'fair' })
    await sink.close()
    expect(await stored(agentId)).toEqual(callIds(20))
  })

  it('stores two events that say the same as two', async () => {
    const { sink, agentId } = openSink()
    await sink.emit(event('same'))
    await sink.emit(event('same'))
    await sink.close()
    expect(await stored(agentId)).toEqual(['same', 'same'])
  })

  it('says at close what was not delivered, and a later process delivers it first', async () => {
    await way.change({ kind: 'away' })
    const { sink, folder, agentId } = openSink({ closeTimeoutMs: 100 })
    for (const id of callIds(3_000)) await sink.emit(event(id))
    await expect(sink.close()).rejects.toThrow(/bytes of audit events stay in the spool/)
    await expect(sink.emit(event('late'))).rejects.toMatchObject({ code: 'closed' })
    await way.change({ kind: 'fair' })
    const next = openSink({ spoolFolder: folder, agentId })
    await next.sink.emit(event('c-3000'))
    await next.sink.close()
    expect(await stored(agentId)).toEqual(callIds(3_001))
    expect(readdirSync(folder)).toEqual([])
  })

  it('leaves alone what a living process owns', async () => {
    const first = openSink({ flushIntervalMs: 3_600_000 })
    await first.sink.emit(event('c-0'))
    const second = openSink({ spoolFolder: first.folder })
    await second.sink.emit(event('c-1'))
    await second.sink.close()
    expect(await stored(second.agentId)).toEqual(['c-1'])
    await first.sink.close()
    expect(await stored(first.agentId)).toEqual(['c-0'])
  })

  it('is not stopped by half a line that a crash left behind', async () => {
    const folder = newFolder()
    const owner = '00000000-0000-4000-8000-000000000000'
    writeFileSync(join(folder, `${owner}.owner`), JSON.stringify({ pid: 999_999_999, host: 'elsewhere' }))
    rmSync(join(folder, `${owner}.owner`))
    const line = JSON.stringify({
      call_id: 'whole',
      tool_name: 'x',
      action: 'call_allowed',
      timestamp: '2026-03-01T12:00:00Z',
    })
    writeFileSync(join(folder, `000001700000000-000000-${owner}.jsonl`), `${line}\n${line.slice(0, 30)}`)
    const { sink, agentId } = openSink({ spoolFolder: folder })
    await sink.emit(event('c-0'))
    await sink.close()
    expect(await stored(agentId)).toEqual(['whole', 'c-0'])
    expect(readdirSync(folder)).toEqual([])
  })

  it('refuses calls before it loses events: a full spool denies, but running calls may end', async () => {
    await way.change({ kind: 'away' })
    const { sink, agentId } = openSink({ maxSpoolBytes: 20_000 })
    const guard = new Edictum({ auditSink: sink, limits: { maxToolCalls: 10_000, maxAttempts: 10_000 } })
    let runs = 0
    let denied: unknown
    const running = await guard.begin({ toolName: 'slow', args: {} })
    while (denied === undefined)
      await guard
        .run('count', { text: 'x'.repeat(200) }, () => ++runs)
        .catch((error: unknown) => {
          denied = error
        })
    expect(denied).toBeInstanceOf(EdictumDenied)
    expect((denied as Error).message).toMatch(/spool .* is full/)
    const ran = runs
    await expect(guard.run('count', {}, () => ++runs)).rejects.toThrow(EdictumDenied)
    expect(runs).toBe(ran)
    if (running.kind !== 'admitted') throw new Error('not admitted')
    await running.finish({ output: 'done' })
    await way.change({ kind: 'fair' })
    await sink.flush()
    expect(await guard.run('count', {}, () => 'again')).toBe('again')
    await sink.close()
    // Nothing that ran is missing: an admission and an end for each, the slow one included.
    expect(await stored(agentId)).toHaveLength(2 * (ran + 2))
  })

  it('sets aside what the server rejects, says so, and delivers the rest', async () => {
    const { sink, agentId, folder } = openSink({ flushIntervalMs: 3_600_000 })
    await sink.emit(event('c-0'))
    await sink.emit(event('c-1', { toolName: '' }))
    await sink.emit(event('c-2'))
    await sink.close()
    expect(await stored(agentId)).toEqual(['c-0', 'c-2'])
    expect(problems.map(({ message }) => message)).toEqual([
      'the server rejected an audit event: tool_name is missing',
    ])
    expect(readFileSync(join(folder, 'rejected.jsonl'), 'utf8')).toContain('c-1')
    const alone = openSink()
    await alone.sink.emit(event('c-3', { toolName: '' }))
    await alone.sink.close()
    expect(await stored(alone.agentId)).toEqual([])
    expect(readFileSync(join(alone.folder, 'rejected.jsonl'), 'utf8')).toContain('c-3')
  })

  it('says aloud that its key is refused, keeps the events, and asks at once for none of them again', async () => {
    const { id, key } = await console_.makeKey({ env: 'production', label: 'short-lived' })
    const { sink, agentId } = openSink({ apiKey: key })
    await console_.ask(`/api/v1/keys/${id}`, { method: 'DELETE', cookie: await console_.logIn() })
    await sink.emit(event('c-0'))
    await expect(sink.flush()).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(problems).toHaveLength(1)
    expect(String(problems[0]?.error)).not.toContain(key)
    await expect(sink.close()).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(await stored(agentId)).toEqual([])
  })

  for (const [name, text] of [
    ['too busy', httpAnswer(503, '{"detail":"x","code":"overloaded"}', { 'retry-after': '1' })],
    ['asks for patience', httpAnswer(429, '{"detail":"x","code":"rate-limited"}', { 'retry-after': '1' })],
    ['answers a page', httpAnswer(200, '<html>')],
    ['answers a receipt that does not add up', httpAnswer(200, '{"accepted":0,"duplicates":0}')],
  ] as const) {
    it(`keeps events when the server ${name}`, async () => {
      const { sink, agentId } = openSink()
      await way.change({ kind: 'answers', text })
      await sink.emit(event('c-0'))
      await expect(sink.flush()).rejects.toThrow(EdictumServerError)
      await way.change({ kind: 'fair' })
      await sink.close()
      expect(await stored(agentId)).toEqual(['c-0'])
    })
  }
})
