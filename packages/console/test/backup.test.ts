// A copy made while the console runs is a console of its own.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestConsole, type TestConsole } from './test-console.js'

const program = fileURLToPath(new URL('../bin/edictum-console.js', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'edictum-backups-'))

/** The command in a process of its own, as users start it. */
function run(
  parameters: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [program, ...parameters], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

describe('a backup', () => {
  let console: TestConsole
  beforeAll(async () => {
    console = await startTestConsole()
  })
  afterAll(async () => {
    await console.stop()
    rmSync(place, { recursive: true, force: true })
  })

  const count = (from: TestConsole, key: string) =>
    from.ask('/api/v1/sessions/calls/increment', { key, body: { amount: 1 } })

  it('made while others write has everything that was acknowledged before, and is started like any data folder', async () => {
    for (let calls = 1; calls <= 50; calls++)
      expect((await count(console, console.key)).body.value).toBe(calls)
    let isDone = false
    const writing = (async () => {
      while (!isDone) expect((await count(console, console.key)).status).toBe(200)
    })()
    const target = join(place, 'copy')
    const { code, output } = await run(['backup', target, '--data', console.folder])
    isDone = true
    await writing
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining(target) as string })
    expect(statSync(target).mode & 0o777).toBe(0o700)
    expect(statSync(join(target, 'secrets.json')).mode & 0o777).toBe(0o600)

    const restored = await startTestConsole({ dataFolder: target })
    try {
      // The key of the first console opens it: the secret came along.
      const { status, body } = await count(restored, console.key)
      expect(status).toBe(200)
      expect(body.value).toBeGreaterThan(50)
    } finally {
      await restored.stop()
    }
    // The first one goes on as if nothing had been.
    expect((await count(console, console.key)).status).toBe(200)
  })

  it.each([
    ['without a folder to make', ['backup'], /needs a folder/],
    ['into a folder that is there', ['backup', place], /is there already/],
    ['of a folder without a database', ['backup', join(place, 'x'), '--data', place], /there is no /],
    [
      'of a console on PostgreSQL',
      ['backup', join(place, 'x'), '--database-url', 'postgres://db.internal/console'],
      /pg_dump/,
    ],
  ])('is refused %s, and nothing is made', async (_, parameters, reason) => {
    mkdirSync(place, { recursive: true })
    const { code, output } = await run(parameters)
    expect(code).toBe(1)
    expect(output).toMatch(reason)
    expect(existsSync(join(place, 'x'))).toBe(false)
  })
})
