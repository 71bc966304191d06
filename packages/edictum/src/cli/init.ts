// `edictum init`: a first bundle with its test cases and a check for continuous integration. What is there is left alone.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import type { Mode } from '../contracts/bundle.js'
import { loadCases } from '../contracts/cases.js'
import { loadBundleString } from '../contracts/load.js'
import { findTemplate, listTemplates } from '../contracts/templates.js'
import { closestWord } from '../internal/closest-word.js'
import { type Command, CommandFailure, type ExitCode, type Invocation, UsageError } from './command.js'
import { writeNew } from './files.js'
import { paint, type Terminal } from './terminal.js'

const continuousIntegration = ['github', 'gitlab', 'none'] as const

type Ci = (typeof continuousIntegration)[number]

export const init: Command = {
  name: 'init',
  summary: 'Write a first bundle, its test cases and a check for CI.',
  operands: '',
  options: {
    template: { value: 'NAME', summary: 'The bundle to start from; see `edictum templates`.' },
    mode: { value: 'MODE', summary: 'observe, to only record what would be denied, or enforce.' },
    ci: { value: 'NAME', summary: `Where checks run: ${continuousIntegration.join(', ')}.` },
    file: { value: 'FILE', summary: 'Where to write the bundle; contracts.yaml if left out.' },
    json: { summary: 'Answer in JSON.' },
  },
  run: begin,
}

interface Wishes {
  readonly template: string
  readonly mode: Mode
  readonly ci: Ci
}

async function begin(invocation: Invocation): Promise<ExitCode> {
  const { options, terminal, folder } = invocation
  const file = options.text('file') ?? 'contracts.yaml'
  if (!/\.ya?ml$/.test(file)) throw new UsageError('--file must end in .yaml')
  const wishes = await readWishes(invocation)
  const files = filesFor(wishes, file, folder)
  const taken = [...files.keys()].filter((name) => existsSync(resolve(folder, name)))
  if (taken.length > 0)
    throw new CommandFailure(
      `${taken.join(', ')} is there already; nothing was written. Choose another --file`,
    )
  for (const [name, text] of files) writeNew(name, text, folder)
  if (options.isSet('json')) terminal.say(JSON.stringify({ ...wishes, written: [...files.keys()] }, null, 2))
  else {
    tell(terminal, files, file)
    if (wishes.mode === 'observe') tellOfObserving(terminal, file)
  }
  return 0
}

/** Whatever is not given as an option is asked for, if there is somebody to ask. */
async function readWishes(invocation: Invocation): Promise<Wishes> {
  const names = listTemplates().map(({ name }) => name)
  return {
    template: await choose(invocation, 'template', {
      question: 'What does your agent resemble?',
      choices: names,
      usual: 'file-agent',
    }),
    mode: await choose(invocation, 'mode', {
      question: 'Begin by observing, or enforce at once?',
      choices: ['observe', 'enforce'],
      usual: 'observe',
    }),
    ci: await choose(invocation, 'ci', {
      question: 'Where do your checks run?',
      choices: continuousIntegration,
      usual: 'none',
    }),
  }
}

interface Choice<Word extends string> {
  readonly question: string
  readonly choices: readonly Word[]
  readonly usual: Word
}

async function choose<Word extends string>(
  { options, input, terminal }: Invocation,
  option: string,
  { question, choices, usual }: Choice<Word>,
): Promise<Word> {
  const given = options.text(option)
  const answer = given ?? (input.isTerminal ? await ask() : usual)
  const word = choices.find((choice) => choice === answer) ?? choices[Number(answer) - 1]
  if (word !== undefined) return word
  const meant = closestWord(answer, choices)
  throw new UsageError(
    `--${option} cannot be ${answer}; ${meant === undefined ? `use one of ${choices.join(', ')}` : `did you mean ${meant}?`}`,
  )

  async function ask(): Promise<string> {
    // About the answer, not part of it.
    terminal.complain(paint(terminal, 'bold', question))
    for (const [index, choice] of choices.entries()) terminal.complain(`  ${index + 1} ${choice}`)
    const typed = (await input.ask(`[${usual}] `)).trim()
    return typed === '' ? usual : typed
  }
}

