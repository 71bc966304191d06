// @ts-check
// Fills the generated parts of the documentation from the built package: tables of what the code knows, and what the
// examples really print. With `--check` nothing is written, and a page that would change is a fault.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { renderFrameworkTable } from './framework-table.mjs'
import { formatTable, readPage } from './markdown.mjs'
import { runCommand } from './run-command.mjs'
import { cacheFolder, root } from './workspace.mjs'

const docsFolder = join(root, 'docs')
const errorPages = join(docsFolder, 'errors')
const workFolder = join(cacheFolder, 'reference')
const referencePage = join(docsFolder, 'reference/contract-language.md')
const guardPage = join(docsFolder, 'reference/guard.md')
const exportsPage = join(docsFolder, 'reference/exports.md')
const region = /<!-- generated:([a-z-]+) -->\n[\s\S]*?<!-- \/generated -->/g

/** @typedef {import('./markdown.mjs').Block} Block */
/** @typedef {{ file: string, source: string, offset: number }} Place where in which page something is generated */

const edictum = await load('index.js')
const { operandShapes } = await load('contracts/operators.js')
const { detectorGroups, detectorMeanings } = await load('contracts/detectors.js')
const { detectors } = await load('policy/redaction/detectors/library.js')
const { compileOperator } = await load('policy/conditions/operators.js')
const { compilePattern } = await load('contracts/pattern/pattern.js')
const { selectorPrefixes } = await load('contracts/selectors.js')
const { buildBundleSchema } = await load('contracts/schema.js')
const { maxBundleBytesDefault } = await load('contracts/load.js')
const { maxMessageLength, maxNameLength } = await load('contracts/check-contract.js')
const { toWire } = await load('guard/ports/audit-event.js')
const { commands } = await load('cli/commands.js')
const { helpOf } = await load('cli/help.js')

/** @type {Record<string, (place: Place) => string | Promise<string>>} */
const renderers = {
  operators: renderOperators,
  detectors: renderDetectors,
  defaults: renderDefaults,
  limits: renderLimits,
  templates: renderTemplates,
  'error-codes': renderErrorCodes,
  'refused-patterns': renderRefusedPatterns,
  'guard-defaults': renderGuardDefaults,
  'default-limits': renderDefaultLimits,
  'audit-actions': renderAuditActions,
  'audit-fields': renderAuditFields,
  failures: renderFailures,
  frameworks: renderFrameworkTable,
  commands: renderCommands,
  output: renderOutput,
}

const isCheck = process.argv.includes('--check')
/** @type {string[]} */
const faults = []
for (const file of listPages(docsFolder)) {
  const source = readFileSync(file, 'utf8')
  refresh(file, source, await fillRegions(file, source))
}
const indexFile = join(root, 'llms.txt')
refresh(indexFile, existsSync(indexFile) ? readFileSync(indexFile, 'utf8') : '', renderIndexForModels())
rmSync(workFolder, { recursive: true, force: true })
checkMentions()
for (const fault of faults) console.log(fault)
if (faults.length > 0) process.exitCode = 1

/**
 * @param {string} file
 * @param {string} source
 * @param {string} filled
 */
function refresh(file, source, filled) {
  if (filled === source) return
  if (isCheck) faults.push(`${relative(root, file)} is out of date; run node scripts/generate-reference.mjs`)
  else writeFileSync(file, filled)
}

/** The index of the documentation in the form that language models are given: what this is, and where to read on. */
function renderIndexForModels() {
  const [title = '', summary = ''] = readFileSync(join(root, 'README.md'), 'utf8').split('\n\n')
  const index = readFileSync(join(docsFolder, 'README.md'), 'utf8')
  const parts = index
    .slice(index.indexOf('\n**'))
    .replaceAll(/^\*\*(.+?)\*\*(.*)$/gm, '## $1$2')
    .replaceAll(/\]\((?!\.\.\/|https?:)/g, '](docs/')
    .replaceAll('](../', '](')
  return `${title}\n\n> ${summary.replaceAll('\n', ' ')}\n${parts}`
}

