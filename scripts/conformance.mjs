// Runs the conformance cases, and the shared fixtures when they lie beside the repository, against the built
// library. A case file that is malformed counts as a failure, so a broken case can never pass unnoticed.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { load } from 'js-yaml'

const repository = dirname(dirname(fileURLToPath(import.meta.url)))

const EXPRESSION_KEYS = ['when', 'post_when']
const CALL_KEYS = ['envelope', 'result', 'environment', 'principal', 'call_metadata']
const GUARD_KEYS = ['session', 'approval_decision', 'approval_pending', 'timeout_expired']
const VERDICTS = ['allowed', 'denied', 'warned', 'redacted']
const PRINCIPAL_FIELDS = {
  user_id: 'userId',
  service_id: 'serviceId',
  org_id: 'orgId',
  role: 'role',
  ticket_ref: 'ticketRef',
}

/** What a case of each kind may say, what it must say, and who judges it. */
const KINDS = {
  accept: {
    list: 'cases',
    fileKeys: ['suite', 'note', 'base', 'cases'],
    caseKeys: ['id', 'note', 'yaml', 'replace', 'expected'],
    sources: ['yaml', 'replace'],
    expectedKeys: ['accepted'],
    required: ['accepted'],
    judge: judgeAcceptance,
  },
  reject: {
    list: 'cases',
    fileKeys: ['suite', 'note', 'base', 'cases'],
    caseKeys: ['id', 'note', 'yaml', 'replace', 'expected'],
    sources: ['yaml', 'replace'],
    expectedKeys: ['rejected', 'code', 'line', 'error_contains', 'diagnostics'],
    required: ['rejected', 'line', 'error_contains'],
    judge: judgeRejection,
  },
  verdict: {
    list: 'cases',
    fileKeys: ['suite', 'note', 'cases'],
    caseKeys: [
      'id',
      'note',
      'contract',
      'contracts',
      ...EXPRESSION_KEYS,
      ...CALL_KEYS,
      ...GUARD_KEYS,
      'expected',
    ],
    sources: ['contract', 'contracts', ...EXPRESSION_KEYS],
    expectedKeys: [
      'verdict',
      'dry_run',
      'policy_error',
      'message',
      'message_contains',
      'tags',
      'audit_action',
      'contracts',
    ],
    required: ['verdict'],
    judge: judgeVerdict,
  },
  composition: {
    list: 'cases',
    fileKeys: ['suite', 'note', 'cases'],
    caseKeys: ['id', 'note', 'layers', ...CALL_KEYS, 'expected'],
    sources: ['layers'],
    expectedKeys: [
      'verdict',
      'policy_error',
      'message',
      'contracts',
      'overridden',
      'shadow',
      'rejected',
      'error_contains',
    ],
    required: [],
    judge: judgeComposition,
  },
  'shared rejection': {
    list: 'fixtures',
    fileKeys: ['suite', 'version', 'description', 'fixtures'],
    caseKeys: ['id', 'description', 'bundle', 'expected'],
    sources: ['bundle'],
    expectedKeys: ['rejected', 'error_contains'],
    required: ['rejected'],
    judge: judgeSharedRejection,
  },
  'shared verdict': {
    list: 'fixtures',
    fileKeys: ['suite', 'version', 'description', 'fixtures'],
    caseKeys: ['id', 'description', 'contract', ...CALL_KEYS, ...GUARD_KEYS, 'expected'],
    sources: ['contract'],
    expectedKeys: ['verdict', 'message_contains', 'audit_action', 'tags'],
    required: ['verdict'],
    judge: judgeVerdict,
  },
}

/** Fixtures whose literal expectation cannot be met; each must still show one of the verdicts listed here. */
const KNOWN_BAD = {
  'adv-inject-002': {
    verdicts: ['allowed'],
    reason: 'the text `$()` does not occur in `echo $(whoami)`, so a literal `contains` cannot find it',
  },
  'adv-tool-002': {
    verdicts: ['allowed', 'error'],
    reason: 'a tool name with a NUL byte is refused before any contract sees it; the tool never runs',
  },
  'adv-tool-003': {
    verdicts: ['denied', 'error'],
    reason:
      'a tool name with a slash is refused before any contract sees it; the contract message never shows',
  },
}

