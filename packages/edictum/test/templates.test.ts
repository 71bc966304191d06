// Every built-in template against the cases beside it: what it stops, and the near misses it must let pass.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Contract, Edictum, loadBundle } from '../src/index.js'
import { type ContractCase, judgeCases, loadCases } from '../src/testing/index.js'

const builtIn = Edictum.listTemplates().filter((template) => template.builtin)

function casesPath(templatePath: string): string {
  return templatePath.replace(/\.yaml$/, '.cases.yaml')
}

/** Too few cases prove nothing: a precondition needs three calls it stops and three near misses, others one. */
function describeMissingCases(contract: Contract, cases: readonly ContractCase[]): readonly string[] {
  const about = cases.filter(({ matchContract }) => matchContract === contract.id)
  const passing = about.filter((one) => one.expect === 'allow').length
  const stopped = about.length - passing
  const needed = contract.type === 'pre' ? 3 : 1
  return [
    ...(stopped < needed ? [`${contract.id}: ${stopped} of ${needed} cases in which it fires`] : []),
    ...(passing < needed ? [`${contract.id}: ${passing} of ${needed} cases it lets pass`] : []),
  ]
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
  const cases = loadCases(readFileSync(casesPath(path)), { file: casesPath(path) })
  const guard = Edictum.fromTemplate(name)

  it('is called like its file', () => {
    expect(bundle.metadata.name).toBe(name)
  })

  it('has enough cases for every contract', () => {
    expect(bundle.contracts.flatMap((contract) => describeMissingCases(contract, cases))).toEqual([])
  })

  it('has no case for a contract it lacks', () => {
    const ids = new Set(bundle.contracts.map((contract) => contract.id))
    expect(cases.filter(({ matchContract }) => !ids.has(matchContract ?? ''))).toEqual([])
  })

  it.each(cases)('answers $expect to $id, for $matchContract', (one) => {
    const [judged] = judgeCases(guard, [one])
    expect(judged).toMatchObject({ passed: true })
    // A denial by a contract that could not be judged would prove nothing about its condition.
    expect(judged?.result?.policyError).toBe(false)
    // An allowed call is a near miss only if no other contract has anything to say about it either.
    expect(judged?.actual).toBe(
      { allow: 'allow', observe: 'would_deny', warn: 'warn', deny: judged?.actual }[one.expect as string],
    )
  })
})
