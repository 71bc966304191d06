// The runtime with real artifact stores and really isolated tools.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { createArtifactReader, FileArtifactStore, MemoryArtifactStore } from '../../src/artifacts.js'
import { isolateInProcess, isolateInWorker } from '../../src/isolation.js'
import {
  outcomeToModelContent,
  type RuntimeClock,
  type ToolArtifactReference,
  type ToolExecutionResult,
} from '../../src/runtime/index.js'
import { endlessLoop, writeModule } from '../isolation/kit.js'
import { call, countersOf, sceneOf } from './runtimes.js'

const realClock: RuntimeClock = {
  now: () => performance.now(),
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
}

describe('an oversized output', () => {
  it('is read back to its end in pages, none of which is a reference again', async () => {
    const artifacts = new MemoryArtifactStore()
    const text = Array.from({ length: 4_000 }, (_, line) => `${line} "quoted" 😀 line\n`).join('')
    const reader = createArtifactReader(artifacts)
    const scene = sceneOf({ dump: { execute: () => text }, read_file: reader }, { runtime: { artifacts } })
    const [stored] = (await scene.turn.run([call('dump')])) as [ToolArtifactReference]
    expect(stored.kind).toBe('artifact')
    expect(outcomeToModelContent(stored)).toContain(`artifact://${stored.artifactId}`)
    expect(stored.sizeBytes).toBeGreaterThan(100_000)
    let read = ''
    for (let offset: number | null = 0; offset !== null;) {
      const path = `artifact://${stored.artifactId}`
      const [page] = (await scene.turn.run([call('read_file', { path, offset })])) as [ToolExecutionResult]
      expect(page.kind).toBe('executed')
      expect(page.output['truncated']).toBe(undefined)
      read += String(page.output['text'])
      offset = page.output['next_offset'] as number | null
    }
    expect(JSON.parse(read)).toEqual({ result: text })
  })

  it('does not exist for another session', async () => {
    const artifacts = new MemoryArtifactStore()
    const tools = { dump: { execute: () => 'x'.repeat(20_000) }, read_file: createArtifactReader(artifacts) }
    const scene = sceneOf(tools, { runtime: { artifacts } })
    const [stored] = (await scene.turn.run([call('dump')])) as [ToolArtifactReference]
    const other = scene.runtime.startTurn({ sessionId: 'other' })
    const [foreign, unknown] = await other.run([
      call('read_file', { path: `artifact://${stored.artifactId}` }),
      call('read_file', { path: `artifact://art_${'0'.repeat(stored.artifactId.length - 4)}` }),
    ])
    expect([foreign, unknown]).toMatchObject([{ kind: 'failure' }, { kind: 'failure' }])
    const told = [foreign, unknown].map((outcome) => outcome?.kind === 'failure' && outcome.error)
    expect(String(told[0]).replaceAll(/art_\w+/g, '')).toBe(String(told[1]).replaceAll(/art_\w+/g, ''))
  })

  it('is on disk for its owner only, and without secrets; a call that timed out leaves nothing there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'edictum-runtime-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const base = join(folder, 'artifacts')
    const artifacts = new FileArtifactStore(base)
    const secret = ['sk', 'a1b2c3d4e5f6g7h8i9j0k1l2m3'].join('-')
    const late = new Promise((resolve) => setTimeout(() => resolve('x'.repeat(20_000)), 60))
    const scene = sceneOf(
      {
        dump: { execute: () => ({ password: 'hunter2-secret', text: `${'x'.repeat(15_000)} ${secret}` }) },
        slow: { timeoutS: 0.02, execute: async () => late },
      },
      { runtime: { artifacts, clock: realClock } },
    )
    const outcomes = await scene.turn.run([call('slow'), call('dump')])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['timeout', 'artifact'])
    await late
    const files = readdirSync(base, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )
    const paths = files.map((entry) => join(entry.parentPath, entry.name))
    const contents = paths.map((path) => readFileSync(path, 'utf8'))
    expect(contents.filter((text) => text.includes('xxxx'))).toHaveLength(1)
    for (const text of contents) expect(text).not.toMatch(/hunter2-secret|a1b2c3d4/)
    for (const path of paths) expect(statSync(path).mode & 0o077).toBe(0)
  })
})

describe('a tool in an endless loop', () => {
  it.each([
    ['a thread', isolateInWorker],
    ['a process', isolateInProcess],
  ])('under isolation in %s is ended at its deadline, while the process goes on', async (_, isolate) => {
    const loop = isolate({ module: writeModule(endlessLoop) })
    let beats = 0
    const heart = setInterval(() => beats++, 5)
    onTestFinished(() => clearInterval(heart))
    const scene = sceneOf(
      { loop: { sideEffect: 'write', timeoutS: 0.3, execute: (args, context) => loop(args, context) } },
      { runtime: { clock: realClock } },
    )
    expect(await scene.turn.run([call('loop')])).toMatchObject([{ kind: 'timeout', retryable: true }])
    expect(beats).toBeGreaterThan(5)
    expect(await countersOf(scene.guard, 'loop')).toMatchObject({ executions: 1, failuresInARow: 1 })
    // Its end is on record once it has really ended.
    await expect
      .poll(() => scene.guard.localSink.last()?.action, { timeout: 10_000 })
      .toBe('late_result_discarded')
  })
})
