// `edictum test`: a bundle held against cases, which say what they expect, or against calls, which are only judged.
import type { ContractBundle } from '../contracts/bundle.js'
import { loadCases } from '../contracts/cases.js'
import { EdictumConfigError } from '../contracts/config-error.js'
import type { Edictum } from '../edictum.js'
import type { CaseResult } from '../guard/judge-cases.js'
import { judgeCases } from '../guard/judge-cases.js'
import { type ContractCoverage, Coverage } from '../policy/coverage.js'
import type { EvaluationResult } from '../policy/evaluation.js'
import { environmentOption } from './call-options.js'
import { readCalls } from './calls-file.js'
import { type Command, type ExitCode, type Invocation, UsageError } from './command.js'
import { readGiven } from './files.js'
import { judgingGuard } from './judging-guard.js'
import { brief, briefData, counted, hang } from './layout.js'
import { paint, type Terminal } from './terminal.js'

export const test: Command = {
  name: 'test',
  summary: 'Hold contracts against cases, or judge a list of calls.',
  operands: 'FILE…',
  options: {
    cases: { value: 'FILE', summary: 'Cases in YAML: calls, and what is expected of each.' },
    calls: { value: 'FILE', summary: 'Calls in JSON, to be judged; - reads standard input.' },
    coverage: { summary: 'With --cases: show which contracts and leaves no case reaches.' },
    environment: environmentOption,
    json: { summary: 'Answer in JSON.' },
  },
  run: async (invocation) => {
    const cases = invocation.options.text('cases')
    const calls = invocation.options.text('calls')
    if ((cases === undefined) === (calls === undefined))
      throw new UsageError('test needs exactly one of --cases FILE and --calls FILE')
    if (cases !== undefined) return testCases(invocation, cases)
    if (invocation.options.isSet('coverage')) throw new UsageError('--coverage goes with --cases')
    return testCalls(invocation, calls ?? '')
  },
}

async function testCases(invocation: Invocation, file: string): Promise<ExitCode> {
  const { options, terminal } = invocation
  const { guard, bundle } = await judgingGuard(invocation, 'test')
  const { name, bytes } = await readGiven(file, invocation)
  let results: readonly CaseResult[]
  try {
    results = judgeCases(guard, loadCases(bytes, { file: name }))
  } catch (error) {
    if (!(error instanceof EdictumConfigError)) throw error
    // A case that says too little is a slip of whoever calls; a file that holds no cases is not what it claims to be.
    const isInCase = error.diagnostics.every(({ path }) => path?.startsWith('cases[') === true)
    terminal.complain(`${paint(terminal, 'red', 'error')}: ${error.message}`)
    return isInCase ? 2 : 1
  }
  const coverage = options.isSet('coverage') ? coverageOf(bundle, results) : undefined
  const failures = results.filter(({ passed }) => !passed)
  if (options.isSet('json')) terminal.say(JSON.stringify(casesToJson(results, coverage), null, 2))
  else {
    for (const result of results) tellCase(terminal, result)
    terminal.say('')
    const sum = `${results.length - failures.length}/${results.length} passed`
    terminal.say(
      failures.length === 0
        ? paint(terminal, 'green', sum)
        : paint(terminal, 'red', `${sum}, ${failures.length} failed`),
    )
    if (coverage !== undefined) tellCoverage(terminal, coverage)
  }
  return failures.length === 0 ? 0 : 1
}

function coverageOf(bundle: ContractBundle, results: readonly CaseResult[]): readonly ContractCoverage[] {
  const coverage = new Coverage(bundle)
  for (const { result } of results) if (result !== undefined) coverage.add(result)
  return coverage.report()
}

function casesToJson(
  results: readonly CaseResult[],
  coverage: readonly ContractCoverage[] | undefined,
): object {
  const passed = results.filter((result) => result.passed).length
  return {
    passed,
    failed: results.length - passed,
    total: results.length,
    cases: results.map((result) => ({
      id: result.case.id,
      tool: result.case.tool,
      expect: result.case.expect,
      actual: result.actual,
      passed: result.passed,
      contract_id: result.decidedBy,
      message: result.message,
    })),
    ...(coverage === undefined
      ? {}
      : {
          coverage: coverage.map(({ contractId, leaves, ...counts }) => ({
            contract_id: contractId,
            ...counts,
            leaves: leaves.map(({ notMatched, ...leaf }) => ({ ...leaf, not_matched: notMatched })),
          })),
        }),
  }
}