/** Runs every suite found and returns its counts, failures, and the cases that wait or are known to be bad. */
export async function runConformance({ library, casesDirectory, sharedDirectory }) {
  const suites = [...readOwnSuites(casesDirectory), ...readSharedSuites(sharedDirectory)]
  // A bundle may name a file for its audit events; it belongs to the run, not to where it was started.
  const start = process.cwd()
  const folder = mkdtempSync(join(tmpdir(), 'conformance-run-'))
  process.chdir(folder)
  try {
    return await judgeSuites(library, suites)
  } finally {
    process.chdir(start)
    rmSync(folder, { recursive: true })
  }
}

async function judgeSuites(library, suites) {
  const seen = new Set()
  const results = []
  for (const suite of suites) {
    const cases = suite.problems.map((problem) => ({ id: suite.name, status: 'failed', reason: problem }))
    for (const item of suite.cases) {
      const key = `${suite.kind.startsWith('shared') ? 'shared' : 'own'} ${item.id}`
      if (seen.has(key)) {
        cases.push({ id: item.id, status: 'failed', reason: `the id \`${item.id}\` is used twice` })
        continue
      }
      seen.add(key)
      cases.push({ id: item.id, ...(await judgeCase(library, suite.kind, item)) })
    }
    results.push({ suite: suite.name, cases })
  }
  return results
}

async function judgeCase(library, kind, item) {
  try {
    return await KINDS[kind].judge(library, item)
  } catch (error) {
    return failed([`the case could not be judged: ${error instanceof Error ? error.stack : String(error)}`])
  }
}

function failed(differences) {
  return { status: 'failed', reason: differences.join('\n') }
}

function passedOrFailed(differences) {
  return differences.length === 0 ? { status: 'passed', reason: '' } : failed(differences)
}

function readOwnSuites(directory) {
  const files = existsSync(directory) ? listYamlFiles(directory) : []
  if (files.length === 0) return [emptySuite('own cases', `no case file in ${directory}`)]
  return files.map((file) => {
    const path = relative(directory, file).split(sep).join('/')
    const kind = kindOfPath(path)
    if (kind === undefined) return emptySuite(path, 'this folder holds no kind of case')
    return readSuite(file, { name: path.replace(/\.yaml$/, ''), kind })
  })
}

function kindOfPath(path) {
  if (path.startsWith('contracts/accept/')) return 'accept'
  if (path.startsWith('contracts/reject/')) return 'reject'
  if (path.startsWith('verdicts/')) return 'verdict'
  if (path.startsWith('composition/')) return 'composition'
  return undefined
}

function readSharedSuites(directory) {
  if (directory === undefined || !existsSync(directory)) return []
  const files = listYamlFiles(directory)
  if (files.length === 0) return [emptySuite('shared fixtures', 'the shared fixtures hold no file')]
  return files.map((file) => {
    const path = relative(directory, file).split(sep).join('/')
    const kind = path.startsWith('rejection/') ? 'shared rejection' : 'shared verdict'
    return readSuite(file, { name: `shared/${path.replace(/\.[a-z]+\.yaml$/, '')}`, kind })
  })
}

function listYamlFiles(directory) {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml'))
    .toSorted()
    .map((path) => join(directory, path))
}

function emptySuite(name, problem) {
  return { name, kind: 'verdict', cases: [], problems: [problem] }
}

function readSuite(file, { name, kind }) {
  const rules = KINDS[kind]
  const problems = []
  let document
  try {
    document = load(readFileSync(file, 'utf8'))
  } catch (error) {
    return emptySuite(name, `not readable as YAML: ${error.message}`)
  }
  if (!isMapping(document)) return emptySuite(name, 'the file is not a mapping')
  problems.push(...findUnknownKeys(document, rules.fileKeys, 'the file'))
  const cases = document[rules.list]
  if (!Array.isArray(cases) || cases.length === 0) problems.push('the file holds no case')
  const sound = []
  for (const [index, item] of (Array.isArray(cases) ? cases : []).entries()) {
    const found = findCaseProblems(item, { rules, kind, position: index + 1, base: document.base })
    problems.push(...found)
    if (found.length === 0) sound.push({ ...expandNotation(item), base: document.base })
  }
  return { name, kind, cases: sound, problems }
}

