// The compiled policy and the naive evaluator must agree about every generated bundle and call.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Edictum } from '../../src/index.js'
import {
  bundle,
  call,
  crowdedBundle,
  type GeneratedBundle,
  type GeneratedCall,
  optionsOf,
  withVariables,
} from '../generators.js'
import { evaluateNaively } from './oracle.js'

const runs = Number(process.env['DIFFERENTIAL_RUNS'] ?? 2000)
const calls = fc.array(call, { minLength: 4, maxLength: 6 })

function expectAgreement(generated: GeneratedBundle, guard: Edictum, one: GeneratedCall): void {
  const actual = withVariables(one.variables, () => guard.evaluate(one.toolName, one.args, optionsOf(one)))
  const expected = evaluateNaively(generated, one)
  expect({
    verdict: actual.verdict,
    policyError: actual.policyError,
    contracts: actual.contracts.map(({ contractId, contractType, passed, policyError, observed }) => ({
      contractId,
      contractType,
      passed,
      policyError,
      // Whether a passing contract would have been observed is nobody's business.
      observed: !passed && observed,
    })),
  }).toEqual(expected)
  expect(actual.denyReasons.length > 0).toBe(expected.verdict === 'deny')
  const warnings = expected.contracts.filter(
    ({ contractType, passed, observed }) => contractType === 'postcondition' && !passed && !observed,
  )
  expect(actual.warnReasons).toHaveLength(warnings.length)
}

it('agrees with the naive evaluator about bundles of all kinds', { timeout: 60 * runs }, () => {
  fc.assert(
    fc.property(bundle, calls, (generated, list) => {
      const guard = Edictum.fromYamlString(JSON.stringify(generated))
      for (const one of list) expectAgreement(generated, guard, one)
    }),
    { numRuns: runs },
  )
})

it('agrees with the naive evaluator about crowds of similar contracts', { timeout: 60 * runs }, () => {
  fc.assert(
    fc.property(crowdedBundle, calls, (generated, list) => {
      const guard = Edictum.fromYamlString(JSON.stringify(generated))
      for (const one of list) expectAgreement(generated, guard, one)
    }),
    { numRuns: Math.ceil(runs / 8) },
  )
})

it('generates calls of which a fair share is denied, warned about, allowed, and in error', () => {
  const counts = { deny: 0, warn: 0, allow: 0, policyError: 0 }
  const sample = fc.sample(fc.tuple(bundle, call), { numRuns: 500, seed: 1 })
  for (const [generated, one] of sample) {
    const { verdict, policyError } = evaluateNaively(generated, one)
    counts[verdict] += 1
    if (policyError) counts.policyError += 1
  }
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(15)
})
