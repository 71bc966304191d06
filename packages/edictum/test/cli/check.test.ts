import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleOf, CliFolder, demoBundle } from './cli-kit.js'

const folder = new CliFolder()
const noReads = `
  - id: no-reads
    type: pre
    tool: 'read_*'
    when: { args.path: { exists: true } }
    then: { effect: deny, message: 'No reading of {args.path}.' }
`

beforeAll(() => {
  folder.write('contracts.yaml', demoBundle)
  folder.write('observed.yaml', bundleOf(noReads, 'observe'))
  folder.write('enforced.yaml', bundleOf(noReads))
  folder.write('binary.yaml', new Uint8Array([0, 255, 254, 1]))
  folder.write('empty.yaml', '')
})

afterAll(() => folder.remove())

async function check(tool: string, args: string, ...more: readonly string[]) {
  return folder.run('check', 'contracts.yaml', '--tool', tool, '--args', args, ...more)
}

describe('edictum check', () => {
  it('allows, and ends with 0', async () => {
    expect(await check('read_file', '{"path":"README.md"}')).toEqual({
      code: 0,
      answer: 'ALLOWED\n  1 contract evaluated',
      complaints: '',
    })
  })

  it('denies with the contract, its message and tags, and ends with 1', async () => {
    const { code, answer } = await check('read_file', '{"path":".env"}')
    expect(code).toBe(1)
    expect(answer.split('\n')).toEqual([
      'DENIED by contract block-dotenv',
      '  Read of sensitive file denied: .env. Ask the user for the one setting you',
      '  need.',
      '  tags: secrets',
      '  1 contract evaluated',
    ])
  })

  it('says when a person would be asked, and ends with 1', async () => {
    const { code, answer } = await check('refund', '{"amount":90,"customer":4}')
    expect(code).toBe(1)
    expect(answer).toContain('NEEDS APPROVAL by contract refunds-need-a-person')
  })

  it('lets deny beat approve, as the guard does', async () => {
    const { answer } = await check('refund', '{"amount":900}', '--principal-role', 'support')
    expect(answer).toContain('DENIED by contract large-refunds-need-a-lead')
    const lead = await check('refund', '{"amount":900}', '--principal-role', 'finance')
    expect(lead.answer).toContain('NEEDS APPROVAL')
  })

  it('matches globs, and honours observe', async () => {
    const words = ['--tool', 'read_note', '--args', '{"path":"a"}'] as const
    expect((await folder.run('check', 'enforced.yaml', ...words)).code).toBe(1)
    const observed = await folder.run('check', 'observed.yaml', ...words)
    expect(observed.code).toBe(0)
    expect(observed.answer).toContain('ALLOWED by contract no-reads\n  (only observed')
  })

  it('judges the layers of a bundle together', async () => {
    const words = ['--tool', 'read_file', '--args', '{"path":"README.md"}'] as const
    const { answer } = await folder.run('check', 'contracts.yaml', 'enforced.yaml', ...words)
    expect(answer).toContain('DENIED by contract no-reads')
  })

  it('answers in JSON with the documented keys', async () => {
    const { code, answer } = await folder.json(
      'check',
      'contracts.yaml',
      '--tool',
      'read_file',
      '--args',
      '{"path":".env"}',
      '--environment',
      'staging',
    )
    expect(code).toBe(1)
    expect(answer).toEqual({
      tool: 'read_file',
      args: { path: '.env' },
      verdict: 'deny',
      reason: 'Read of sensitive file denied: .env. Ask the user for the one setting you need.',
      contracts_evaluated: 1,
      environment: 'staging',
      contract_id: 'block-dotenv',
      decision: 'deny',
    })
  })

  it('suggests the tool that was meant when no contract is about the name', async () => {
    const { answer } = await check('reed_file', '{}')
    expect(answer).toContain('no contract is about the tool reed_file; did you mean read_file?')
  })

  it('reads contracts from standard input', async () => {
    folder.piped = demoBundle
    const { code } = await folder.run('check', '-', '--tool', 'read_file', '--args', '{"path":".env"}')
    expect(code).toBe(1)
  })

  it.each([
    ['no such file', ['nowhere.yaml', '--tool', 't', '--args', '{}'], 2, 'does not exist'],
    ['a folder', ['.', '--tool', 't', '--args', '{}'], 2, 'is a folder'],
    ['no file', ['--tool', 't', '--args', '{}'], 2, 'needs a file'],
    ['no tool', ['contracts.yaml', '--args', '{}'], 2, 'needs --tool'],
    ['no arguments', ['contracts.yaml', '--tool', 't'], 2, 'needs --args'],
    ['arguments that are no JSON', ['contracts.yaml', '--tool', 't', '--args', '{'], 2, 'not JSON'],
    ['arguments that are no object', ['contracts.yaml', '--tool', 't', '--args', '[]'], 2, 'JSON object'],
    ['a binary file', ['binary.yaml', '--tool', 't', '--args', '{}'], 1, 'not UTF-8'],
    ['an empty file', ['empty.yaml', '--tool', 't', '--args', '{}'], 1, 'must be a mapping'],
    ['a tool name nobody can have', ['contracts.yaml', '--tool', 'a/b', '--args', '{}'], 1, 'tool name'],
  ])('refuses %s', async (_, words, code, complaint) => {
    const refused = await folder.run('check', ...words)
    expect(refused).toMatchObject({ code, answer: '' })
    expect(refused.complaints).toContain(complaint)
  })
})