/** @param {string} file a compiled file of the library */
async function load(file) {
  return import(pathToFileURL(join(root, 'packages/edictum/dist', file)).href)
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function listPages(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
    .toSorted()
}

/**
 * @param {string} file
 * @param {string} source
 */
async function fillRegions(file, source) {
  let filled = ''
  let end = 0
  for (const found of source.matchAll(region)) {
    const [text, name = ''] = found
    const render = renderers[name]
    if (render === undefined)
      throw new Error(`${relative(root, file)} asks for ${name}, which is not generated`)
    const content = await render({ file, source, offset: found.index })
    filled += `${source.slice(end, found.index)}<!-- generated:${name} -->\n\n${content}\n\n<!-- /generated -->`
    end = found.index + text.length
  }
  return filled + source.slice(end)
}

function renderOperators() {
  /** @type {Record<string, string>} */
  const meanings = {
    exists: 'the value is there (`true`) or missing (`false`)',
    equals: 'equal, deeply for lists and mappings; nothing is converted',
    not_equals: 'not equal',
    in: 'equal to one of the entries',
    not_in: 'equal to none of the entries',
    contains: 'the text occurs in the value',
    contains_any: 'one of the texts occurs in the value',
    starts_with: 'the value begins with the text',
    ends_with: 'the value ends with the text',
    matches: 'the pattern is found anywhere in the value',
    matches_any: 'one of the patterns is found anywhere in the value',
    detects: 'one of the detectors finds something in the value, or anywhere inside it',
    gt: 'greater than',
    gte: 'greater than or equal',
    lt: 'less than',
    lte: 'less than or equal',
    within: 'a path may lead into one of the folders',
    not_within: 'a path leads to where none of the folders is',
  }
  /** @type {Record<string, readonly [words: string, sample: unknown]>} */
  const operands = {
    boolean: ['`true` or `false`', true],
    anything: ['any value', 'x'],
    list: ['list of at least one value', ['x']],
    text: ['text', 'x'],
    texts: ['list of at least one text', ['x']],
    pattern: ['pattern', 'x'],
    patterns: ['list of at least one pattern', ['x']],
    number: ['finite number', 1],
    detectors: ['list of at least one [detector](#detectors)', ['ssn']],
    folders: ['list of at least one folder', ['/x']],
  }
  const rows = Object.entries(operandShapes).map(([name, shape]) => {
    const meaning = meanings[name]
    const [words, sample] = operands[shape] ?? []
    if (meaning === undefined || words === undefined)
      throw new Error(`operator ${name} has no description yet`)
    const judged =
      name === 'exists'
        ? 'any, also missing'
        : shape === 'folders'
          ? '`paths` only'
          : acceptedValues(compileOperator(name, sample))
    return [code(name), words, judged, meaning]
  })
  return formatTable(['operator', 'operand', 'value it judges', 'true when'], rows)
}

function renderDetectors() {
  const rows = Object.entries(detectorGroups).flatMap(([group, names]) =>
    names.map((/** @type {string} */ name) => [
      code(name),
      code(group),
      detectorMeanings[name],
      detectors[name].source,
    ]),
  )
  return formatTable(['detector', 'group', 'finds', 'format described in'], rows)
}

/**
 * Tries one value of each kind: what is answered with a policy error is not accepted.
 * @param {(value: unknown) => unknown} judge
 */
function acceptedValues(judge) {
  /** @type {Record<string, unknown>} */
  const samples = { text: 'x', number: 1, boolean: true, list: ['x'], mapping: { x: 1 } }
  const kinds = Object.keys(samples)
  const accepted = kinds.filter((kind) => typeof judge(samples[kind]) === 'boolean')
  return accepted.length === kinds.length ? 'any' : accepted.join(', ')
}

/** Loads a bundle that leaves everything out that may be left out, and reads what was filled in. */
function renderDefaults() {
  const { bundle } = edictum.loadBundleString(`
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: smallest }
defaults: { mode: enforce }
tools: { some_tool: { side_effect: read } }
observability: { otel: {} }
contracts:
  - { id: before, type: pre, tool: '*', when: { tool.name: { exists: true } }, then: { effect: deny, message: m } }
  - { id: inside, type: sandbox, tool: '*', within: [/], message: m }
`)
  const [pre, sandbox] = bundle.contracts
  const { otel } = bundle.observability
  if (pre.mode !== undefined) throw new Error('a contract without mode has been given one')
  const rows = [
    ['`enabled` of a contract', pre.enabled],
    ['`mode` of a contract', undefined],
    ['`then.tags`', pre.then.tags],
    ['`then.metadata`', pre.then.metadata],
    ['`timeout` of `pre` and `sandbox`, in seconds', pre.then.timeoutSeconds],
    ['`timeout_effect` of `pre` and `sandbox`', pre.then.timeoutEffect],
    ['`outside` of `sandbox`', sandbox.outside],
    ['`not_within` of `sandbox`', sandbox.notWithin],
    ['`idempotent` of a tool', bundle.tools.get('some_tool').idempotent],
    ['`observe_alongside`', bundle.observeAlongside],
    ['`otel.enabled`', otel.enabled],
    ['`otel.endpoint`', otel.endpoint],
    ['`otel.protocol`', otel.protocol],
    ['`otel.service_name`', otel.serviceName],
    ['`otel.insecure`', otel.insecure],
    ['`otel.resource_attributes`', Object.fromEntries(otel.resourceAttributes)],
  ].map(([field, value]) => [field, value === undefined ? 'the bundle’s `defaults.mode`' : codeOf(value)])
  return formatTable(['field', 'default'], rows)
}

function renderLimits() {
  return formatTable(
    ['what', 'at most'],
    [
      [
        'one bundle file',
        `${maxBundleBytesDefault.toLocaleString('en')} bytes; \`maxBundleBytes\` raises it`,
      ],
      ['`message`', `${maxMessageLength} characters`],
      ['`id`, `metadata.name`, `tool`', `${maxNameLength.toLocaleString('en')} characters`],
      ['conditions inside each other', `${deepestCondition()} levels`],
    ],
  )
}

/** Nests conditions until the loader refuses them. */
function deepestCondition() {
  let when = "{ tool.name: { equals: 'x' } }"
  for (let depth = 1; depth < 1_000; depth += 1) {
    try {
      edictum.loadBundleString(
        `{ apiVersion: edictum/v1, kind: ContractBundle, metadata: { name: deep }, defaults: { mode: enforce },
          contracts: [{ id: deep, type: pre, tool: '*', when: ${when}, then: { effect: deny, message: m } }] }`,
      )
    } catch {
      return depth - 1
    }
    when = `{ not: ${when} }`
  }
  throw new Error('conditions may be nested without end')
}

function renderTemplates() {
  const rows = edictum.Edictum.listTemplates().map(
    (/** @type {{ name: string, path: string }} */ template) => {
      const { bundle } = edictum.loadBundle(template.path)
      return [
        code(template.name),
        bundle.defaults.mode,
        bundle.contracts.length,
        bundle.metadata.description ?? '',
      ]
    },
  )
  return formatTable(['template', 'mode', 'contracts', 'what it is for'], rows)
}

/**
 * A code is described by the first paragraph of its page.
 * @param {Place} place
 */
function renderErrorCodes({ file }) {
  const rows = edictum.diagnosticCodes.map((/** @type {string} */ name) => {
    const page = join(errorPages, `${name}.md`)
    const [, paragraph = ''] = readFileSync(page, 'utf8').split('\n\n')
    return [`[${name}](${relative(dirname(file), page)})`, paragraph.replaceAll('\n', ' ')]
  })
  return formatTable(['code', 'meaning'], rows)
}

/** One pattern for each construct that is refused, with the loader's own advice. */
function renderRefusedPatterns() {
  const sources = [
    '(\\w+) \\1',
    'a++b',
    '(?>a+)b',
    '(a)?(?(1)b|c)',
    '(?=.*a)(?=.*b)',
    'a.*(?!b)c',
    '(?<=a+)b',
    '.{5000}x',
    '\\p{L}',
    '[[:alpha:]]',
    '\\N{EM DASH}',
    '(?<year>\\d{4})',
    'a(?i)b',
    'a\\z',
  ]
  const rows = sources.map((source) => {
    const result = compilePattern(source)
    if (result.ok) throw new Error(`the pattern ${source} is not refused any more`)
    return [code(source), result.problem.message, result.problem.hint]
  })
  return formatTable(['pattern', 'why', 'instead'], rows)
}

function renderGuardDefaults() {
  const defaults = { ...edictum.guardDefaults, maxBundleBytes: maxBundleBytesDefault }
  return formatTable(
    ['option', 'default'],
    Object.entries(defaults).map(([name, value]) => [code(name), codeOf(value)]),
  )
}

function renderDefaultLimits() {
  /** @type {Record<string, string>} */
  const meanings = {
    maxAttempts: 'attempts, denied ones included',
    maxToolCalls: 'calls that ran with success',
  }
  return formatTable(
    ['limit', 'of', 'default'],
    describeEach(edictum.defaultLimits, meanings).map(([name, meaning, value]) => [
      code(name),
      meaning,
      codeOf(value),
    ]),
  )
}

function renderAuditActions() {
  /** @type {Record<string, string>} */
  const meanings = {
    CALL_DENIED: 'the call was denied; the tool has not run',
    CALL_WOULD_DENY:
      'it would have been denied, if the guard, the contract or the candidate did not only observe',
    CALL_ALLOWED:
      'it was admitted and is about to run; with a candidate as `decisionName`: the candidate agrees',
    CALL_EXECUTED: 'the tool ran and succeeded',
    CALL_FAILED: 'the tool ran and failed, or an admitted call was abandoned',
    CALL_APPROVAL_REQUESTED: 'a person has been asked',
    CALL_APPROVAL_GRANTED: 'they agreed',
    CALL_APPROVAL_DENIED: 'they refused; the tool has not run',
    CALL_APPROVAL_TIMEOUT: 'nobody answered in time; the `timeout_effect` of the contract applies',
    LATE_RESULT_DISCARDED:
      'after the end of the call: a tool that was given up ended after all, and its result was dropped',
  }
  return formatTable(
    ['action', 'constant', 'meaning'],
    describeEach(edictum.AuditAction, meanings).map(([name, meaning, value]) => [
      codeOf(value),
      code(name),
      meaning,
    ]),
  )
}

/** Records a call and reads the names of the fields off the event itself, in both spellings. */
async function renderAuditFields() {
  /** @type {Record<string, string>} */
  const meanings = {
    schemaVersion: 'version of this form',
    timestamp: 'when the event was made; ISO 8601 in UTC on the wire',
    runId: 'the session id',
    callId: 'the same for all events of a call',
    callIndex: 'its place among the calls of a turn',
    parentCallId: 'the call it belongs to, or null',
    sessionId: 'whose counters are used',
    toolName: 'the name of the tool',
    toolArgs: 'its arguments, redacted',
    sideEffect: '`pure`, `read`, `write` or `irreversible`',
    environment: 'where the agent runs',
    principal: 'who the call is made for, in snake_case, claims redacted; or null',
    action: 'what happened, see above',
    decisionSource: 'which part decided, see below; or null',
    decisionName: 'which contract, hook or limit of it; or null',
    reason: 'what it said, redacted; or null',
    hooksEvaluated: 'the before-hooks that were asked',
    contractsEvaluated: 'the contracts that were judged',
    toolSuccess: 'whether the tool succeeded; null before it has run',
    postconditionsPassed: 'whether every enforced postcondition passed; null before',
    durationMs: 'how long the tool took; 0 before',
    error: 'why it failed, redacted; or null',
    resultSummary: 'the beginning of the result, redacted; or null',
    sessionAttemptCount: 'attempts of the session, this one included',
    sessionExecutionCount: 'executions of the session',
    mode: 'of the guard; `observe` for an event of a contract or candidate that only watches',
    policyVersion: 'hash of the bundle, or null without one',
    policyError: 'whether something could not be decided',
    outcome: 'how the [runtime](../concepts/outcomes.md) calls the end of the call; absent elsewhere',
    waitsMs: 'how long the call has waited, in milliseconds by step; absent while it waited for nobody',
  }
  const guard = new edictum.Edictum()
  await guard.run('some_tool', {}, () => null)
  const event = guard.localSink.last()
  const onTheWire = new Set(Object.keys(toWire(event)))
  return formatTable(
    ['in memory', 'on the wire', 'what it is'],
    describeEach(event, meanings).map(([name, meaning]) => {
      const wireName = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      if (!onTheWire.has(wireName)) throw new Error(`${name} of an audit event is not on the wire`)
      return [code(name), code(wireName), meaning]
    }),
  )
}

/**
 * @param {object} values
 * @param {Record<string, string>} meanings
 * @returns {(readonly [name: string, meaning: string, value: unknown])[]}
 */
function describeEach(values, meanings) {
  return Object.entries(values).map(([name, value]) => {
    const meaning = meanings[name]
    if (meaning === undefined) throw new Error(`${name} has no description yet`)
    return [name, meaning, value]
  })
}

/**
 * What the example above the place yields: the message of a refused bundle, or the output of a program.
 * @param {Place} place
 */
async function renderOutput({ file, source, offset }) {
  const { blocks } = readPage(source)
  const line = source.slice(0, offset).split('\n').length
  const example = blocks.findLast(
    (block) => block.line < line && (isRefused(block) || isProgram(block) || isCommand(block)),
  )
  if (example === undefined) throw new Error(`${relative(root, file)}:${line} has no example above it`)
  const output = isRefused(example) ? messageFor(example) : await runExample(example, blocks)
  return `\`\`\`text\n${output.trimEnd().replaceAll(/[ \t]+$/gm, '')}\n\`\`\``
}

/** @param {Block} block */
function isRefused({ language, words }) {
  return language === 'yaml' && words.includes('invalid')
}

/** @param {Block} block */
function isProgram({ language, text }) {
  return language === 'js' && /from 'edictum[/']/.test(text)
}