function findCaseProblems(item, { rules, kind, position, base }) {
  if (!isMapping(item)) return [`case ${position} is not a mapping`]
  const label = typeof item.id === 'string' && item.id !== '' ? `case \`${item.id}\`` : `case ${position}`
  const problems = findUnknownKeys(item, rules.caseKeys, label)
  if (typeof item.id !== 'string' || item.id === '') problems.push(`${label} has no id`)
  const note = kind.startsWith('shared') ? 'description' : 'note'
  if (typeof item[note] !== 'string' || item[note] === '') problems.push(`${label} has no ${note}`)
  const sources = rules.sources.filter((key) => key in item)
  if (sources.length !== 1) problems.push(`${label} needs exactly one of ${rules.sources.join(', ')}`)
  if ('replace' in item && typeof base !== 'string')
    problems.push(`${label} replaces text but the file has no base`)
  if (!isMapping(item.expected)) return [...problems, `${label} expects nothing`]
  problems.push(...findUnknownKeys(item.expected, rules.expectedKeys, `${label}, expected`))
  problems.push(...findMissingExpectations(item.expected, { rules, kind, label }))
  return problems
}

function findMissingExpectations(expected, { rules, kind, label }) {
  const problems = rules.required
    .filter((key) => !(key in expected))
    .map((key) => `${label} does not say which ${key} it expects`)
  for (const key of ['accepted', 'rejected']) {
    if (!(key in expected) || expected[key] === true) continue
    const mayBeFalse = kind.startsWith('shared')
    if (!mayBeFalse || expected[key] !== false) problems.push(`${label}: ${key} is neither true nor absent`)
  }
  for (const key of ['verdict', 'dry_run']) {
    if (key in expected && !VERDICTS.includes(expected[key])) {
      problems.push(`${label} expects the unknown ${key} \`${String(expected[key])}\``)
    }
  }
  if (kind === 'composition' && expected.verdict === undefined && expected.rejected !== true) {
    problems.push(`${label} expects neither a verdict nor a rejection`)
  }
  return problems
}

function findUnknownKeys(mapping, allowed, label) {
  return Object.keys(mapping)
    .filter((key) => !allowed.includes(key))
    .map((key) => `${label} has the unknown key \`${key}\``)
}

