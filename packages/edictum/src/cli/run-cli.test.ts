import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VERSION } from '../version.js'
import { commands } from './commands.js'
import { runCli } from './run-cli.js'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'edictum-cli-'))
  writeFileSync(join(folder, 'base.yaml'), bundle('block-dotenv', 'deny'))
  writeFileSync(join(folder, 'team.yaml'), bundle('block-dotenv', 'approve'))
  writeFileSync(
    join(folder, 'trial.yaml'),
    bundle('no-reads', 'deny').replace('contracts:', 'observe_alongside: true\ncontracts:'),
  )
  writeFileSync(join(folder, 'broken.yaml'), bundle('block-dotenv', 'deny').replace('contains', 'contain'))
})

afterAll(() => rmSync(folder, { recursive: true }))

function bundle(id: string, effect: string): string {
  return `
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: cli }
defaults: { mode: enforce }
contracts:
  - id: ${id}
    type: pre
    tool: read_file
    when: { args.path: { contains: .env } }
    then: { effect: ${effect}, message: Not that file. }
`
}

async function run(...words: readonly string[]) {
  const answer: string[] = []
  const complaints: string[] = []
  const terminal = {
    isColoured: false,
    say: (line: string) => void answer.push(line),
    complain: (line: string) => void complaints.push(line),
  }
  const code = await runCli(words, { terminal, folder })
  return { code, answer: answer.join('\n'), complaints: complaints.join('\n') }
}

describe('the command line', () => {
  it('lists its commands, as an error when it was asked for nothing', async () => {
    const nothing = await run()
    const help = await run('help')
    expect(nothing).toMatchObject({ code: 2, answer: '' })
    expect(help).toMatchObject({ code: 0, complaints: '' })
    for (const { name, summary } of commands) {
      expect(help.answer).toContain(name)
      expect(help.answer).toContain(summary)
    }
  })

  it.each(commands.map(({ name }) => name))('explains `%s` in two ways, with every option', async (name) => {
    const asked = await run('help', name)
    expect(await run(name, '--help')).toEqual(asked)
    for (const option of Object.keys(commands.find((command) => command.name === name)?.options ?? {}))
      expect(asked.answer).toContain(`--${option}`)
  })

  it('suggests the nearest command and the nearest option, and ends with 2', async () => {
    expect(await run('valdate')).toMatchObject({
      code: 2,
      complaints: expect.stringContaining('did you mean `validate`?'),
    })
    expect(await run('validate', '--jsno', 'base.yaml')).toMatchObject({
      code: 2,
      complaints: expect.stringContaining('did you mean `--json`?'),
    })
    expect((await run('frobnicate')).complaints).toContain('use one of init, templates, validate')
    expect((await run('doctor', '--storage')).code).toBe(2)
  })

  it('says its version in three ways', async () => {
    for (const words of [['version'], ['--version'], ['-v']])
      expect((await run(...words)).answer).toBe(VERSION)
    expect(JSON.parse((await run('version', '--json')).answer)).toMatchObject({ version: VERSION })
  })
})

describe('edictum validate', () => {
  it('counts contracts by type', async () => {
    expect(await run('validate', 'base.yaml')).toEqual({
      code: 0,
      answer: '✓ base.yaml: 1 contract (1 pre)',
      complaints: '',
    })
  })

  it('shows every problem at its place, on standard error', async () => {
    const { code, answer, complaints } = await run('validate', 'base.yaml', 'broken.yaml')
    expect(code).toBe(1)
    expect(answer).toBe('✓ base.yaml: 1 contract (1 pre)')
    expect(complaints).toContain('broken.yaml:10:26: unknown operator `contain`')
    expect(complaints).toContain('did you mean `contains`?')
  })

  it('tells what layers make of each other', async () => {
    expect(
      (await run('validate', 'base.yaml', 'team.yaml', 'trial.yaml')).answer.split('\n').slice(3),
    ).toEqual([
      '✓ together: 2 contracts (2 pre)',
      '  ⇄ block-dotenv — overridden by team.yaml (was in base.yaml)',
      '  ⊕ no-reads — shadow from trial.yaml (not enforced anywhere)',
    ])
  })

  it('answers in JSON', async () => {
    const { code, answer } = await run('validate', '--json', 'base.yaml', 'team.yaml')
    expect(code).toBe(0)
    const file = { valid: true, contracts: 1, breakdown: { pre: 1 } }
    expect(JSON.parse(answer)).toEqual({
      files: [
        { file: 'base.yaml', ...file },
        { file: 'team.yaml', ...file },
      ],
      valid: true,
      composed: {
        contracts: 1,
        breakdown: { pre: 1 },
        overrides: [
          { contract_id: 'block-dotenv', overridden_by: 'team.yaml', original_source: 'base.yaml' },
        ],
        shadows: [],
      },
    })
    expect(JSON.parse((await run('validate', '--json', 'broken.yaml')).answer)).toMatchObject({
      files: [
        {
          file: 'broken.yaml',
          valid: false,
          error: expect.stringContaining('unknown operator'),
          diagnostics: [{ code: 'unknown-operator', line: 10 }],
        },
      ],
      valid: false,
    })
  })

  it('refuses layers that cannot be put together', async () => {
    const { code, complaints } = await run('validate', 'base.yaml', 'trial.yaml', 'trial.yaml')
    expect(code).toBe(1)
    expect(complaints).toContain('together: ')
    expect(complaints).toContain('candidate-id-taken')
  })

  it('ends with 1 for a file that is not there, and with 2 without files', async () => {
    expect((await run('validate', 'nowhere.yaml')).code).toBe(1)
    expect((await run('validate')).code).toBe(2)
  })

  it('takes what stands after `--` for files', async () => {
    expect((await run('validate', '--', 'base.yaml')).code).toBe(0)
  })
})

