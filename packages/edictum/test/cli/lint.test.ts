import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { constancyOf } from '../../src/policy/condition-logic.js'
import { Edictum, lintBundle, loadBundleString, type PreContract } from '../../src/index.js'
import { bundleOf, CliFolder, demoBundle } from './cli-kit.js'

const folder = new CliFolder()

beforeAll(() => {
  folder.write('contracts.yaml', demoBundle)
  folder.write('log.jsonl', '{"action":"call_allowed","tool_name":"read_file"}\n')
})
afterAll(() => folder.remove())

function pre(fields: { id?: string; tool?: string; when: string; effect?: string; mode?: string }): string {
  const { id = 'a', tool = 'read_file', when, effect = 'deny', mode = 'enforce' } = fields
  return `  - { id: ${id}, type: pre, tool: '${tool}', mode: ${mode}, when: ${when}, then: { effect: ${effect}, message: No. } }\n`
}

function codes(contracts: string, toolNames: readonly string[] = []) {
  return lintBundle(loadBundleString(bundleOf(contracts)).bundle, { toolNames }).map(
    ({ contractId, code }) => `${contractId} ${code}`,
  )
}

describe('lintBundle', () => {
  it.each([
    '{ all: [{ args.n: { gt: 10 } }, { args.n: { lt: 5 } }] }',
    '{ all: [{ args.n: { gte: 5 } }, { args.n: { lt: 5 } }] }',
    '{ all: [{ args.a: { equals: x } }, { args.a: { in: [y, z] } }] }',
    '{ all: [{ args.a: { exists: false } }, { args.a: { contains: x } }] }',
    '{ all: [{ args.a: { equals: x } }, { not: { args.a: { in: [x, y] } } }] }',
    '{ principal.rol: { equals: admin } }',
    '{ args: { exists: true } }',
    '{ tool.name: { exists: false } }',
    '{ any: [{ args.a: { equals: null } }, { principal.x: { exists: true } }] }',
  ])('finds that %s never holds', (when) => {
    expect(codes(pre({ when }))).toEqual(['a never-fires'])
  })

  it.each([
    '{ all: [{ args.n: { gt: 5 } }, { args.n: { lt: 10 } }] }',
    '{ all: [{ args.n: { gte: 5 } }, { args.n: { lte: 5 } }] }',
    '{ all: [{ args.a: { equals: x } }, { args.b: { equals: y } }] }',
    '{ principal.claims.team: { equals: x } }',
    '{ paths: { within: [/etc] } }',
    '{ billing.plan: { equals: free } }',
  ])('has nothing against %s', (when) => {
    expect(codes(pre({ when }))).toEqual([])
  })

  it('finds contracts that deny everything, and lets those be that ask or observe', () => {
    const when = '{ tool.name: { exists: true } }'
    expect(codes(pre({ when }))).toEqual(['a denies-everything'])
    expect(codes(pre({ when: '{ not: { principal.x: { exists: true } } }' }))).toEqual([
      'a denies-everything',
    ])
    expect(codes(pre({ when, effect: 'approve' }))).toEqual([])
    expect(codes(pre({ when, mode: 'observe' }))).toEqual([])
  })

  it.each([
    ['{ args.p: { contains: .env } }', '{ args.p: { contains: .env.local } }', true],
    ['{ args.p: { contains: .env.local } }', '{ args.p: { contains: .env } }', false],
    ['{ args.n: { gt: 5 } }', '{ all: [{ args.n: { gte: 6 } }, { args.m: { exists: true } }] }', true],
    ['{ args.n: { gt: 5 } }', '{ args.n: { gte: 5 } }', false],
    ['{ any: [{ args.a: { equals: x } }, { args.b: { equals: y } }] }', '{ args.b: { equals: y } }', true],
    ['{ all: [{ args.a: { equals: x } }, { args.b: { equals: y } }] }', '{ args.b: { equals: y } }', false],
    ['{ args.a: { in: [x, y, z] } }', '{ args.a: { in: [x, z] } }', true],
    ['{ args.p: { starts_with: /etc } }', '{ args.p: { starts_with: /etc/ssh } }', true],
  ])('knows whether %s leaves anything to %s', (wide, narrow, isShadowed) => {
    const both = pre({ id: 'wide', when: wide }) + pre({ id: 'narrow', when: narrow })
    expect(codes(both)).toEqual(isShadowed ? ['narrow shadowed'] : [])
  })

  it('minds the order, the tools, the effects and the modes', () => {
    const [wide, narrow] = ['{ args.p: { contains: a } }', '{ args.p: { contains: ab } }']
    const first = (fields: object) => pre({ id: 'one', when: wide, ...fields })
    const second = (fields: object) => pre({ id: 'two', when: narrow, ...fields })
    expect(codes(second({}) + first({}))).toEqual([])
    expect(codes(second({ effect: 'approve' }) + first({}))).toEqual(['two shadowed'])
    expect(codes(first({ effect: 'approve' }) + second({}))).toEqual([])
    expect(codes(first({ mode: 'observe' }) + second({}))).toEqual([])
    expect(codes(first({ tool: 'read_*' }) + second({}))).toEqual(['two shadowed'])
    expect(codes(first({}) + second({ tool: 'read_*' }))).toEqual([])
  })

  it('finds limits that are never reached', () => {
    const session = (id: string, limits: string) =>
      `  - { id: ${id}, type: session, limits: ${limits}, then: { effect: deny, message: No. } }\n`
    expect(codes(session('a', '{ max_tool_calls: 9 }') + session('b', '{ max_tool_calls: 10 }'))).toEqual([
      'b shadowed',
    ])
  })

  it('compares names of tools with those that are called', () => {
    const when = '{ args.a: { exists: true } }'
    expect(codes(pre({ tool: 'raed_file', when }), ['read_file'])).toEqual(['a misspelt-tool'])
    expect(codes(pre({ tool: 'deploy', when }), ['read_file'])).toEqual(['a unseen-tool'])
    expect(codes(pre({ tool: 'read_*', when }), ['read_file'])).toEqual([])
    expect(codes(pre({ tool: 'raed_file', when }))).toEqual([])
    expect(codes(pre({ tool: 'read/file', when }))).toEqual(['a never-fires'])
  })

  it('says never and always only of what no call contradicts', () => {
    const test = fc.oneof(
      fc.record({ gt: fc.integer({ min: 0, max: 3 }) }),
      fc.record({ lte: fc.integer({ min: 0, max: 3 }) }),
      fc.record({ equals: fc.integer({ min: 0, max: 3 }) }),
      fc.record({ in: fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1 }) }),
      fc.record({ exists: fc.boolean() }),
    )
    const leaf = fc.tuple(fc.constantFrom('args.a', 'args.b', 'tool.name', 'principal.x'), test)
    const condition = fc.letrec((tie) => ({
      leaf: leaf.map(([selector, one]) => ({
        [selector]: selector.startsWith('args') ? one : { exists: true },
      })),
      any: fc.record({ any: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
      all: fc.record({ all: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
      not: fc.record({ not: tie('node') }),
      node: fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('any'), tie('all'), tie('not')),
    })).node
    // Numbers only: what cannot be decided fires whatever the condition says.
    const number = fc.integer({ min: -1, max: 4 })
    const args = fc.record({ a: number, b: number }, { requiredKeys: [] })
    fc.assert(
      fc.property(condition, fc.array(args, { minLength: 5 }), (when, calls) => {
        const contract = { id: 'c', type: 'pre', tool: 't', when, then: { effect: 'deny', message: 'm' } }
        const yaml = bundleOf(`  - ${JSON.stringify(contract)}\n`)
        const constancy = constancyOf((loadBundleString(yaml).bundle.contracts[0] as PreContract).when)
        const guard = Edictum.fromYamlString(yaml)
        const verdicts = new Set(calls.map((one) => guard.evaluate('t', one).verdict))
        if (constancy === 'never') expect([...verdicts]).toEqual(['allow'])
        if (constancy === 'always') expect([...verdicts]).toEqual(['deny'])
      }),
      { numRuns: 500 },
    )
  })
})

describe('edictum lint', () => {
  it('ends with 0 when there is nothing to complain about', async () => {
    expect(await folder.run('lint', 'contracts.yaml')).toEqual({
      code: 0,
      answer: 'nothing to complain about',
      complaints: '',
    })
  })

  it('names file and line, and ends with 1', async () => {
    folder.write('odd.yaml', bundleOf(pre({ when: '{ principal.rol: { equals: x } }' })))
    const { code, answer } = await folder.run('lint', 'contracts.yaml', 'odd.yaml')
    expect(code).toBe(1)
    expect(answer).toBe('odd.yaml:6: a [never-fires]\n  the condition can never hold\n\n1 finding')
  })

  it('reads the names of tools from a log', async () => {
    const { code, answer } = await folder.json('lint', 'contracts.yaml', '--log', 'log.jsonl')
    expect(code).toBe(1)
    const { findings } = answer as { findings: { contract_id: string; code: string }[] }
    expect(findings.map(({ contract_id, code: found }) => `${contract_id} ${found}`)).toContain(
      'two-refunds unseen-tool',
    )
    expect(findings.some(({ contract_id }) => contract_id === 'block-dotenv')).toBe(false)
  })

  it('needs files that load', async () => {
    expect((await folder.run('lint')).code).toBe(2)
    expect((await folder.run('lint', 'nowhere.yaml')).code).toBe(1)
    expect((await folder.run('lint', 'log.jsonl')).code).toBe(1)
  })
})
