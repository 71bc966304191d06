import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Edictum } from '../edictum.js'
import { bundleOf } from './bundle-of.js'
import { testContracts, WrongDecision } from './test-contracts.js'

const guard = Edictum.fromYamlString(
  bundleOf(
    [
      {
        id: 'no-secrets',
        type: 'pre',
        tool: 'read_file',
        when: { 'args.path': { contains: '.env' } },
        then: { effect: 'deny', message: '{args.path} is secret' },
      },
      {
        id: 'ask-first',
        type: 'pre',
        tool: 'refund',
        when: { all: [{ 'args.amount': { gt: 50 } }, { not: { 'principal.role': { equals: 'lead' } } }] },
        then: { effect: 'approve', message: 'refund {args.amount}?' },
      },
      {
        id: 'on-trial',
        type: 'pre',
        mode: 'observe',
        tool: 'list',
        when: { 'args.all': { equals: true } },
        then: { effect: 'deny', message: 'too much' },
      },
      {
        id: 'mask',
        type: 'post',
        tool: 'lookup',
        when: { 'output.text': { matches: '\\d{3}-\\d{2}-\\d{4}' } },
        then: { effect: 'redact', message: 'masked' },
      },
      {
        id: 'noted',
        type: 'post',
        tool: 'search',
        when: { 'output.text': { contains: 'draft' } },
        then: { effect: 'warn', message: 'this is a draft' },
      },
      {
        id: 'inside',
        type: 'sandbox',
        tool: 'shell',
        allows: { commands: ['ls'] },
        message: 'only ls',
      },
    ],
    { tools: { lookup: { side_effect: 'read' } } },
  ),
)
const contracts = testContracts(guard)

describe('contracts under test', () => {
  it('pass where the decision is the expected one', () => {
    const lines: (() => void)[] = [
      () => contracts.allows('read_file', { path: 'README.md' }),
      () => contracts.denies('read_file', { path: '.env' }),
      () => contracts.denies('read_file', { path: '.env' }, { by: 'no-secrets' }),
      () => contracts.asks('refund', { amount: 80 }, { by: 'ask-first' }),
      () => contracts.allows('refund', { amount: 80 }, { principal: { role: 'lead' } }),
      () => contracts.wouldDeny('list', { all: true }, { by: 'on-trial' }),
      () => contracts.redacts('lookup', {}, { output: 'id 078-05-1120', by: 'mask' }),
      () => contracts.warns('search', {}, { output: 'a draft' }),
      () => contracts.denies('shell', { command: 'rm x' }, { by: 'inside' }),
    ]
    for (const line of lines) expect(line).not.toThrow()
  })

  it('fail with the reason where it is another one', () => {
    expect(() => contracts.allows('read_file', { path: 'a/.env' })).toThrow(
      'read_file {"path":"a/.env"}: expected allowed, but it is denied by no-secrets\n' +
        '  no-secrets: matched\n' +
        '    args.path contains ".env": matched, value "a/.env"',
    )
    expect(() => contracts.asks('refund', { amount: 20 })).toThrow(
      'expected asked about, but it is allowed\n  ask-first: not-matched\n    args.amount gt 50: not-matched, value 20',
    )
  })

  it('fail where another contract decides', () => {
    const wrong = (): void => contracts.denies('read_file', { path: '.env' }, { by: 'no-secret' })
    expect(wrong).toThrow(WrongDecision)
    expect(wrong).toThrow('expected denied by no-secret, but it is denied by no-secrets')
  })

  it('fail with a word on names that no contract knows', () => {
    expect(() => contracts.denies('read_fil', { path: '.env' })).toThrow(
      'no contract is about the tool read_fil',
    )
  })

  it('give test runners both sides to compare', () => {
    try {
      contracts.denies('read_file', { path: 'README.md' })
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ name: 'WrongDecision', actual: 'allowed', expected: 'denied' })
    }
  })

  it('come from a file, or from layers', () => {
    const file = fileURLToPath(new URL('../../../../examples/demo/contracts.yaml', import.meta.url))
    testContracts(file).denies('read_file', { path: '.env' }, { by: 'block-dotenv' })
    testContracts([file]).asks('refund', { amount: 80, customer: 1 })
    expect(() => testContracts('nowhere.yaml')).toThrow('[bundle-not-found]')
  })

  it('make snapshots of many decisions', () => {
    const calls = [
      { tool: 'read_file', args: { path: '.env' } },
      { tool: 'read_file', args: { path: 'README.md' } },
      { tool: 'refund', args: { amount: 80 }, principal: { role: 'lead' } },
      { tool: 'lookup', output: 'id 078-05-1120' },
    ]
    expect(contracts.snapshot(calls)).toBe(
      [
        'read_file {"path":".env"}: denied by no-secrets: .env is secret',
        'read_file {"path":"README.md"}: allowed',
        'refund {"amount":80}: allowed',
        'lookup {}: allowed with its output redacted by mask: masked',
      ].join('\n'),
    )
  })
})
