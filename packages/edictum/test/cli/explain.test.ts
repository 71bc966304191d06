import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findNearestCall } from '../../src/guard/nearest-call.js'
import { Edictum } from '../../src/index.js'
import { bundleOf, CliFolder, demoBundle } from './cli-kit.js'

const folder = new CliFolder()

beforeAll(() => folder.write('contracts.yaml', demoBundle))
afterAll(() => folder.remove())

async function explain(tool: string, args: string, ...more: readonly string[]) {
  return folder.run('explain', 'contracts.yaml', '--tool', tool, '--args', args, ...more)
}

describe('edictum explain', () => {
  it('shows every contract, leaf and value, and a change that was tried', async () => {
    const { code, answer } = await explain('refund', '{"amount":900}', '--principal-role', 'support')
    expect(code).toBe(1)
    expect(answer.split('\n')).toEqual([
      'DENIED by contract large-refunds-need-a-lead',
      '  A refund of 900 needs a support lead. Escalate the ticket instead of retrying.',
      '',
      '✗ large-refunds-need-a-lead (precondition, deny): fires',
      '    all: true',
      '      args.amount gt 500: true; it is 900',
      '      principal.role not_in ["support_lead","finance"]: true; it is "support"',
      '',
      '✗ refunds-need-a-person (precondition, approve): fires',
      '    args.amount gt 50: true; it is 900',
      '',
      'Smallest change that would turn it:',
      '  args.amount: 900 → 50, so that gt 50 is false',
      `  tried: --args '{"amount":50}'`,
    ])
  })

  it('shows for an allowed call what would have it denied', async () => {
    const { code, answer } = await explain('read_file', '{"path":"README.md"}')
    expect(code).toBe(0)
    expect(answer).toContain('args.path contains ".env": false; it is "README.md"')
    expect(answer).toContain('args.path: "README.md" → ".env", so that contains ".env" is true')
  })

  it('shows the bounds of a sandbox, which no single value turns', async () => {
    const { answer } = await explain('shell', '{"command":"rm -rf /"}')
    expect(answer).toContain('    paths within: /workspace\n    commands: ls, cat, git')
    expect(answer).toContain('keep to what stay-in-the-workspace allows')
  })

  it('shows what could not be decided, and why', async () => {
    const { answer } = await explain('refund', '{"amount":"a lot"}')
    expect(answer).toContain('could not be decided: `gt` needs a number')
    expect(answer).toContain('args.amount gt 500: undecidable, counts as true; it is "a lot"')
    expect(answer).toContain('principal.role not_in ["support_lead","finance"]: not looked at')
  })

  it('masks secrets, and fits 80 columns', async () => {
    folder.write(
      'secrets.yaml',
      bundleOf(`
  - id: no-tokens
    type: pre
    tool: post
    when: { args.token: { exists: true } }
    then: { effect: deny, message: No tokens. }
`),
    )
    const args = JSON.stringify({ token: 'hunter' + '2'.repeat(100) })
    const { answer } = await folder.run('explain', 'secrets.yaml', '--tool', 'post', '--args', args)
    expect(answer).toContain('it is "[REDACTED]"')
    expect(answer).toContain('args.token: "[REDACTED]" → nothing')
    for (const line of answer.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('answers in JSON', async () => {
    const { code, answer } = await folder.json(
      'explain',
      'contracts.yaml',
      '--tool',
      'read_file',
      '--args',
      '{"path":".env"}',
    )
    expect(code).toBe(1)
    expect(answer).toMatchObject({
      verdict: 'deny',
      decision: 'deny',
      contract_id: 'block-dotenv',
      explanations: [{ contractId: 'block-dotenv', outcome: 'matched' }],
      nearest: { kind: 'found', changes: [{ selector: 'args.path', becomes: false }] },
    })
  })

  it('has nothing to say about a tool without contracts, and refuses a missing file', async () => {
    const { code, answer } = await explain('unknown', '{}')
    expect(code).toBe(0)
    expect(answer).toContain('no contract is about the tool unknown')
    expect(answer).toContain('Nothing in the call would turn this.')
    expect((await folder.run('explain', 'nowhere.yaml', '--tool', 'a', '--args', '{}')).code).toBe(2)
  })
})

describe('the nearest call', () => {
  it('is really decided the other way, whatever the conditions are', () => {
    const leaf = fc.oneof(
      fc.record({ gt: fc.integer({ min: 0, max: 9 }) }),
      fc.record({ lt: fc.integer({ min: 0, max: 9 }) }),
      fc.record({ equals: fc.constantFrom(1, 'a', true) }),
      fc.record({ in: fc.constant([1, 'b']) }),
      fc.record({ exists: fc.boolean() }),
      fc.record({ contains: fc.constantFrom('a', 'b') }),
    )
    const named = fc.tuple(fc.constantFrom('args.x', 'args.y.z', 'principal.role'), leaf)
    const condition = fc.letrec((tie) => ({
      leaf: named.map(([selector, test]) => ({ [selector]: test })),
      any: fc.record({ any: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
      all: fc.record({ all: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
      not: fc.record({ not: tie('node') }),
      node: fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('any'), tie('all'), tie('not')),
    })).node
    const args = fc.record(
      { x: fc.constantFrom(1, 5, 'a', 'ab', true), y: fc.constantFrom({ z: 3 }, { z: 'b' }, {}) },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(condition, args, (when, given) => {
        const contract = { id: 'c', type: 'pre', tool: 't', when, then: { effect: 'deny', message: 'm' } }
        const guard = Edictum.fromYamlString(bundleOf(`  - ${JSON.stringify(contract)}\n`))
        const nearest = findNearestCall(guard, { tool: 't', args: given })
        if (nearest.kind !== 'found') return
        const { tool, args: other = {}, ...context } = nearest.call
        expect(guard.evaluate(tool, other, context).verdict).not.toBe(guard.evaluate('t', given).verdict)
      }),
    )
  })
})

describe('edictum explain, of contracts that only observe', () => {
  const watching = bundleOf(
    `  - id: small-refunds
    type: pre
    tool: refund
    when: { args.amount: { gt: 50 } }
    then: { effect: deny, message: Too much. }
`,
    'observe',
  )
  const explainWatching = async (args: string) => {
    folder.write('watching.yaml', watching)
    return folder.run('explain', 'watching.yaml', '--tool', 'refund', '--args', args)
  }

  it('says that a call runs only for that reason, and what would turn that', async () => {
    const { code, answer } = await explainWatching('{"amount":900}')
    expect(code).toBe(0)
    expect(answer).not.toContain('Nothing in the call')
    expect(answer.split('\n').slice(-5)).toEqual([
      'The call is allowed only because small-refunds observes; in enforce mode it',
      'would be denied.',
      'Smallest change that would turn that:',
      '  args.amount: 900 → 50, so that gt 50 is false',
      `  tried: --args '{"amount":50}'`,
    ])
  })

  it('says what such a contract would object to, when it has nothing to object', async () => {
    const { answer } = await explainWatching('{"amount":10}')
    expect(answer).toContain('Smallest change that small-refunds would object to, which only observes:')
    expect(answer).toContain('args.amount: 10 → 51, so that gt 50 is true')
  })

  it('says that a person would be asked, where the contract asks', async () => {
    folder.write('asking.yaml', watching.replace('effect: deny', 'effect: approve'))
    const { answer } = await folder.run(
      'explain',
      'asking.yaml',
      '--tool',
      'refund',
      '--args',
      '{"amount":900}',
    )
    expect(answer.replaceAll('\n', ' ')).toContain('in enforce mode a person would be asked.')
  })
})
