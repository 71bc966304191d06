import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleOf, CliFolder, demoBundle } from './cli-kit.js'

const folder = new CliFolder()

const cases = `cases:
  - id: reads-dotenv
    tool: read_file
    args: { path: config/.env }
    expect: deny
    match_contract: block-dotenv
  - tool: read_file
    args: { path: README.md }
    expect: ALLOW
  - id: too-much-for-support
    tool: refund
    args: { amount: 900, customer: 1 }
    principal: { role: support }
    expect: deny
    match_contract: large-refunds-need-a-lead
  - id: a-lead-is-asked
    tool: refund
    args: { amount: 900, customer: 1 }
    principal: { role: finance }
    expect: approve
  - id: third-refund
    tool: refund
    args: { amount: 10, customer: 1 }
    session: { attempts: 3, tool_calls: 2, calls_per_tool: { refund: 2 } }
    expect: deny
    match_contract: two-refunds
  - id: masked
    tool: lookup_customer
    output: id 078-05-1120
    expect: redact
`

beforeAll(() => {
  folder.write('contracts.yaml', demoBundle)
  folder.write('cases.yaml', cases)
  folder.write('calls.json', '[{"tool":"read_file","args":{"path":".env"}},{"tool":"lookup_customer"}]')
})

afterAll(() => folder.remove())

async function testCases(text: string, ...more: readonly string[]) {
  folder.piped = text
  return folder.run('test', 'contracts.yaml', '--cases', '-', ...more)
}

describe('edictum test --cases', () => {
  it('passes when every case does, and says why', async () => {
    const { code, answer, complaints } = await folder.run('test', 'contracts.yaml', '--cases', 'cases.yaml')
    expect(complaints).toBe('')
    expect(code).toBe(0)
    expect(answer.split('\n')).toEqual([
      '✓ reads-dotenv: deny (block-dotenv)',
      '✓ case-2: allow',
      '✓ too-much-for-support: deny (large-refunds-need-a-lead)',
      '✓ a-lead-is-asked: approve (refunds-need-a-person)',
      '✓ third-refund: deny (two-refunds)',
      '✓ masked: redact (mask-national-ids)',
      '',
      '6/6 passed',
    ])
  })

  it('ends with 1 when one fails, and shows the call and the message', async () => {
    const { code, answer } = await testCases(
      'cases: [{ id: a, tool: shell, args: { command: id }, expect: allow }]',
    )
    expect(code).toBe(1)
    expect(answer).toContain('✗ a: expected allow, got deny (stay-in-the-workspace)')
    expect(answer).toContain('    shell {"command":"id"}')
    expect(answer).toContain('0/1 passed, 1 failed')
  })

  it.each([
    ['another contract denies', '{ expect: deny, match_contract: refunds-need-a-person }', 1],
    ['a denial is expected where a person is asked', '{ expect: deny }', 0],
    ['the contract is not the one that asks', '{ expect: approve }', 1],
    ['the session is young', '{ expect: deny, match_contract: large-refunds-need-a-lead, session: {} }', 0],
  ])('decides when %s', async (_, fields, code) => {
    const one = fields.replace('{', '{ tool: refund, args: { amount: 900 }, principal: { role: support },')
    expect((await testCases(`cases: [${one}]`)).code).toBe(code)
  })

  it('knows the limits of a guard without session contracts', async () => {
    folder.write(
      'reads.yaml',
      bundleOf(`
  - id: no-reads
    type: pre
    tool: read_file
    mode: observe
    when: { tool.name: { exists: true } }
    then: { effect: deny, message: No reading. }
`),
    )
    folder.piped = `cases:
  - { id: default-limit, tool: x, session: { tool_calls: 200 }, expect: deny, match_contract: max_tool_calls }
  - { id: attempts, tool: x, session: { attempts: 500 }, expect: deny, match_contract: max_attempts }
  - { id: below, tool: x, session: { tool_calls: 199, attempts: 499 }, expect: allow }
  - { id: observed, tool: read_file, expect: observe, match_contract: no-reads }
  - { id: runs-all-the-same, tool: read_file, expect: allow }
`
    expect((await folder.run('test', 'reads.yaml', '--cases', '-')).answer).toContain('5/5 passed')
  })

  it('answers in JSON', async () => {
    const { answer } = await folder.json('test', 'contracts.yaml', '--cases', 'cases.yaml')
    expect(answer).toMatchObject({ passed: 6, failed: 0, total: 6 })
    expect((answer as { cases: object[] }).cases[0]).toEqual({
      id: 'reads-dotenv',
      tool: 'read_file',
      expect: 'deny',
      actual: 'deny',
      passed: true,
      contract_id: 'block-dotenv',
      message: 'Read of sensitive file denied: config/.env. Ask the user for the one setting you need.',
    })
  })

  it.each([
    ['a case without a tool', 'cases: [{ expect: deny }]', 2, 'needs `tool`'],
    ['a case without an expectation', 'cases: [{ tool: a }]', 2, 'needs `expect`'],
    ['an unknown expectation', 'cases: [{ tool: a, expect: dney }]', 2, 'did you mean `deny`?'],
    ['a misspelt field', 'cases: [{ tool: a, expect: deny, argz: {} }]', 2, 'did you mean `args`?'],
    ['a misspelt counter', 'cases: [{ tool: a, expect: deny, session: { calls: 1 } }]', 2, 'unknown field'],
    [
      'two cases of one name',
      'cases: [{ id: a, tool: a, expect: deny }, { id: a, tool: a, expect: deny }]',
      2,
      'two cases',
    ],
    ['no list', 'cases: 7', 1, 'must be a list'],
    ['no cases', 'case: []', 1, 'needs `cases`'],
    ['no YAML', 'cases: [', 1, 'not valid YAML'],
    ['nothing at all', '', 1, 'must be a mapping'],
  ])('refuses %s with its place', async (_, text, code, complaint) => {
    const refused = await testCases(text)
    expect(refused).toMatchObject({ code, answer: '' })
    expect(refused.complaints).toContain(complaint)
    expect(refused.complaints).toMatch(/<stdin>:1:\d+: /)
  })

  it('fails a case whose call cannot be judged, and goes on', async () => {
    const { code, answer } = await testCases(
      'cases: [{ tool: a/b, expect: deny }, { tool: a, expect: allow }]',
    )
    expect(code).toBe(1)
    expect(answer).toContain('got error')
    expect(answer).toContain('1/2 passed')
  })

  it('needs exactly one of cases and calls, and files that are there', async () => {
    expect((await folder.run('test', 'contracts.yaml')).code).toBe(2)
    expect((await folder.run('test', 'contracts.yaml', '--cases', 'a', '--calls', 'b')).code).toBe(2)
    expect((await folder.run('test', 'contracts.yaml', '--cases', 'nowhere.yaml')).code).toBe(1)
    expect((await folder.run('test', 'nowhere.yaml', '--cases', 'cases.yaml')).code).toBe(1)
  })
})