/** @param {Block} block */
function isCommand({ language, text }) {
  return language === 'sh' && /^npx edictum /m.test(text)
}

/** @param {Block} block */
function messageFor({ text }) {
  try {
    edictum.loadBundleString(`${text}\n`, { file: 'contracts.yaml' })
  } catch (error) {
    if (error instanceof Error && error.name === 'EdictumConfigError') return error.message
    throw error
  }
  throw new Error(`an example marked invalid loads:\n${text}`)
}

/**
 * @param {Block} example
 * @param {readonly Block[]} blocks
 */
async function runExample(example, blocks) {
  rmSync(workFolder, { recursive: true, force: true })
  mkdirSync(workFolder, { recursive: true })
  for (const { words, text } of blocks) {
    const name = words.find((word) => word.startsWith('file='))?.slice('file='.length)
    if (name === undefined) continue
    mkdirSync(dirname(join(workFolder, name)), { recursive: true })
    writeFileSync(join(workFolder, name), `${text}\n`)
  }
  if (isCommand(example)) return runCommands(example)
  const program = join(workFolder, 'example.mjs')
  writeFileSync(program, `${example.text}\n`)
  const result = await runCommand(process.execPath, [program], {
    cwd: workFolder,
    timeoutMs: 30_000,
    environment: { NO_COLOR: '1' },
  })
  if (!result.ok) throw new Error(`an example ended badly:\n${example.text}\n\n${result.output}`)
  return result.stdout
}