function filesFor(wishes: Wishes, file: string, folder: string): ReadonlyMap<string, string> {
  const path = findTemplate(wishes.template)
  const cases = file.replace(/\.ya?ml$/, '.cases.yaml')
  const files = new Map([
    [file, bundleFrom(readFileSync(path, 'utf8'), wishes.mode, schemaPath(file, folder))],
    [cases, casesFrom(readFileSync(path.replace(/\.yaml$/, '.cases.yaml'), 'utf8'), wishes)],
  ])
  if (wishes.ci === 'github') files.set('.github/workflows/contracts.yml', githubWorkflow(file, cases))
  if (wishes.ci === 'gitlab') files.set('.gitlab-ci.contracts.yml', gitlabJob(file, cases))
  return files
}

function schemaPath(file: string, folder: string): string {
  const schema = resolve(folder, 'node_modules/edictum/schema.json')
  return relative(dirname(resolve(folder, file)), schema).replaceAll('\\', '/')
}

/** The template as it is, but for the mode and the place of the schema. */
function bundleFrom(template: string, mode: Mode, schema: string): string {
  const text = template
    .replace(/\$schema=\S+/, `$schema=${schema}`)
    .replace(/^(defaults:\n {2}mode: )\w+$/m, `$1${mode}`)
  const { bundle } = loadBundleString(text)
  if (bundle.defaults.mode !== mode) throw new Error('the template has its mode in another place')
  return text
}

/** Cases are written for the mode of the template; what they expect is what the bundle does in the mode that was chosen. */
function casesFrom(cases: string, { mode, template }: Wishes): string {
  const { bundle } = loadBundleString(readFileSync(findTemplate(template)))
  if (bundle.defaults.mode === mode) return cases
  const followers = new Set(bundle.contracts.filter((one) => one.mode === undefined).map(({ id }) => id))
  return cases.replaceAll(
    /^( {4}expect: )(\w+)(\n {4}match_contract: )(\S+)$/gm,
    (whole: string, ...groups: readonly string[]) => {
      const [start = '', expected = '', middle = '', id = ''] = groups
      if (expected === 'allow' || !followers.has(id)) return whole
      return `${start}${mode === 'observe' ? 'observe' : 'deny'}${middle}${id}`
    },
  )
}

function githubWorkflow(file: string, cases: string): string {
  return `name: contracts
on: [push, pull_request]
permissions:
  contents: read
jobs:
  contracts:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npm ci
      - run: npx edictum validate ${file}
      - run: npx edictum lint ${file}
      - run: npx edictum test ${file} --cases ${cases}
`
}

function gitlabJob(file: string, cases: string): string {
  return `# In .gitlab-ci.yml: include the file .gitlab-ci.contracts.yml
contracts:
  image: node:22
  script:
    - npm ci
    - npx edictum validate ${file}
    - npx edictum lint ${file}
    - npx edictum test ${file} --cases ${cases}
`
}

function tell(terminal: Terminal, files: ReadonlyMap<string, string>, file: string): void {
  for (const name of files.keys()) terminal.say(`${paint(terminal, 'green', '+')} ${name}`)
  const [, [cases = '', text = ''] = []] = files
  const stopped = loadCases(text).find(({ expect }) => expect !== 'allow')
  terminal.say('')
  terminal.say('Next:')
  terminal.say(`  npx edictum test ${file} --cases ${cases}`)
  if (stopped !== undefined)
    terminal.say(
      `  npx edictum explain ${file} --tool ${stopped.tool} --args '${JSON.stringify(stopped.args)}'`,
    )
  terminal.say(`  and in your program: Edictum.fromYaml('${file}')`)
}

/** Otherwise somebody may believe to be protected. */
function tellOfObserving(terminal: Terminal, file: string): void {
  terminal.say('')
  terminal.say(`${file} only observes: every call runs, and what would be denied is on record.`)
  terminal.say('To deny it, write `mode: enforce` under `defaults`.')
}