describe('edictum test --coverage', () => {
  it('finds contracts that never fire and leaves that go one way only', async () => {
    const { answer } = await testCases(
      `cases:
  - { id: a, tool: refund, args: { amount: 900 }, principal: { role: finance }, expect: approve }
  - { id: b, tool: read_file, args: { path: .env }, expect: deny }
`,
      '--coverage',
    )
    expect(answer.split('\n').slice(5)).toEqual([
      'Coverage: 2 of 6 contracts fire; 4 of 5 leaves are reached, 0 of them both ways.',
      '  block-dotenv',
      '    always fires: no case shows what it lets pass',
      '    when never false: args.path contains ".env"',
      '  large-refunds-need-a-lead',
      '    never fires',
      '    when.all[0] never false: args.amount gt 500',
      '    when.all[1] never true: principal.role not_in ["support_lead","finance"]',
      '  refunds-need-a-person',
      '    always fires: no case shows what it lets pass',
      '    when never false: args.amount gt 50',
      '  stay-in-the-workspace',
      '    no case is about its tool',
      '  two-refunds',
      '    no case gives it a session',
      '  mask-national-ids',
      '    no case is about its tool',
    ])
  })

  it('is in the JSON answer, too', async () => {
    const { answer } = await folder.json('test', 'contracts.yaml', '--cases', 'cases.yaml', '--coverage')
    expect((answer as { coverage: object[] }).coverage[0]).toEqual({
      contract_id: 'block-dotenv',
      type: 'pre',
      judged: 2,
      fired: 1,
      leaves: [
        {
          path: 'when',
          selector: 'args.path',
          operator: 'contains',
          operand: '.env',
          matched: 1,
          not_matched: 1,
        },
      ],
    })
    expect((await folder.run('test', 'contracts.yaml', '--calls', 'calls.json', '--coverage')).code).toBe(2)
  })
})

describe('edictum test --calls', () => {
  it('judges every call, and ends with 1 if one is denied', async () => {
    const { code, answer } = await folder.run('test', 'contracts.yaml', '--calls', 'calls.json')
    expect(code).toBe(1)
    expect(answer.split('\n')).toEqual([
      '  #  verdict  tool             contracts',
      '  1  deny     read_file        1',
      '     Read of sensitive file denied: .env. Ask the user for the one setting you',
      '     need.',
      '  2  allow    lookup_customer  0',
      '',
      '2 calls, 1 denied (enforce mode)',
    ])
  })

  it('ends with 0 for warnings, and answers in JSON with the documented keys', async () => {
    folder.piped = '[{"tool":"lookup_customer","output":{"id":"078-05-1120"}}]'
    const { code, answer } = await folder.json('test', 'contracts.yaml', '--calls', '-')
    expect(code).toBe(0)
    expect(answer).toEqual([
      {
        verdict: 'warn',
        tool_name: 'lookup_customer',
        contracts_evaluated: 1,
        deny_reasons: [],
        warn_reasons: ['A national id was masked in the answer.'],
        policy_error: false,
        contracts: [
          {
            contract_id: 'mask-national-ids',
            contract_type: 'postcondition',
            passed: false,
            message: 'A national id was masked in the answer.',
            tags: ['pii'],
            observed: false,
            effect: 'redact',
            policy_error: false,
          },
        ],
      },
    ])
  })

  it('judges session limits for counters that are given', async () => {
    folder.piped = '[{"tool":"refund","args":{"amount":1},"session":{"calls_per_tool":{"refund":2}}}]'
    const { code, answer } = await folder.run('test', 'contracts.yaml', '--calls', '-')
    expect(code).toBe(1)
    expect(answer).toContain('Two refunds are enough')
  })

  it.each([
    ['no JSON', 'cases:', 'is not JSON'],
    ['no array', '{}', 'must be a JSON array'],
    ['a call that is none', '[7]', 'call 1 of <stdin> must be an object'],
    ['a call without a tool', '[{"args":{}}]', 'needs a `tool`'],
    ['arguments that are none', '[{"tool":"a","args":7}]', '`args` of call 1'],
  ])('refuses %s', async (_, text, complaint) => {
    folder.piped = text
    const { code, complaints } = await folder.run('test', 'contracts.yaml', '--calls', '-')
    expect(code).toBe(2)
    expect(complaints).toContain(complaint)
  })
})
