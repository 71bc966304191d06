import { getEventListeners } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { EdictumConfigError } from '../../src/contracts/config-error.js'
import { IsolationError } from '../../src/drivers/isolation/isolation-error.js'
import type { IsolationOptions } from '../../src/drivers/isolation/isolation-options.js'
import { isolateInProcess } from '../../src/drivers/isolation/process.js'
import { isolateInWorker } from '../../src/drivers/isolation/worker.js'
import { childrenOf, createFolder, endlessLoop, runCaller, seesProcesses, until, writeModule } from './kit.js'

describe.each([
  ['isolateInWorker', isolateInWorker],
  ['isolateInProcess', isolateInProcess],
])('%s', (_, isolate) => {
  const tool = (source: string, options: Partial<IsolationOptions> = {}) =>
    isolate({ module: writeModule(source), ...options })

  it('runs the tool elsewhere and hands back what it returns', async () => {
    const run = tool(`
      import { isMainThread } from 'node:worker_threads'
      export default async ({ a, b }) => ({ sum: a + b, here: isMainThread && process.pid })`)
    expect(await run({ a: 1, b: 2 })).toEqual({
      sum: 3,
      here: expect.not.toSatisfy((pid) => pid === process.pid),
    })
  })

  it('calls the export it is asked for', async () => {
    const run = tool('export const greet = ({ name }) => `hello ${name}`', { exportName: 'greet' })
    expect(await run({ name: 'fox' })).toBe('hello fox')
  })

  it('copies what structured cloning copies', async () => {
    const args = { at: new Date(0), seen: new Map([[1n, new Set(['a'])]]), bytes: new Uint8Array([1, 2]) }
    expect(await tool('export default (args) => args')(args)).toEqual(args)
  })

  it('cannot change the arguments of the caller', async () => {
    const args = Object.freeze({ list: [1] })
    expect(await tool('export default (args) => (args.list.push(2), args)')(args)).toEqual({ list: [1, 2] })
    expect(args).toEqual({ list: [1] })
  })

  it('remembers nothing from one call to the next', async () => {
    const run = tool('let count = 0; export default () => ++count')
    expect(await Promise.all([run({}), run({}), run({})])).toEqual([1, 1, 1])
  })

  it('throws what the tool throws', async () => {
    const run = tool(`export default () => {
      throw Object.assign(new RangeError('no such page'), { code: 'E_PAGE', retryable: false }) }`)
    await expect(run({})).rejects.toMatchObject({
      name: 'RangeError',
      message: 'no such page',
      code: 'E_PAGE',
      retryable: false,
      stack: expect.stringContaining('tool.mjs'),
    })
  })

  it.each([
    ["'text'", 'text'],
    ['undefined', 'undefined'],
    ['{ toString() { throw 1 } }', 'the tool threw something that cannot be described'],
    [
      'Object.defineProperty(new Error(), "message", { get() { throw 1 } })',
      'the tool threw something that cannot be described',
    ],
  ])('makes an error of a thrown %s', async (thrown, message) => {
    const failure = await tool(`export default () => { throw ${thrown} }`)({}).catch(
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(Error)
    expect(failure).toMatchObject({ message })
  })

  it('says when arguments or results cannot be copied', async () => {
    const run = tool('export default () => () => {}')
    await expect(run({ f: () => {} })).rejects.toMatchObject({
      code: 'not-cloneable',
      retryable: false,
      message: expect.stringMatching(/^the arguments cannot be copied: /),
    })
    await expect(run({})).rejects.toMatchObject({
      code: 'not-cloneable',
      retryable: false,
      message: expect.stringMatching(/^the result cannot be copied: /),
    })
  })

  it.each([
    ['a syntax error', 'export default () => {', 'SyntaxError'],
    ['an import that leads nowhere', "import './nowhere.mjs'", 'ERR_MODULE_NOT_FOUND'],
    ['no such export', 'export const other = 1', 'NO_SUCH_EXPORT'],
    ['an error while it loads', 'throw new TypeError("not today")', 'TypeError'],
  ])('says that a module with %s cannot be loaded, without naming a path', async (_what, source, reason) => {
    const failure = await tool(source)({}).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(IsolationError)
    expect(failure).toMatchObject({
      code: 'not-loaded',
      retryable: false,
      message: `the tool could not be loaded (${reason})`,
      cause: expect.any(Error),
    })
  })

  it('says that a tool has ended instead of answering', async () => {
    await expect(tool('export default () => process.exit(3)')({})).rejects.toMatchObject({
      code: 'ended',
      retryable: true,
      message: expect.stringMatching(/exit code 3 and did not answer$/),
    })
  })

  it.each([
    ['an error nobody catches', 'setTimeout(() => { throw new Error("too late") })'],
    ['a rejection nobody handles', 'Promise.reject(new Error("too late"))'],
  ])('says that a tool has crashed with %s', async (_what, source) => {
    const run = tool(`export default () => new Promise(() => { ${source} })`)
    await expect(run({})).rejects.toMatchObject({ code: 'ended', message: 'the tool crashed: too late' })
  })

  it('ends a tool that needs too much memory', async () => {
    const run = tool('export default () => { const all = []; for (;;) all.push({ n: all.length }) }', {
      resourceLimits: { maxOldGenerationSizeMb: 32 },
    })
    await expect(run({})).rejects.toMatchObject({ code: 'out-of-memory', retryable: true })
  })

  it('lets a tool have the memory it was given', async () => {
    const run = tool('export default () => new Array(6e6).fill(0.5).length', {
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    })
    expect(await run({})).toBe(6e6)
  })

  it('keeps what a tool prints from everyone', async () => {
    const module = writeModule(`export default () => { console.log('noise'); console.error('noise');
      process.stdout.write('noise'); process.stderr.write('noise'); return 'answer' }`)
    const { code, printed } = await runCaller(
      `console.log(await isolation.${isolate.name}({ module: '${module.href}' })({}))`,
    )
    expect({ code, printed }).toEqual({ code: 0, printed: 'answer\n' })
  })

  it('gives the tool no variable that it was not given', async () => {
    vi.stubEnv('EDICTUM_TEST_KEY', 'obviously-' + 'fake')
    vi.stubEnv('NODE_OPTIONS', '--no-warnings')
    onTestFinished(() => void vi.unstubAllEnvs())
    const run = tool('export default () => ({ ...process.env })', { env: { REGION: 'north' } })
    const env = (await run({})) as Record<string, string>
    expect(env).toMatchObject({ REGION: 'north', PATH: process.env['PATH'] })
    expect(Object.keys(env)).not.toContain('EDICTUM_TEST_KEY')
    expect(Object.keys(env)).not.toContain('NODE_OPTIONS')
    expect(Object.keys(env)).not.toContain('HOME')
  })

  it('starts Node.js with the options it was given', async () => {
    const preload = writeModule('globalThis.preloaded = true')
    const run = tool('export default () => globalThis.preloaded', { execArgv: ['--import', preload.href] })
    expect(await run({})).toBe(true)
  })

  it.each([
    [{ module: './tool.mjs' }, /file: URL or an absolute path/],
    [{ module: 'some-package' }, /file: URL or an absolute path/],
    [{ module: new URL('data:text/javascript,export default 1') }, /file: URL or an absolute path/],
    [{ module: '/no/such/tool.mjs' }, /module does not exist/],
    [{ graceMs: -1 }, /graceMs/],
    [{ graceMs: Number.NaN }, /graceMs/],
    [{ resourceLimits: { maxOldGenerationSizeMb: 0 } }, /maxOldGenerationSizeMb/],
  ])('refuses %o', (options, message) => {
    expect(() => tool('', options)).toThrow(EdictumConfigError)
    expect(() => tool('', options)).toThrow(message)
  })

  describe('when the caller gives up', () => {
    const reason = new Error('time is up')

    it('ends an endless loop', async () => {
      const controller = new AbortController()
      const running = tool(endlessLoop)({}, { signal: controller.signal })
      setTimeout(() => controller.abort(reason), 300)
      await expect(running).rejects.toBe(reason)
    })

    it('ends it while the module is still being loaded', async () => {
      const controller = new AbortController()
      const running = tool('for (;;);')({}, { signal: controller.signal })
      setTimeout(() => controller.abort(reason), 300)
      await expect(running).rejects.toBe(reason)
    })

    it('starts nothing when that was before the call', async () => {
      const marker = join(createFolder(), 'ran')
      const run = tool(`import { writeFileSync } from 'node:fs'
        export default () => writeFileSync(${JSON.stringify(marker)}, '')`)
      await expect(run({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
      expect(existsSync(marker)).toBe(false)
    })

    it('lets the tool stop by itself, and takes no late answer', async () => {
      const folder = createFolder()
      const run = tool(
        `import { writeFileSync } from 'node:fs'
         import { join } from 'node:path'
         export default ({ folder }, { signal }) => new Promise((resolve) => {
           writeFileSync(join(folder, 'started'), '')
           signal.addEventListener('abort', () => {
             writeFileSync(join(folder, 'tidied'), signal.reason.message)
             resolve('late')
           })
         })`,
        { graceMs: 10_000 },
      )
      const controller = new AbortController()
      const running = run({ folder }, { signal: controller.signal })
      await until(() => existsSync(join(folder, 'started')))
      controller.abort(reason)
      await expect(running).rejects.toBe(reason)
      expect(readFileSync(join(folder, 'tidied'), 'utf8')).toBe('the call was aborted')
    })

    it('waits for a tool that will not stop no longer than the grace it has', async () => {
      const folder = createFolder()
      const run = tool(
        `import { writeFileSync } from 'node:fs'
         export default ({ folder }) => new Promise(() => {
           writeFileSync(folder + '/started', '')
           setInterval(() => writeFileSync(folder + '/alive', String(Date.now())), 5)
         })`,
        { graceMs: 0 },
      )
      const controller = new AbortController()
      const running = run({ folder }, { signal: controller.signal })
      await until(() => existsSync(join(folder, 'alive')))
      controller.abort(reason)
      await expect(running).rejects.toBe(reason)
      // It settles when the tool is gone, so from here on nothing is written.
      rmSync(join(folder, 'alive'))
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(existsSync(join(folder, 'alive'))).toBe(false)
    })
  })

  it('leaves nothing behind, however the calls end', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const sources = [
      'export default () => 1',
      'export default () => { throw 1 }',
      'export default () => process.exit(1)',
    ]
    const before = {
      children: seesProcesses ? childrenOf(process.pid) : [],
      listeners: process.listenerCount('exit'),
      resources: process.getActiveResourcesInfo().length,
    }
    const calls = [...sources, ...sources].map((source) => tool(source)({}, { signal }))
    const endless = tool(endlessLoop)({}, { signal })
    await Promise.allSettled(calls)
    controller.abort()
    await Promise.allSettled([endless])
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(process.listenerCount('exit')).toBe(before.listeners)
    if (seesProcesses) expect(childrenOf(process.pid)).toEqual(before.children)
    await until(() => process.getActiveResourcesInfo().length <= before.resources)
  })
})
