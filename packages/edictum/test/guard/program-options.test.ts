import { describe, expect, it } from 'vitest'
import { Edictum, type ProgramOptions } from '../../src/index.js'

const bundle = `
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: programs }
defaults: { mode: enforce }
contracts:
  - id: no-rm
    type: pre
    tool: shell
    when: { command.programs: { equals: rm } }
    then: { effect: deny, message: 'no rm' }
  - id: listed-programs
    type: sandbox
    tool: exec
    allows: { commands: [ls, with-lock, frob, sudo] }
    message: 'not listed'
`

function guardWith(programs: ProgramOptions): Edictum {
  return Edictum.fromYamlString(bundle, { programs })
}

const own: ProgramOptions = {
  'with-lock': { wraps: 'argv', flags: ['-v'], valued: ['-f', '--file'] },
  'on-host': { wraps: 'shell', skip: 1 },
  frob: { starts: { '--run': 'shell', '-x': 'argv', '--plugin': 'unseen' } },
}

describe('programs described by the user', () => {
  it.each([
    'with-lock rm x',
    'with-lock -v -f a rm x',
    'with-lock --file=a -- rm x',
    '/opt/bin/with-lock rm x',
    'sudo with-lock rm x',
    'with-lock with-lock rm x',
    "with-lock sh -c 'ls; rm x'",
    "on-host web1 'ls && rm x'",
    'on-host web1 rm x',
    "frob --run 'ls; rm x'",
    'frob --run=rm',
    'frob -x rm x',
  ])('are seen through in %j', (command) => {
    expect(guardWith(own).evaluate('shell', { command }).verdict).toBe('deny')
    expect(guardWith(own).evaluate('exec', { command }).verdict).toBe('deny')
    expect(guardWith({}).evaluate('shell', { command: `${command} #` }).policyError).toBe(false)
  })

  it.each(['with-lock ls rm', 'with-lock -f rm ls', 'frob rm', "frob --run 'ls rm'", 'with-lock -v'])(
    'start nothing else in %j',
    (command) => {
      expect(guardWith(own).evaluate('shell', { command }).verdict).toBe('allow')
      expect(guardWith(own).evaluate('exec', { command }).verdict).toBe('allow')
    },
  )

  it('make a line with an unknown option unresolvable: its value might be taken for the command', () => {
    const result = guardWith(own).evaluate('shell', { command: 'with-lock --other ls' })
    expect(result).toMatchObject({ verdict: 'deny', policyError: true })
  })

  it('list code that the line does not show under a name of its own', () => {
    expect(guardWith(own).evaluate('exec', { command: 'frob --plugin x' }).verdict).toBe('deny')
  })

  it('add options that a built-in wrapper is not known to have', () => {
    const command = 'sudo --new-option value rm x'
    expect(guardWith({}).evaluate('shell', { command })).toMatchObject({ policyError: true })
    const taught = guardWith({ sudo: { valued: ['--new-option'] } })
    expect(taught.evaluate('shell', { command })).toMatchObject({ verdict: 'deny', policyError: false })
    expect(taught.evaluate('exec', { command: 'sudo -u a --new-option value ls' }).verdict).toBe('allow')
  })

  it('outlive a reload, and are known to a guard made of several', async () => {
    const guard = guardWith(own)
    await guard.reload(bundle)
    expect(guard.evaluate('shell', { command: 'with-lock rm x' }).verdict).toBe('deny')
    const both = Edictum.fromMultiple([new Edictum(), guard])
    expect(both.evaluate('shell', { command: 'with-lock rm x' }).verdict).toBe('deny')
  })
})

describe('a description that cannot be understood', () => {
  it.each<readonly [string, string, unknown]>([
    ['a folder in the name', '/opt/x', { wraps: 'argv' }],
    ['nothing said', 'x', {}],
    ['no mapping', 'x', 'argv'],
    ['an unknown field', 'x', { wrap: 'argv' }],
    ['an unknown way to wrap', 'x', { wraps: 'words' }],
    ['an unknown way to start', 'x', { starts: { '--run': 'words' } }],
    ['what is no option', 'x', { wraps: 'argv', flags: ['f'] }],
    ['a value with an option', 'x', { wraps: 'argv', valued: ['--file=x'] }],
    ['text instead of a list', 'x', { wraps: 'argv', flags: '-f' }],
    ['a negative number of words', 'x', { wraps: 'argv', skip: -1 }],
    ['options without a command', 'x', { flags: ['-f'] }],
    ['an option with and without a value', 'x', { wraps: 'argv', flags: ['-f'], valued: ['-f'] }],
    ['another arity than the built-in one', 'sudo', { flags: ['-u'] }],
    ['another meaning for a built-in wrapper', 'sudo', { wraps: 'argv' }],
    ['a program that is read by code', 'bash', { wraps: 'argv' }],
    ['options of a program that is read by code', 'git', { flags: ['-f'] }],
  ])('is refused: %s', (_title, name, description) => {
    const programs = { [name]: description } as ProgramOptions
    expect(() => new Edictum({ programs })).toThrow(`programs.${name}: `)
  })
})
