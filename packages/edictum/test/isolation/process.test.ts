import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isolateInProcess } from '../../src/drivers/isolation/process.js'
import { createFolder, isRunning, noteProcess, runCaller, seesProcesses, until, writeModule } from './kit.js'

describe('isolateInProcess', () => {
  const start = (source: string) => isolateInProcess({ module: writeModule(source) })

  it('survives a lack of memory that would take a thread and the whole process with it', async () => {
    const run = isolateInProcess({
      module: writeModule(
        `export default () => { const all = []; for (;;) all.push('x'.repeat(1e7 + all.length).split('')) }`,
      ),
      resourceLimits: { maxOldGenerationSizeMb: 32 },
    })
    await expect(run({})).rejects.toMatchObject({ code: 'out-of-memory' })
  })

  it('survives a tool that kills itself', async () => {
    await expect(
      start('export default () => process.kill(process.pid, "SIGSEGV")')({}),
    ).rejects.toMatchObject({
      code: 'ended',
      message: "the tool's process ended by SIGSEGV and did not answer",
    })
  })

  it('ends a tool that waits for a program', async () => {
    const controller = new AbortController()
    const run = start(
      'import { execSync } from "node:child_process"; export default () => execSync("sleep 60")',
    )
    const running = run({}, { signal: controller.signal })
    setTimeout(() => controller.abort(new Error('time is up')), 300)
    await expect(running).rejects.toThrow('time is up')
  })

  it.runIf(seesProcesses).each([
    ['returns', 'return', 'wait'],
    ['crashes', 'return new Promise(() => setTimeout(() => process.exit(9)))', 'wait'],
    ['is aborted', 'return new Promise(() => {})', 'abort'],
  ])('ends what the tool has started when it %s', async (_, end, then) => {
    const note = join(createFolder(), 'pid')
    const run = start(`
      import { spawn } from 'node:child_process'
      ${noteProcess(note)}
      export default () => {
        const stubborn = "trap '' TERM; while :; do sleep 1; done"
        noteProcess(spawn('sh', ['-c', stubborn], { stdio: 'ignore' }).pid)
        ${end}
      }`)
    const controller = new AbortController()
    const running = run({}, { signal: controller.signal }).catch(() => {})
    await until(() => existsSync(note))
    const pid = Number(readFileSync(note, 'utf8'))
    if (then === 'abort') controller.abort()
    await running
    await until(() => !isRunning(pid))
    expect(isRunning(pid)).toBe(false)
  })

  it.runIf(seesProcesses).each([
    ['exits', 'process.exit(0)', 'for (;;);'],
    [
      'is killed',
      'process.kill(process.pid, "SIGKILL")',
      'setInterval(() => {}, 1_000); return new Promise(() => {})',
    ],
  ])('does not outlive a caller who %s', async (_, end, body) => {
    const note = join(createFolder(), 'pid')
    const module = writeModule(`${noteProcess(note)}
      export default () => { noteProcess(process.pid); ${body} }`)
    await runCaller(`
      import { existsSync } from 'node:fs'
      isolation.isolateInProcess({ module: '${module.href}' })({}).catch(() => {})
      setInterval(() => { if (existsSync('${note}')) ${end} }, 10)`)
    const pid = Number(readFileSync(note, 'utf8'))
    await until(() => !isRunning(pid))
    expect(isRunning(pid)).toBe(false)
  })
})