/** What the tests of the guard expect when a part fails, ways with the same end in one row. */
function renderFailures() {
  /** @type {{ part: string, fails: string, ran: 0 | 1, ends: string, event: string, source: string | null }[]} */
  const failures = JSON.parse(readFileSync(join(root, 'packages/edictum/test/guard/failures.json'), 'utf8'))
  /** @type {Map<string, string[]>} */
  const ways = new Map()
  for (const { part, fails, ran, ends, event, source } of failures) {
    const row = [
      part,
      ran === 0 ? 'no' : 'yes',
      ends === 'returns' ? 'the result' : code(ends),
      code(event),
      source === null ? '' : code(source),
    ]
    const key = JSON.stringify(row)
    ways.set(key, [...(ways.get(key) ?? []), fails])
  }
  const rows = [...ways].map(([key, fails]) => {
    const [part, ...rest] = /** @type {string[]} */ (JSON.parse(key))
    return [part ?? '', fails.join(', '), ...rest]
  })
  return formatTable(
    ['part', 'way of failing', 'tool ran', 'the call ends with', 'last event', 'source'],
    rows,
  )
}

/** Tables of fields are written by hand; this finds a field, selector, option or export nobody wrote about. */
function checkMentions() {
  const fields = new Set(selectorPrefixes)
  collectFields(buildBundleSchema(), fields)
  findUnmentioned(referencePage, fields)
  const options = [
    ['edictum.d.ts', 'EdictumOptions'],
    ['guard/call-judge.d.ts', 'EvaluateOptions'],
    ['guard/call-request.d.ts', 'RunOptions'],
    ['guard/extensions.d.ts', 'CustomOptions'],
  ].flatMap(([file = '', name = '']) => optionsOf(readDeclarations(file), name))
  findUnmentioned(guardPage, options)
  for (const door of ['index.d.ts', 'history/index.d.ts', 'artifacts.d.ts', 'isolation.d.ts', 'otel.d.ts']) {
    findUnmentioned(exportsPage, exportedNames(readDeclarations(door)))
  }
}