function tellCase(terminal: Terminal, { case: one, passed, actual, decidedBy, message }: CaseResult): void {
  const by = decidedBy === null ? '' : ` (${decidedBy})`
  if (passed) {
    terminal.say(`${paint(terminal, 'green', '✓')} ${brief(one.id, 40)}: ${actual}${by}`)
    return
  }
  terminal.say(
    `${paint(terminal, 'red', '✗')} ${brief(one.id, 40)}: expected ${expected(one)}, got ${actual}${by}`,
  )
  terminal.say(`    ${brief(one.tool, 30)} ${briefData(one.args, 44)}`)
  for (const line of hang('    ', message ?? 'no contract fired')) terminal.say(line)
}

function expected({ expect, matchContract }: CaseResult['case']): string {
  return matchContract === undefined ? expect : `${expect} by ${matchContract}`
}

function tellCoverage(terminal: Terminal, coverage: readonly ContractCoverage[]): void {
  const fired = coverage.filter((contract) => contract.fired > 0).length
  const leaves = coverage.flatMap((contract) => contract.leaves)
  const reached = leaves.filter(({ matched, notMatched }) => matched + notMatched > 0).length
  const both = leaves.filter(({ matched, notMatched }) => matched > 0 && notMatched > 0).length
  terminal.say('')
  terminal.say(
    `Coverage: ${fired} of ${counted(coverage.length, 'contract')} fire; ` +
      `${reached} of ${leaves.length} leaves are reached, ${both} of them both ways.`,
  )
  for (const contract of coverage) {
    const gaps = gapsOf(contract)
    if (gaps.length === 0) continue
    terminal.say(`  ${paint(terminal, 'bold', contract.contractId)}`)
    for (const gap of gaps) for (const line of hang('    ', gap)) terminal.say(line)
  }
}

function gapsOf({ type, judged, fired, leaves }: ContractCoverage): readonly string[] {
  if (judged === 0) return [type === 'session' ? 'no case gives it a session' : 'no case is about its tool']
  return [
    ...(fired === 0 ? ['never fires'] : []),
    ...(fired === judged && type !== 'post' ? ['always fires: no case shows what it lets pass'] : []),
    ...leaves.flatMap(({ path, selector, operator, operand, matched, notMatched }) => {
      if (matched > 0 && notMatched > 0) return []
      const how = matched + notMatched === 0 ? 'never reached' : matched === 0 ? 'never true' : 'never false'
      return [`${path} ${how}: ${brief(selector, 30)} ${operator} ${briefData(operand, 40)}`]
    }),
  ]
}

async function testCalls(invocation: Invocation, file: string): Promise<ExitCode> {
  const { options, terminal } = invocation
  const { guard } = await judgingGuard(invocation, 'test')
  const calls = await readCalls(file, invocation)
  const results = guard.evaluateBatch(calls)
  if (options.isSet('json')) terminal.say(JSON.stringify(results.map(resultToJson), null, 2))
  else tellCalls(terminal, guard, results)
  return results.some(({ verdict }) => verdict === 'deny') ? 1 : 0
}

function resultToJson(result: EvaluationResult): object {
  return {
    verdict: result.verdict,
    tool_name: result.toolName,
    contracts_evaluated: result.contractsEvaluated,
    deny_reasons: result.denyReasons,
    warn_reasons: result.warnReasons,
    policy_error: result.policyError,
    contracts: result.contracts.map(({ contractId, contractType, policyError, ...contract }) => ({
      contract_id: contractId,
      contract_type: contractType,
      ...contract,
      policy_error: policyError,
    })),
  }
}

const colours = { allow: 'green', deny: 'red', warn: 'yellow' } as const

function tellCalls(terminal: Terminal, guard: Edictum, results: readonly EvaluationResult[]): void {
  const width = Math.min(30, Math.max(4, ...results.map(({ toolName }) => toolName.length)))
  terminal.say(paint(terminal, 'bold', `  #  verdict  ${'tool'.padEnd(width)}  contracts`))
  for (const [index, result] of results.entries()) {
    const { verdict, toolName, contractsEvaluated, denyReasons, warnReasons } = result
    const tool = brief(toolName, width).padEnd(width)
    terminal.say(
      `${String(index + 1).padStart(3)}  ${paint(terminal, colours[verdict], verdict.padEnd(7))}  ${tool}  ${contractsEvaluated}`,
    )
    for (const reason of [...denyReasons, ...warnReasons])
      for (const line of hang('     ', reason)) terminal.say(line)
  }
  const denied = results.filter(({ verdict }) => verdict === 'deny').length
  terminal.say('')
  terminal.say(`${counted(results.length, 'call')}, ${denied} denied (${guard.mode} mode)`)
}