describe('edictum doctor', () => {
  it('finds out whether contracts load and storage can be reached, without showing a password', async () => {
    const listener = createServer()
    await new Promise((done) => listener.listen(0, '127.0.0.1', () => done(undefined)))
    const { port } = listener.address() as { port: number }
    const well = await run(
      'doctor',
      '--contracts',
      'base.yaml',
      '--storage',
      `redis://user:${'hush'}@127.0.0.1:${port}`,
    )
    await new Promise((done) => listener.close(done))
    expect(well.code).toBe(0)
    expect(well.answer).toContain('✓ contracts base.yaml: 1 contract')
    expect(well.answer).toContain(`✓ storage 127.0.0.1:${port}: reachable`)
    expect(well.answer).not.toContain('hush')
    const ill = await run('doctor', '--contracts', 'broken.yaml', '--storage', `redis://127.0.0.1:${port}`)
    expect(ill.code).toBe(1)
    expect(ill.answer).toContain('✗ contracts broken.yaml')
    expect(ill.answer).toContain('not reachable')
  })

  it('answers in JSON, and refuses an address of an unknown kind', async () => {
    const { code, answer } = await run('doctor', '--json', '--storage', 'gopher://nowhere')
    expect(code).toBe(1)
    const { ok, findings } = JSON.parse(answer) as { ok: boolean; findings: { name: string; ok: boolean }[] }
    expect(ok).toBe(false)
    expect(findings.filter((finding) => !finding.ok)).toHaveLength(1)
    expect(findings.map(({ name }) => name)).toContain('node')
  })
})

describe('edictum mcp', () => {
  it.each([
    [[], 'mcp needs --contracts FILE'],
    [['--contracts', 'base.yaml'], 'either a program after `--` or --url'],
    [['--contracts', 'base.yaml', '--url', 'http://x', '--', 'server'], 'either a program'],
    [['--contracts', 'base.yaml', 'server'], '`server` must stand after `--`'],
    [['--contracts', 'base.yaml', '--header', 'a=B', '--', 'server'], '--header goes with --url'],
  ])('refuses %j', async (words, complaint) => {
    const { code, complaints } = await run('mcp', ...words)
    expect(code).toBe(2)
    expect(complaints).toContain(complaint)
  })
})

describe('a command that has no answer', () => {
  const asJson = async (...words: readonly string[]) => {
    const { code, answer } = await run(...words, '--json')
    return { code, ...(JSON.parse(answer) as object) }
  }

  it('says why in JSON, where JSON was asked for', async () => {
    expect(await asJson('lint', 'nowhere.yaml')).toEqual({
      code: 1,
      error: 'nowhere.yaml: this file does not exist [bundle-not-found]',
      diagnostics: [{ code: 'bundle-not-found', message: 'this file does not exist', file: 'nowhere.yaml' }],
    })
    expect(await asJson('lint', 'broken.yaml')).toMatchObject({
      code: 1,
      diagnostics: [{ code: 'unknown-operator', line: 10 }],
    })
  })

  it.each([
    ['an unknown command', ['frobnicate']],
    ['an unknown option', ['lint', 'base.yaml', '--lgo', 'x']],
    ['a missing option', ['check', 'base.yaml']],
    ['a word too many', ['version', 'please']],
  ])('does so for %s, too', async (_, words) => {
    expect(await asJson(...words)).toMatchObject({ code: 2, error: expect.any(String) })
  })

  it('names a file as it was given, wherever it lies', async () => {
    expect((await run('validate', 'nowhere.yaml')).complaints).toContain(
      '✗ nowhere.yaml: bundle file does not exist',
    )
  })
})