function isMapping(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Turns `$repeat`, `$concat` and `$nest` into the values they abbreviate. */
function expandNotation(value) {
  if (Array.isArray(value)) return value.map(expandNotation)
  if (!isMapping(value)) return value
  const keys = Object.keys(value)
  if (keys.length === 1 && keys[0] === '$repeat') return value.$repeat[0].repeat(value.$repeat[1])
  if (keys.length === 1 && keys[0] === '$concat') return value.$concat.map(expandNotation).join('')
  if (keys.length === 1 && keys[0] === '$nest') {
    const [key, depth, inner] = value.$nest
    return Array.from({ length: depth }).reduce((nested) => ({ [key]: nested }), expandNotation(inner))
  }
  const copy = {}
  for (const key of keys) {
    // Plain assignment to `__proto__` would set the prototype instead of adding the key under test.
    Object.defineProperty(copy, key, {
      value: expandNotation(value[key]),
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  return copy
}

function buildText(item) {
  if (item.yaml !== undefined) return item.yaml
  return item.replace.reduce((text, [find, replacement]) => {
    if (text.split(find).length !== 2) throw new Error(`\`${find}\` must occur exactly once in the base text`)
    return text.split(find).join(replacement)
  }, item.base)
}

function wrapInBundle(contracts, settings = {}) {
  return {
    apiVersion: 'edictum/v1',
    kind: 'ContractBundle',
    metadata: { name: 'conformance' },
    defaults: { mode: settings.mode ?? 'enforce' },
    ...(settings.observe_alongside === undefined ? {} : { observe_alongside: settings.observe_alongside }),
    contracts,
  }
}

function buildBundle(item) {
  if (item.contract !== undefined) return item.contract
  if (item.contracts !== undefined) return wrapInBundle(item.contracts)
  const contract = { id: 'case', tool: '*', when: item.when ?? item.post_when }
  if (item.when !== undefined) {
    return wrapInBundle([{ ...contract, type: 'pre', then: { effect: 'deny', message: 'fired' } }])
  }
  return wrapInBundle([{ ...contract, type: 'post', then: { effect: 'warn', message: 'fired' } }])
}

function buildCall(item) {
  const { tool_name: toolName = 'tool', arguments: args = {}, environment } = item.envelope ?? {}
  return {
    toolName,
    args,
    options: {
      ...(environment === undefined ? {} : { environment }),
      ...(item.principal === undefined ? {} : { principal: buildPrincipal(item.principal) }),
      ...(item.call_metadata === undefined ? {} : { metadata: item.call_metadata }),
    },
  }
}

function buildPrincipal(fields) {
  const principal = { claims: { ...fields.claims } }
  for (const [key, value] of Object.entries(fields)) {
    if (key === 'claims') continue
    if (Object.hasOwn(PRINCIPAL_FIELDS, key)) principal[PRINCIPAL_FIELDS[key]] = value
    else principal.claims[key] = value
  }
  if (typeof fields.id === 'string' && principal.userId === undefined) principal.userId = fields.id
  return principal
}

async function withVariables(variables, action) {
  const before = new Map(Object.keys(variables).map((name) => [name, process.env[name]]))
  const assign = (name, value) => {
    if (value === undefined || value === null) delete process.env[name]
    else process.env[name] = String(value)
  }
  for (const [name, value] of Object.entries(variables)) assign(name, value)
  try {
    return await action()
  } finally {
    for (const [name, value] of before) assign(name, value)
  }
}

function judgeAcceptance({ Edictum, loadBundleString }, item) {
  const text = buildText(item)
  try {
    Edictum.fromYamlString(text)
  } catch (error) {
    return failed([`expected the document to load, but: ${error.message}`])
  }
  const { policyVersion } = loadBundleString(text)
  const hash = sha256(text)
  return passedOrFailed(
    policyVersion === hash ? [] : [`expected policy version ${hash}, got ${policyVersion}`],
  )
}

function judgeRejection({ Edictum }, item) {
  const { code, line, error_contains: part, diagnostics } = item.expected
  const error = catchError(() => Edictum.fromYamlString(buildText(item)))
  const differences = findRejectionDifferences(error, part)
  if (differences.length > 0) return failed(differences)
  const found = error.diagnostics ?? []
  const describe = (list) => list.map((one) => `${one.code} at line ${one.line}`).toSorted()
  const isExpected = (one) =>
    (line === null || one.line === line) && (code === undefined || one.code === code)
  if (!found.some(isExpected)) {
    differences.push(
      `expected ${code ?? 'a diagnostic'} at line ${line}, got ${describe(found).join(', ') || 'none'}`,
    )
  }
  if (diagnostics !== undefined && describe(diagnostics).join() !== describe(found).join()) {
    differences.push(`expected ${describe(diagnostics).join(', ')}; got ${describe(found).join(', ')}`)
  }
  return passedOrFailed(differences)
}

function judgeSharedRejection({ Edictum }, item) {
  const error = catchError(() => Edictum.fromYamlString(JSON.stringify(item.bundle)))
  if (item.expected.rejected)
    return passedOrFailed(findRejectionDifferences(error, item.expected.error_contains))
  return passedOrFailed(error === undefined ? [] : [`expected the bundle to load, but: ${error.message}`])
}

function findRejectionDifferences(error, part = '') {
  if (error === undefined) return ['expected a rejection, but the document loads']
  if (error.name !== 'EdictumConfigError') return [`expected EdictumConfigError, got ${error.stack ?? error}`]
  if (includesText(error.message, part)) return []
  return [`expected the error to contain \`${part}\`: ${error.message}`]
}

function catchError(action) {
  try {
    action()
    return undefined
  } catch (error) {
    return error
  }
}

function includesText(text, part) {
  return (text ?? '').toLowerCase().includes(part.toLowerCase())
}

function sha256(text) {
  return createHash('sha256').update(text).digest('hex')
}

async function judgeVerdict(library, item) {
  return withVariables(item.environment ?? {}, async () => {
    const guarded = findGuardReason(item)
    const bundle = buildBundle(item)
    const dryRunExpected =
      item.expected.dry_run ?? (guarded === undefined ? item.expected.verdict : undefined)
    const outcomes = []
    if (dryRunExpected !== undefined)
      outcomes.push(judgeDryRun(library, { item, bundle, verdict: dryRunExpected }))
    if (typeof library.Edictum.prototype?.run === 'function')
      outcomes.push(await judgeRun(library, { item, bundle }))
    const differences = outcomes.flatMap((outcome) => outcome.differences)
    const known = KNOWN_BAD[item.id]
    if (known !== undefined) return judgeKnownBad(known, outcomes)
    if (differences.length > 0) return failed(differences)
    if (guarded !== undefined && typeof library.Edictum.prototype?.run !== 'function') {
      return { status: 'waiting', reason: guarded }
    }
    return passedOrFailed(outcomes.length === 0 ? ['nothing was judged'] : [])
  })
}

function judgeKnownBad({ verdicts, reason }, outcomes) {
  const surprise = outcomes.find((outcome) => !verdicts.includes(outcome.verdict))
  if (surprise === undefined) return { status: 'known-bad', reason }
  return failed([`known to be bad, but expected ${verdicts.join(' or ')} and got ${surprise.verdict}`])
}

/** Why a case cannot be judged by a dry run alone; undefined when it can. */
function findGuardReason(item) {
  const bundle = buildBundle(item)
  const contracts = bundle.contracts ?? bundle.rules ?? []
  const effectOf = ({ then }) => then?.effect ?? then?.action
  const effects = contracts.map(effectOf)
  if (item.session !== undefined || contracts.some(({ type }) => type === 'session'))
    return 'session counters'
  if (contracts.some(({ type }) => type === 'sandbox')) return 'sandbox contracts'
  if (effects.some((effect) => effect === 'approve' || effect === 'ask')) return 'approval'
  if (item.expected.audit_action !== undefined) return 'the audit trail'
  const postEffects = contracts.filter(({ type }) => type === 'post').map(effectOf)
  if (postEffects.some((effect) => effect === 'redact')) return 'redaction of the output'
  if (postEffects.some((effect) => effect === 'deny' || effect === 'block'))
    return 'suppression of the output'
  return undefined
}

function judgeDryRun({ Edictum }, { item, bundle, verdict }) {
  const { toolName, args, options } = buildCall(item)
  let evaluation
  try {
    const output = item.result === undefined ? {} : { output: item.result }
    evaluation = Edictum.fromYamlString(JSON.stringify(bundle)).evaluate(toolName, args, {
      ...options,
      ...output,
    })
  } catch (error) {
    return {
      verdict: 'error',
      differences: [`expected ${verdict}, but the dry run throws: ${error.message}`],
    }
  }
  const actual = dryRunVerdict(evaluation)
  return { verdict: actual, differences: compareEvaluation(evaluation, { ...item.expected, verdict }, item) }
}

function dryRunVerdict({ verdict }) {
  return { deny: 'denied', warn: 'warned', allow: 'allowed' }[verdict] ?? verdict
}

function compareEvaluation(evaluation, expected, item) {
  const differences = []
  const verdict = dryRunVerdict(evaluation)
  if (verdict !== expected.verdict)
    differences.push(`expected ${expected.verdict}, the dry run says ${verdict}`)
  const isOwnCase = item.note !== undefined
  if (isOwnCase && evaluation.policyError !== (expected.policy_error ?? false)) {
    differences.push(`expected policy error ${expected.policy_error ?? false}, got ${evaluation.policyError}`)
  }
  const records = evaluation.contracts.filter(({ contractId }) => !contractId.endsWith(':candidate'))
  const deciding = records.find(({ passed, observed }) => !passed && !observed)
  differences.push(...compareMessage(deciding?.message, expected))
  for (const tag of expected.tags ?? []) {
    if (!deciding?.tags?.includes(tag)) differences.push(`expected the tag \`${tag}\`, got ${deciding?.tags}`)
  }
  if (expected.contracts !== undefined) differences.push(...compareRecords(records, expected.contracts))
  return differences
}

function compareMessage(message, expected) {
  const differences = []
  if (expected.message !== undefined && message !== expected.message) {
    differences.push(
      `expected the message ${JSON.stringify(expected.message)}, got ${JSON.stringify(message)}`,
    )
  }
  if (expected.message_contains !== undefined && !includesText(message, expected.message_contains)) {
    differences.push(
      `expected a message with \`${expected.message_contains}\`, got ${JSON.stringify(message)}`,
    )
  }
  return differences
}

function compareRecords(records, expected) {
  const actualIds = records.map(({ contractId }) => contractId).join(', ')
  const expectedIds = expected.map(({ id }) => id).join(', ')
  if (actualIds !== expectedIds) return [`expected the contracts [${expectedIds}], got [${actualIds}]`]
  const names = { type: 'contractType', policy_error: 'policyError' }
  return expected.flatMap((wanted, index) =>
    Object.keys(wanted)
      .filter((key) => key !== 'id')
      .map((key) => [key, wanted[key], records[index][names[key] ?? key]])
      .filter(([, wantedValue, actual]) => JSON.stringify(wantedValue) !== JSON.stringify(actual))
      .map(([key, wantedValue, actual]) => `${wanted.id}: expected ${key} ${wantedValue}, got ${actual}`),
  )
}

async function judgeRun(library, { item, bundle }) {
  const { Edictum, MemoryBackend } = library
  const { toolName, args, options } = buildCall(item)
  const backend = new MemoryBackend()
  const sessionId = 'conformance'
  await seedCounters(backend, { sessionId, session: item.session ?? {} })
  const approvalBackend = scriptApproval(item)
  const guard = Edictum.fromYamlString(JSON.stringify(bundle), {
    backend,
    ...(approvalBackend === undefined ? {} : { approvalBackend }),
  })
  const sideEffect =
    item.result !== undefined && !Object.hasOwn(bundle.tools ?? {}, toolName) ? { sideEffect: 'read' } : {}
  const outcome = { returned: undefined, error: undefined }
  try {
    outcome.returned = await guard.run(toolName, args, () => item.result ?? null, {
      ...options,
      ...sideEffect,
      sessionId,
    })
  } catch (error) {
    outcome.error = error
  }
  return compareRun(guard.localSink.events, { item, outcome })
}

async function seedCounters(backend, { sessionId, session }) {
  const counters = {
    attempts: session.attempts,
    execs: session.tool_calls,
    ...Object.fromEntries(
      Object.entries(session.per_tool ?? {}).map(([tool, count]) => [`tool:${tool}`, count]),
    ),
  }
  for (const [name, count] of Object.entries(counters)) {
    if (count !== undefined) await backend.increment(`s:${sessionId}:${name}`, count)
  }
}

function scriptApproval(item) {
  if (item.approval_pending === true) return undefined
  const status =
    item.timeout_expired === true ? 'timeout' : item.approval_decision === 'rejected' ? 'denied' : 'approved'
  let requests = 0
  return {
    requestApproval: async (...request) => {
      const [toolName, toolArgs, message, options] = request
      requests += 1
      return {
        ...options,
        approvalId: `approval-${requests}`,
        toolName,
        toolArgs,
        message,
        createdAt: new Date(),
      }
    },
    waitForDecision: async () => ({
      approved: status === 'approved',
      status,
      approver: 'conformance',
      reason: null,
      timestamp: new Date(),
    }),
  }
}

function compareRun(events, { item, outcome }) {
  const { expected } = item
  const failures = events
    .flatMap((event) => event.contractsEvaluated ?? [])
    .filter((record) => !record.passed && record.observed !== true)
  const verdict = findRunVerdict(events, { failures, outcome })
  const differences = []
  if (verdict !== expected.verdict) {
    const detail = outcome.error === undefined ? '' : `: ${outcome.error.message}`
    differences.push(`expected ${expected.verdict}, run() ends ${verdict}${detail}`)
  }
  const message = outcome.error?.reason ?? failures[0]?.message
  differences.push(...compareMessage(message, expected))
  for (const tag of expected.tags ?? []) {
    if (!failures.some((record) => record.metadata?.tags?.includes(tag))) {
      differences.push(`expected the tag \`${tag}\` on a failed record of run()`)
    }
  }
  if (expected.audit_action === 'observed' && !events.some(({ action }) => action === 'call_would_deny')) {
    differences.push('expected an event call_would_deny')
  }
  return { verdict, differences }
}

function findRunVerdict(events, { failures, outcome }) {
  if (outcome.error?.name === 'EdictumDenied') return 'denied'
  if (outcome.error !== undefined) return 'error'
  const text =
    typeof outcome.returned === 'string' ? outcome.returned : (JSON.stringify(outcome.returned) ?? '')
  if (text.startsWith('[OUTPUT SUPPRESSED]')) return 'denied'
  if (failures.length > 0 && text.includes('[REDACTED]')) return 'redacted'
  if (events.some((event) => event.postconditionsPassed === false)) return 'warned'
  return 'allowed'
}

async function judgeComposition(library, item) {
  const directory = mkdtempSync(join(tmpdir(), 'conformance-'))
  try {
    const layers = item.layers.map((layer) => ({
      label: layer.label,
      path: join(directory, layer.label),
      text: JSON.stringify(layer.contract ?? wrapInBundle(layer.contracts, layer)),
    }))
    for (const layer of layers) writeFileSync(layer.path, layer.text)
    return await withVariables(item.environment ?? {}, () => compareComposition(library, { item, layers }))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function compareComposition({ Edictum, loadBundleString, composeBundles }, { item, layers }) {
  const { expected } = item
  const paths = layers.map(({ path }) => path)
  if (expected.rejected === true) {
    const error = catchError(() => Edictum.fromYaml(...paths))
    return passedOrFailed(findRejectionDifferences(error, expected.error_contains))
  }
  const [guard, report] = Edictum.fromYaml(...paths, { returnReport: true })
  const composed = composeBundles(...layers.map(({ text, label }) => [loadBundleString(text).bundle, label]))
  const { toolName, args, options } = buildCall(item)
  const output = item.result === undefined ? {} : { output: item.result }
  const differences = compareEvaluation(
    guard.evaluate(toolName, args, { ...options, ...output }),
    expected,
    item,
  )
  for (const one of [report, composed.report]) differences.push(...compareReport(one, expected))
  const hashes = layers.map(({ text }) => sha256(text))
  const version = hashes.length === 1 ? hashes[0] : sha256(hashes.join(':'))
  if (guard.policyVersion !== version) {
    differences.push(`expected policy version ${version}, got ${guard.policyVersion}`)
  }
  return passedOrFailed(differences)
}

function compareReport(report, { overridden = [], shadow = [] }) {
  const nameFile = (path) => (path === '' ? '' : basename(path))
  const actual = {
    overridden: report.overriddenContracts.map((one) => ({
      contract_id: one.contractId,
      overridden_by: nameFile(one.overriddenBy),
      original_source: nameFile(one.originalSource),
    })),
    shadow: report.shadowContracts.map((one) => ({
      contract_id: one.contractId.replace(/:candidate$/, ''),
      enforced_source: nameFile(one.enforcedSource),
      observed_source: nameFile(one.observedSource),
    })),
  }
  return Object.entries({ overridden, shadow })
    .filter(([key, wanted]) => JSON.stringify(wanted) !== JSON.stringify(actual[key]))
    .map(([key, wanted]) => `expected ${key} ${JSON.stringify(wanted)}, got ${JSON.stringify(actual[key])}`)
}

/** What to print about the results, as a table or as JSON, and the exit code they deserve. */
export function summarizeResults(results, format) {
  const totals = countStatuses(results)
  const text =
    format === 'json' ? JSON.stringify({ totals, suites: results }, null, 2) : formatTable(results, totals)
  return { text, exitCode: totals.failed > 0 || totals.passed === 0 ? 1 : 0 }
}

function countStatuses(results) {
  const counts = { passed: 0, waiting: 0, 'known-bad': 0, failed: 0 }
  for (const { status } of results.flatMap(({ cases }) => cases)) counts[status] += 1
  return counts
}

function formatTable(results, totals) {
  const columns = Object.keys(totals)
  const width = Math.max(...results.map(({ suite }) => suite.length), 'suite'.length)
  const formatRow = (name, cells) =>
    `${name.padEnd(width)}  ${cells.map((cell) => String(cell).padStart(9)).join('  ')}`
  const lines = [formatRow('suite', columns)]
  for (const result of results) lines.push(formatRow(result.suite, Object.values(countStatuses([result]))))
  lines.push(formatRow('total', Object.values(totals)))
  const titles = { waiting: 'waits for the guard', 'known-bad': 'known to be bad', failed: 'failed' }
  for (const [status, title] of Object.entries(titles)) {
    const listed = results.flatMap(({ suite, cases }) =>
      cases.filter((one) => one.status === status).map((one) => ({ suite, ...one })),
    )
    if (listed.length > 0) lines.push('', `${title}:`)
    for (const { suite, id, reason } of listed)
      lines.push(`  ${suite} ${id}: ${reason.replaceAll('\n', '\n    ')}`)
  }
  return [...lines, '', `${totals.passed} passed, ${totals.failed} failed`].join('\n')
}

async function main(flags) {
  const library = await import(pathToFileURL(join(repository, 'packages/edictum/dist/index.js')).href)
  const results = await runConformance({
    library,
    casesDirectory: join(repository, 'conformance'),
    sharedDirectory: join(repository, '../shared/conformance/fixtures'),
  })
  const { text, exitCode } = summarizeResults(results, flags.includes('--json') ? 'json' : 'table')
  console.log(text)
  process.exitCode = exitCode
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2))
