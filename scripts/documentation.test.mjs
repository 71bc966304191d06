// @ts-check
import { describe, expect, it } from 'vitest'
import { missingScripts, trialOf } from './documentation.mjs'
import { readPage } from './markdown.mjs'

/** @param {string} source */
const trial = (source) => {
  const [block] = readPage(source).blocks
  if (block === undefined) throw new Error('no block')
  return trialOf(block)
}

/** @param {string} fence @param {string} text */
const fenced = (fence, text) => `\`\`\`${fence}\n${text}\n\`\`\`\n`

const program = "import { Edictum } from 'edictum'"

describe('trialOf', () => {
  it.each([
    ['a program is run', fenced('js', program), 'run'],
    ['contracts are loaded', fenced('yaml', '- id: a'), 'load'],
    ['a bundle is loaded', fenced('yaml', '# a comment\napiVersion: edictum/v1'), 'load'],
    ['what is marked invalid is refused', fenced('yaml invalid', 'a: 1'), 'refuse'],
    ['cases are read', fenced('yaml', 'cases: []'), 'cases'],
    ['JSON is parsed', fenced('json', '{}'), 'parse'],
    ['a file is there for the programs', fenced('js file=tool.mjs', 'export const a = 1'), 'place'],
    [
      'a command with its output is run',
      `${fenced('sh', 'npx edictum version')}\n<!-- generated:output -->`,
      'print',
    ],
    [
      'commands of this repository are looked up',
      fenced('sh', 'npm ci && npm run build # once'),
      'repository',
    ],
    ['what needs a framework is run by its tests', fenced('js framework', program), 'framework'],
    ['what needs servers is run by their tests', fenced('ts servers', program), 'servers'],
    ['what needs the console is run by its tests', fenced('sh console', 'curl "$CONSOLE"'), 'console'],
    ['output is not tried', fenced('text', 'hello'), 'prose'],
  ])('%s', (_, source, expected) => {
    expect(trial(source)).toBe(expected)
  })

  it.each([
    ['a program that does not run', fenced('js no-run', program)],
    ['code that imports nothing of ours', fenced('ts', 'const client = guardClient()')],
    ['a part of a bundle', fenced('yaml', 'observability: {}')],
    ['commands of others', fenced('sh', 'curl https://example.com')],
    ['a command of ours without its output', fenced('sh', 'npx edictum version')],
    ['a language nobody knows', fenced('toml', 'a = 1')],
    ['no language', fenced('', 'a')],
  ])('%s is tried by nobody, unless the page says why', (_, source) => {
    expect(trial(source)).toBeUndefined()
    expect(trial(`<!-- not run: -->\n\n${source}`)).toBeUndefined()
    expect(trial(`<!-- not run: it needs a terminal -->\n\n${source}`)).toMatch(/fragment|described/)
  })

  it('a program that does not run is compiled', () => {
    expect(trial(`<!-- not run: it needs a terminal -->\n\n${fenced('ts no-run', program)}`)).toBe('fragment')
  })
})

describe('missingScripts', () => {
  it('names what a command of the repository asks for in vain', () => {
    const [block] = readPage(
      fenced(
        'sh',
        'npm ci && npm run build\nnpm run biuld\nnode scripts/gone.mjs ./x # serves\nnode scripts/here.mjs',
      ),
    ).blocks
    if (block === undefined) throw new Error('no block')
    const hasFile = (/** @type {string} */ path) => path === 'scripts/here.mjs'
    expect(missingScripts(block, { scripts: { build: '' }, hasFile })).toEqual([
      'npm run biuld',
      'scripts/gone.mjs',
    ])
  })
})
