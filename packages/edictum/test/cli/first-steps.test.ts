import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.js'
import { Edictum, loadBundleString } from '../../src/index.js'
import { CliFolder } from './cli-kit.js'

let folder: CliFolder

beforeEach(() => {
  folder = new CliFolder()
})
afterEach(() => folder.remove())

const templateNames = Edictum.listTemplates().map(({ name }) => name)

describe('edictum init', () => {
  it('writes a bundle with the schema line, cases and a check for CI, and says what comes next', async () => {
    const { code, answer } = await folder.run(
      'init',
      '--template',
      'file-agent',
      '--mode',
      'enforce',
      '--ci',
      'github',
    )
    expect(code).toBe(0)
    expect(answer.split('\n').slice(0, 6)).toEqual([
      '+ contracts.yaml',
      '+ contracts.cases.yaml',
      '+ .github/workflows/contracts.yml',
      '',
      'Next:',
      '  npx edictum test contracts.yaml --cases contracts.cases.yaml',
    ])
    expect(folder.read('contracts.yaml')).toMatch(
      /^# yaml-language-server: \$schema=node_modules\/edictum\/schema\.json\n/,
    )
    expect(folder.read('.github/workflows/contracts.yml')).toContain('npx edictum lint contracts.yaml')
  })

  it.each(templateNames.flatMap((name) => [[name, 'observe'] as const, [name, 'enforce'] as const]))(
    'starts from %s in %s mode with cases that pass',
    async (template, mode) => {
      await folder.run('init', '--template', template, '--mode', mode)
      expect(loadBundleString(folder.read('contracts.yaml')).bundle.defaults.mode).toBe(mode)
      const tested = await folder.run('test', 'contracts.yaml', '--cases', 'contracts.cases.yaml')
      expect(tested.answer.split('\n').at(-1)).toMatch(/^(\d+)\/\1 passed$/)
      expect((await folder.run('lint', 'contracts.yaml')).code).toBe(0)
    },
  )

  it('asks three questions at a terminal, and takes a number, a name or nothing for an answer', async () => {
    folder.typed = ['5', 'enforce', '']
    const { answer, complaints } = await folder.run('init', '--json')
    expect(complaints).toContain('What does your agent resemble?')
    expect(JSON.parse(answer)).toMatchObject({ template: 'research-agent', mode: 'enforce', ci: 'none' })
    expect(folder.read('contracts.yaml')).toContain('name: research-agent')
  })

  it('takes what is usual where nobody can be asked', async () => {
    const { answer } = await folder.json('init', '--file', 'policies/agent.yaml')
    expect(answer).toEqual({
      template: 'file-agent',
      mode: 'observe',
      ci: 'none',
      written: ['policies/agent.yaml', 'policies/agent.cases.yaml'],
    })
    expect(folder.read('policies/agent.yaml')).toContain('$schema=../node_modules/edictum/schema.json')
  })

  it('says that nothing is denied yet where a bundle only observes', async () => {
    const observing = await folder.run('init')
    expect(observing.answer).toContain('contracts.yaml only observes: every call runs')
    const enforcing = await folder.run('init', '--mode', 'enforce', '--file', 'other.yaml')
    expect(enforcing.answer).not.toContain('observes')
  })

  it('writes nothing at all when one of the files is there', async () => {
    folder.write('contracts.cases.yaml', 'mine')
    const { code, complaints } = await folder.run('init')
    expect(code).toBe(1)
    expect(complaints).toContain('contracts.cases.yaml is there already; nothing was written')
    expect(() => folder.read('contracts.yaml')).toThrow('ENOENT')
    expect(folder.read('contracts.cases.yaml')).toBe('mine')
  })

  it.each([
    [['--template', 'fiel-agent'], 'did you mean file-agent?'],
    [['--mode', 'strict'], 'use one of observe, enforce'],
    [['--ci', 'jenkins'], 'use one of github, gitlab, none'],
    [['--file', 'contracts.json'], 'must end in .yaml'],
  ])('refuses %j', async (words, complaint) => {
    const { code, complaints } = await folder.run('init', ...words)
    expect(code).toBe(2)
    expect(complaints).toContain(complaint)
  })
})

