// Every built-in template against the cases beside it: what it stops, and the near misses it must let pass.
import { existsSync, readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import {
  type Contract,
  type ContractBundle,
  Edictum,
  type EvaluateCall,
  type EvaluationResult,
  loadBundle,
} from '../src/index.js'

interface CallCase {
  readonly id: string
  readonly call: EvaluateCall
  readonly expect: 'allow' | 'deny' | 'warn' | 'observed'
  /** The contract the case is about: the one that fires, or the one that is narrowly missed. */
  readonly by: string
}

interface LimitsCase {
  readonly id: string
  readonly limits: {
    readonly contract: string
    readonly max_tool_calls?: number
    readonly max_attempts?: number
    readonly max_calls_per_tool?: Readonly<Record<string, number>>
  }
}

interface CaseFile {
  readonly template: string
  readonly cases: readonly (CallCase | LimitsCase)[]
}

const builtIn = Edictum.listTemplates().filter((template) => template.builtin)

function casesPath(templatePath: string): string {
  return templatePath.replace(/\.yaml$/, '.cases.yaml')
}

function readCases(templatePath: string): CaseFile {
  return load(readFileSync(casesPath(templatePath), 'utf8')) as CaseFile
}

function isCallCase(testCase: CallCase | LimitsCase): testCase is CallCase {
  return 'call' in testCase
}

function isLimitsCase(testCase: CallCase | LimitsCase): testCase is LimitsCase {
  return 'limits' in testCase
}

/** In the words of a case; anything else is a sentence that no case expects. */
function describeOutcome(result: EvaluationResult, by: string): string {
  // A denial by a contract that could not be judged would prove nothing about its condition.
  if (result.policyError) return 'policy error'
  const fired = result.contracts.filter((contract) => !contract.passed)
  if (fired.length === 0) return result.verdict
  const named = fired.find((contract) => contract.contractId === by)
  if (named === undefined)
    return `${result.verdict} by ${fired.map((contract) => contract.contractId).join(', ')}`
  if (!named.observed) return result.verdict
  return result.verdict === 'allow' ? 'observed' : `${result.verdict} although ${by} only observes`
}

/** Too few cases prove nothing: a precondition needs three calls it stops and three near misses, a postcondition one. */
function describeMissingCases(contract: Contract, cases: CaseFile['cases']): readonly string[] {
  if (contract.type === 'session') return []
  const about = cases.filter(isCallCase).filter((testCase) => testCase.by === contract.id)
  const passing = about.filter((testCase) => testCase.expect === 'allow').length
  const stopped = about.length - passing
  const needed = contract.type === 'pre' ? 3 : 1
  return [
    ...(stopped < needed ? [`${contract.id}: ${stopped} of ${needed} cases in which it fires`] : []),
    ...(passing < needed ? [`${contract.id}: ${passing} of ${needed} cases it lets pass`] : []),
  ]
}

function describeLimits(bundle: ContractBundle): readonly LimitsCase['limits'][] {
  return bundle.contracts
    .filter((contract) => contract.type === 'session')
    .map(({ id, limits: { maxToolCalls, maxAttempts, maxCallsPerTool } }) => ({
      contract: id,
      ...(maxToolCalls === undefined ? {} : { max_tool_calls: maxToolCalls }),
      ...(maxAttempts === undefined ? {} : { max_attempts: maxAttempts }),
      ...(maxCallsPerTool === undefined ? {} : { max_calls_per_tool: Object.fromEntries(maxCallsPerTool) }),
    }))
}

describe('built-in templates', () => {
  it('are the five that are documented', () => {
    expect(builtIn.map((template) => template.name).toSorted()).toEqual([
      'coding-assistant-base',
      'devops-agent',
      'file-agent',
      'nanobot-agent',
      'research-agent',
    ])
  })

  it('come with a case file each', () => {
    expect(builtIn.filter((template) => !existsSync(casesPath(template.path)))).toEqual([])
  })
})

describe.each(builtIn)('template $name', ({ name, path }) => {
  const { bundle } = loadBundle(path)
  const { template, cases } = readCases(path)
  const guard = Edictum.fromTemplate(name)

  it('has cases of its own, each under its own id', () => {
    expect(template).toBe(name)
    expect(bundle.metadata.name).toBe(name)
    expect(new Set(cases.map((testCase) => testCase.id)).size).toBe(cases.length)
    expect(cases.filter((testCase) => !isCallCase(testCase) && !isLimitsCase(testCase))).toEqual([])
  })

  it('has enough cases for every contract', () => {
    expect(bundle.contracts.flatMap((contract) => describeMissingCases(contract, cases))).toEqual([])
  })

  it('has no case for a contract it lacks', () => {
    const ids = new Set(bundle.contracts.map((contract) => contract.id))
    expect(cases.filter(isCallCase).filter((testCase) => !ids.has(testCase.by))).toEqual([])
  })

  it('has the session limits that its cases state', () => {
    expect(describeLimits(bundle)).toEqual(cases.filter(isLimitsCase).map((testCase) => testCase.limits))
  })

  it.each(cases.filter(isCallCase))('answers $expect to $id, for $by', ({ call, expect: expected, by }) => {
    const { tool, args = {}, ...options } = call
    expect(describeOutcome(guard.evaluate(tool, args, options), by)).toBe(expected)
  })
})