/**
 * @param {string} file
 * @param {Iterable<string>} names
 */
function findUnmentioned(file, names) {
  const page = readFileSync(file, 'utf8')
  for (const name of names) {
    const isMentioned = new RegExp(`\`[^\`]*\\b${name}\\b[^\`]*\``).test(page)
    if (!isMentioned) faults.push(`${relative(root, file)} does not mention \`${name}\``)
  }
}

/** @param {string} file */
function readDeclarations(file) {
  return readFileSync(join(root, 'packages/edictum/dist', file), 'utf8')
}

/**
 * @param {string} declarations
 * @param {string} name of an interface
 */
function optionsOf(declarations, name) {
  const body = new RegExp(`interface ${name}\\b[^{]*\\{([\\s\\S]*?)\\n\\}`).exec(declarations)?.[1]
  if (body === undefined) throw new Error(`there is no interface ${name} any more`)
  return [...body.matchAll(/^ {4}readonly (\w+)\??:/gm)].map(([, option = '']) => option)
}

/** @param {string} declarations */
function exportedNames(declarations) {
  return [...declarations.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((item) =>
        item
          .trim()
          .replace(/^type /, '')
          .replace(/^\w+ as /, ''),
      )
      .filter((item) => item !== ''),
  )
}

/**
 * @param {unknown} schema
 * @param {Set<string>} into
 */