describe('edictum templates', () => {
  it('lists them with what they are for', async () => {
    const { code, answer } = await folder.run('templates')
    expect(code).toBe(0)
    for (const name of templateNames) expect(answer).toContain(name)
    for (const line of answer.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    expect((await folder.json('templates')).answer).toHaveLength(templateNames.length)
  })

  it('shows one, and knows the names there are', async () => {
    const { answer } = await folder.run('templates', 'research-agent')
    expect(loadBundleString(answer).bundle.metadata.name).toBe('research-agent')
    const unknown = await folder.run('templates', 'nope')
    expect(unknown).toMatchObject({ code: 1, complaints: expect.stringContaining('there are: ') })
  })
})

describe('edictum schema', () => {
  it('prints what the package ships', async () => {
    const { answer } = await folder.json('schema')
    expect(answer).toMatchObject({ title: 'Edictum contract bundle' })
  })
})

describe('edictum console', () => {
  it('starts nothing when it is asked what it does', async () => {
    const { code, answer } = await folder.run('console', '--help')
    expect(code).toBe(0)
    expect(answer).toContain('Start the console, if it is installed.')
  })
})

describe('edictum completion', () => {
  it('completes commands and options in bash', async () => {
    const { answer } = await folder.run('completion', 'bash')
    folder.write('completion.sh', answer)
    const complete = async (...words: readonly string[]) => {
      const script = `source ./completion.sh; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _edictum; echo "\${COMPREPLY[*]}"`
      return (await promisify(execFile)('bash', ['-c', script], { cwd: folder.path })).stdout.trim()
    }
    expect(await complete('edictum', 'rep')).toBe('replay')
    expect(await complete('edictum', 'replay', '--au')).toBe('--audit-log')
  })

  it.each(['bash', 'zsh', 'fish'])('knows every command and option in %s', async (shell) => {
    const { code, answer } = await folder.run('completion', shell)
    expect(code).toBe(0)
    for (const { name, options } of commands) {
      expect(answer).toContain(name)
      for (const option of Object.keys(options)) expect(answer).toContain(option)
    }
  })

  it.each(['bash', 'zsh', 'fish'])(
    'is a script that %s can read, where that shell is installed',
    async (shell) => {
      const { answer } = await folder.run('completion', shell)
      folder.write('completion', answer)
      const read = promisify(execFile)(shell, ['-n', 'completion'], { cwd: folder.path }).then(
        () => 'can',
        ({ code, stderr }: { code: unknown; stderr: string }) => (code === 'ENOENT' ? 'is not here' : stderr),
      )
      expect(shell === 'bash' ? ['can'] : ['can', 'is not here']).toContain(await read)
    },
  )

  it('needs a shell it knows', async () => {
    expect((await folder.run('completion')).code).toBe(2)
    expect((await folder.run('completion', 'tcsh')).complaints).toContain('bash, zsh, fish')
    expect((await folder.json('completion')).answer).toMatchObject({
      replay: expect.arrayContaining(['--output']),
    })
  })
})

describe('edictum doctor', () => {
  it('looks at the sinks a bundle names, and at those it is given', async () => {
    await folder.run('init', '--template', 'file-agent', '--mode', 'enforce')
    const bundle = folder
      .read('contracts.yaml')
      .replace('contracts:', 'observability: { file: audit.jsonl }\ncontracts:')
    folder.write('contracts.yaml', bundle)
    folder.write('mine.jsonl', '')
    const well = await folder.run('doctor', '--contracts', 'contracts.yaml', '--audit', 'mine.jsonl')
    expect(well.answer).toContain('✓ audit audit.jsonl: can be made')
    expect(well.answer).toContain('✓ audit mine.jsonl: can be appended to')
    expect(() => folder.read('audit.jsonl')).toThrow('ENOENT')
    const ill = await folder.run('doctor', '--audit', '.', '--audit', 'nowhere/audit.jsonl')
    expect(ill.code).toBe(1)
    expect(ill.answer).toContain('✗ audit .: is a folder')
    expect(ill.answer).toContain('✗ audit nowhere/audit.jsonl: cannot be written')
  })
})
