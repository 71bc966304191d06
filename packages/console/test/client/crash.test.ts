// The console is killed while agents work: nothing acknowledged is lost, no limit is exceeded, and agents go on.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { Edictum, EdictumDenied } from 'edictum'
import { EdictumServerClient, ServerAuditSink, ServerBackend } from 'edictum/server'
import { openFaultyWay } from './faulty-way.js'

const program = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'edictum-crash-'))
let child: ChildProcess | undefined

afterEach(() => {
  child?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

function start(): Promise<{ readonly url: string; readonly key: string }> {
  const started = spawn(process.execPath, [program, '--port', '0', '--data', join(folder, 'data')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child = started
  return new Promise((resolve, reject) => {
    let output = ''
    started.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const url = /listens on (\S+)/.exec(output)?.[1]
      if (url !== undefined) resolve({ url, key: /edk_\S+/.exec(output)?.[0] ?? '' })
    })
    started.once('exit', (code) => reject(new Error(`ended with ${code}: ${output}`)))
  })
}

describe('an agent whose console is killed', () => {
  it('runs as many calls as the limit says, and has every one of them on record', async () => {
    let running = await start()
    const { key } = running
    const way = await openFaultyWay(() => running.url)
    const client = new EdictumServerClient({ baseUrl: way.url, apiKey: key, agentId: 'survivor' })
    const backend = new ServerBackend(client, { timeoutMs: 1_000 })
    const sink = new ServerAuditSink(client, {
      spoolFolder: join(folder, 'spool'),
      flushIntervalMs: 10,
      closeTimeoutMs: 30_000,
      onProblem: () => undefined,
    })
    const limit = 60
    const limits = { maxToolCalls: limit, maxAttempts: 100_000 }
    const guard = new Edictum({ backend, auditSink: sink, limits, portTimeoutMs: 2_000 })
    let ran = 0
    let isOver = false
    const worker = async (): Promise<void> => {
      while (!isOver) {
        try {
          await guard.run(
            'work',
            {},
            async () => {
              ran++
              await new Promise((resolve) => setTimeout(resolve, 20))
            },
            { sessionId: 'under-fire' },
          )
        } catch (error) {
          if (!(error instanceof EdictumDenied)) throw error
          if (error.decisionSource !== 'storage_error') return
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      }
    }
    const workers = Array.from({ length: 4 }, () => worker())
    for (const after of [10, 25]) {
      await expect.poll(() => ran, { timeout: 30_000 }).toBeGreaterThan(after)
      child?.removeAllListeners('exit')
      child?.kill('SIGKILL')
      running = await start()
    }
    setTimeout(() => (isOver = true), 60_000).unref()
    await Promise.all(workers)
    await backend.close()
    await sink.close()
    await way.close()
    expect(ran).toBeLessThanOrEqual(limit)
    const headers = { Authorization: `Bearer ${key}` }
    const counter = await fetch(`${running.url}/v1/sessions/s%3Aunder-fire%3Aexecs`, { headers })
    expect(await counter.json()).toEqual({ value: String(ran) })
    const answer = await fetch(`${running.url}/v1/events?agent_id=survivor&limit=1000`, { headers })
    const { events } = (await answer.json()) as { events: { action: string }[] }
    expect(events.filter(({ action }) => action === 'call_executed')).toHaveLength(ran)
  })
})