function collectFields(schema, into) {
  if (typeof schema !== 'object' || schema === null) return
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') for (const name of Object.keys(value)) into.add(name)
    collectFields(value, into)
  }
}

/** @param {unknown} value */
function codeOf(value) {
  return code(typeof value === 'string' ? value : JSON.stringify(value))
}

/** As the command itself says it. */
function renderCommands() {
  return commands
    .map((/** @type {{ name: string }} */ command) =>
      ['### `edictum ' + command.name + '`', '', '```text', helpOf(command), '```'].join('\n'),
    )
    .join('\n\n')
}

/**
 * What a person sees who types this: an answer of no is an answer, too.
 * @param {Block} example
 */
async function runCommands({ text }) {
  const command = join(root, 'packages/edictum/bin/edictum.js')
  const npx = 'npx() { shift; "$NODE" "$COMMAND" "$@"; }'
  const { output } = await runCommand('sh', ['-c', `${npx}\n${text}`], {
    cwd: workFolder,
    timeoutMs: 30_000,
    environment: { NO_COLOR: '1', NODE: process.execPath, COMMAND: command },
  })
  if (/ {4}at |not found/.test(output)) throw new Error(`an example broke:\n${text}\n${output}`)
  return output
}

/** @param {string} text */
function code(text) {
  return `\`${text}\``
}
