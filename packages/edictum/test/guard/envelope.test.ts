// What is judged is what runs: one frozen copy, made before anything else looks at the call.
import { describe, expect, it } from 'vitest'

import { createEnvelope, EdictumConfigError } from '../../src/index.js'
import { guardOf, pre } from './bundles.js'

const noSecrets = [pre('no-secrets', { 'args.path': { contains: 'secret' } })]

describe('the arguments of a call', () => {
  it('reach the tool as they were judged, whatever the caller changes meanwhile', async () => {
    const args = { path: 'fine', nested: { list: ['a'] } }
    const guard = guardOf(noSecrets, {
      hooks: [
        {
          phase: 'before',
          tool: '*',
          callback: async () => {
            args.path = 'secret'
            args.nested.list[0] = 'changed'
            return (await import('../../src/index.js')).HookDecision.allow()
          },
        },
      ],
    })
    expect(await guard.run('T', args, (given) => given)).toEqual({ path: 'fine', nested: { list: ['a'] } })
  })

  it('are frozen all the way down', async () => {
    const given = (await guardOf([]).run('T', { a: [{ b: 1 }] }, (args) => args)) as { a: [{ b: number }] }
    expect(Object.isFrozen(given) && Object.isFrozen(given.a) && Object.isFrozen(given.a[0])).toBe(true)
  })

  it('are read once: an accessor cannot answer differently to the contract and to the tool', async () => {
    let reads = 0
    const args = {
      get path() {
        return ++reads === 1 ? 'fine' : 'secret'
      },
    }
    expect(await guardOf(noSecrets).run('T', args, ({ path }) => path)).toBe('fine')
    expect(reads).toBe(1)
    const proxy = new Proxy({ path: 'secret' }, { get: () => 'fine' })
    await expect(guardOf(noSecrets).run('T', proxy, ({ path }) => path)).resolves.toBe('fine')
  })

  it('keep a key named __proto__ as data', async () => {
    const args = JSON.parse('{"__proto__":{"path":"secret"},"path":"fine"}') as Record<string, unknown>
    const given = (await guardOf(noSecrets).run('T', args, (frozen) => frozen)) as object
    expect(Object.getPrototypeOf(given)).toBe(Object.prototype)
    expect(Object.hasOwn(given, '__proto__')).toBe(true)
  })

  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  it.each([
    ['a cycle', cyclic],
    ['a function', { f: () => 1 }],
    ['a symbol', { s: Symbol('s') }],
    ['a map', { m: new Map() }],
    ['a promise', { p: Promise.resolve(1) }],
    [
      'an accessor that throws',
      Object.defineProperty({}, 'x', {
        enumerable: true,
        get: () => {
          throw new Error('no')
        },
      }),
    ],
    ['a list', []],
    ['nothing', null],
  ])('are refused when they hold %s', async (_, args) => {
    let ran = 0
    await expect(guardOf([]).run('T', args as never, () => ++ran)).rejects.toThrow(EdictumConfigError)
    expect(ran).toBe(0)
  })

  it('may hold dates, bytes, big integers and instances, which become plain fields', async () => {
    class Point {
      readonly x = 1
      get y() {
        return 2
      }
    }
    const given = await guardOf([]).run(
      'T',
      { date: new Date(5), bytes: new Uint8Array([1]), big: 10n, point: new Point() },
      (args) => args,
    )
    expect(given).toEqual({ date: new Date(5), bytes: new Uint8Array([1]), big: 10n, point: { x: 1 } })
  })
})

describe('createEnvelope', () => {
  it('fills in everything a contract may look at', () => {
    expect(createEnvelope('Bash', { command: 'ls' })).toMatchObject({
      toolName: 'Bash',
      bashCommand: 'ls',
      filePath: null,
      sideEffect: 'irreversible',
      environment: 'production',
      callIndex: 0,
      principal: null,
    })
    expect(createEnvelope('Read', { filePath: '/a' }).filePath).toBe('/a')
    expect(createEnvelope('bash', { command: 'ls' }).bashCommand).toBeNull()
  })

  it.each([
    '',
    'a/b',
    'a\\b',
    'a\u0000',
    'a\n',
    'a\u2028',
    ' a',
    'a ',
    '\ufeffa',
    'a\u200bb',
    'ｂａｓｈ',
    'x'.repeat(10_001),
  ])('refuses the name %j', (name) => {
    expect(() => createEnvelope(name, {})).toThrow(EdictumConfigError)
  })

  it.each([
    'Bash',
    'file.read',
    'google-search',
    'namespace:action',
    'with space',
    'constructor',
    'suche_nach_größe',
    '検索',
  ])('accepts the name %j', (name) => {
    expect(createEnvelope(name, {}).toolName).toBe(name)
  })
})

describe('cancelling', () => {
  it('stops a call that waits for a person, and nothing runs', async () => {
    const controller = new AbortController()
    const guard = guardOf([{ ...pre('ask', { 'args.x': { exists: true } }, { effect: 'approve' }) }], {
      approvalBackend: {
        requestApproval: async () => ({ approvalId: 'a' }),
        waitForDecision: async () => new Promise<never>(() => undefined),
      },
    })
    let ran = 0
    const call = guard.run('T', { x: 1 }, () => ++ran, { signal: controller.signal })
    setImmediate(() => controller.abort(new Error('enough')))
    await expect(call).rejects.toThrow('enough')
    expect(ran).toBe(0)
    await expect(guard.run('T', {}, () => ++ran, { signal: controller.signal })).rejects.toThrow('enough')
    expect(ran).toBe(0)
  })

  it('stops a call in observe mode too: it is not the contracts that say so', async () => {
    let ran = 0
    const guard = guardOf([], { mode: 'observe' })
    await expect(
      guard.run('T', {}, () => ++ran, { signal: AbortSignal.abort(new Error('enough')) }),
    ).rejects.toThrow('enough')
    expect(ran).toBe(0)
    expect(guard.localSink.last()).toMatchObject({ action: 'call_denied', decisionSource: 'cancelled' })
  })

  it('stops a call that is being recorded, and gives its slot back', async () => {
    const controller = new AbortController()
    const actions: string[] = []
    const guard = guardOf([], {
      limits: { maxToolCalls: 1 },
      auditSink: {
        emit: async ({ action }) => {
          actions.push(action)
          if (action === 'call_allowed') controller.abort(new Error('enough'))
        },
      },
    })
    let ran = 0
    const { signal } = controller
    await expect(guard.run('T', {}, () => ++ran, { signal })).rejects.toThrow('enough')
    expect(ran).toBe(0)
    expect(actions).toEqual(['call_allowed', 'call_denied'])
    await guard.run('T', {}, () => ++ran)
    expect(ran).toBe(1)
  })

  it('hands the signal to the tool', async () => {
    const { signal } = new AbortController()
    expect(await guardOf([]).run('T', {}, (_, context) => context.signal, { signal })).toBe(signal)
  })
})
