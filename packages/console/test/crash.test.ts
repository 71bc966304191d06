// The program as users start it: how fast it is ready, and what is left of what it has acknowledged when it is killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'

const program = fileURLToPath(new URL('../bin/edictum-console.js', import.meta.url))
const folders: string[] = []
const children: ChildProcess[] = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

interface Started {
  readonly url: string
  readonly key: string
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-console-'))
  folders.push(folder)
  return folder
}

function start(folder: string): Promise<Started> {
  const child = spawn(process.execPath, [program, '--port', '0', '--data', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const url = /listens on (\S+)/.exec(output)?.[1]
      if (url !== undefined) resolve({ url, key: /edk_\S+/.exec(output)?.[0] ?? '', child, ended })
    })
    void ended.then((code) => reject(new Error(`ended with ${code}: ${output}`)))
  })
}

function runEmpty(): Promise<unknown> {
  const child = spawn(process.execPath, ['--eval', '0'], { stdio: 'ignore' })
  return new Promise((resolve) => child.once('exit', resolve))
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

describe('the program', () => {
  it('says how to get in, and stops when it is told to', async () => {
    const { key, child, ended } = await start(newFolder())
    expect(key).toMatch(/^edk_production_/)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  it('is ready within two seconds, or on a busy machine within as many starts of an empty program', async () => {
    // An empty program takes 80 ms where nothing else runs.
    const emptyStartsInTwoSeconds = 25
    const starts: number[] = []
    const emptyStarts: number[] = []
    for (let times = 0; times < 3; times++) {
      emptyStarts.push(await timed(() => runEmpty()))
      starts.push(
        await timed(async () => {
          const { url, child } = await start(newFolder())
          expect((await fetch(`${url}/api/v1/health/ready`)).status).toBe(200)
          child.kill('SIGKILL')
        }),
      )
    }
    const allowed = Math.max(2_000, Math.min(...emptyStarts) * emptyStartsInTwoSeconds)
    expect(Math.min(...starts)).toBeLessThan(allowed)
  })

  it('has lost nothing it acknowledged when it is killed under load', async () => {
    const folder = newFolder()
    const first = await start(folder)
    const headers = { Authorization: `Bearer ${first.key}`, 'Content-Type': 'application/json' }
    const acknowledged: string[] = []
    let counted = 0
    let reserved = 0
    const reservation = { sessionId: 'held', toolName: 'x', slot: 'take', limits: {}, leaseSeconds: 600 }
    const post = async (path: string, body: object) => {
      const response = await fetch(first.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      if (!response.ok) throw new Error(String(response.status))
      return response.json()
    }
    const reporter = async (worker: number) => {
      for (let batch = 0; ; batch++) {
        const ids = Array.from({ length: 20 }, (_, index) => `${worker}-${batch}-${index}`)
        const events = ids.map((id) => ({
          call_id: id,
          tool_name: 'x',
          action: 'call_allowed',
          timestamp: '2026-03-01T12:00:00Z',
        }))
        await post('/v1/events', { events })
        acknowledged.push(...ids)
        await post('/v1/sessions/killed/increment', { amount: 1 })
        counted++
        await post('/api/edictum/v1/sessions/reserve', { ...reservation, attempt: 'count' })
        reserved++
      }
    }
    const workers = Array.from({ length: 8 }, (_, worker) => reporter(worker).catch(() => undefined))
    await expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(2_000)
    first.child.kill('SIGKILL')
    await Promise.all(workers)

    const second = await start(folder)
    const stored = new Set<string>()
    let cursor: string | null = ''
    while (cursor !== null) {
      const from: string = cursor === '' ? '' : `&cursor=${cursor}`
      const response = await fetch(`${second.url}/v1/events?limit=1000${from}`, { headers })
      const page = (await response.json()) as { events: { call_id: string }[]; next_cursor: string | null }
      for (const { call_id } of page.events) stored.add(call_id)
      cursor = page.next_cursor
    }
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
    const response = await fetch(`${second.url}/v1/sessions/killed`, { headers })
    const { value } = (await response.json()) as { value: string }
    // At most one request per worker was under way.
    expect(Number(value)).toBeGreaterThanOrEqual(counted)
    expect(Number(value)).toBeLessThanOrEqual(counted + 8)
    // Slots that were taken are still held, and the attempts they were taken for are counted.
    const again = await fetch(`${second.url}/api/edictum/v1/sessions/reserve`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...reservation, attempt: 'counted', slot: 'leave' }),
    })
    const { counters } = (await again.json()) as { counters: { attempts: number; executions: number } }
    for (const held of [counters.attempts, counters.executions]) {
      expect(held).toBeGreaterThanOrEqual(reserved)
      expect(held).toBeLessThanOrEqual(reserved + 8)
    }
  })
})
