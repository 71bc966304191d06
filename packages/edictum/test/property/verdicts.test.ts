// What must hold for every bundle and every call, whatever they say.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Edictum } from '../../src/index.js'
import {
  bundle,
  call,
  type GeneratedBundle,
  type GeneratedCall,
  nameContracts,
  optionsOf,
  preContract,
  withVariables,
} from '../generators.js'

type Evaluation = ReturnType<Edictum['evaluate']>

const severity = { allow: 0, warn: 1, deny: 2 }

function evaluate(generated: GeneratedBundle, one: GeneratedCall): Evaluation {
  const guard = Edictum.fromYamlString(JSON.stringify(generated))
  return withVariables(one.variables, () => guard.evaluate(one.toolName, one.args, optionsOf(one)))
}

function freezeDeeply<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) freezeDeeply(inner)
  }
  return value
}

describe('a verdict', () => {
  it('never gets milder when a deny contract is added', () => {
    fc.assert(
      fc.property(
        bundle,
        preContract(fc.constant('deny')),
        fc.nat(),
        call,
        (generated, added, position, one) => {
          const contracts = generated.contracts.toSpliced(
            position % (generated.contracts.length + 1),
            0,
            ...nameContracts([added], 'added'),
          )
          const before = evaluate(generated, one).verdict
          const after = evaluate({ ...generated, contracts }, one).verdict
          expect(severity[after]).toBeGreaterThanOrEqual(severity[before])
        },
      ),
      { numRuns: 300 },
    )
  })

  it('does not change when observed contracts are added', () => {
    fc.assert(
      fc.property(bundle, bundle, fc.nat(), call, (generated, others, position, one) => {
        const observed = others.contracts.map((contract) => ({
          ...contract,
          id: `observed-${contract.id}`,
          mode: 'observe' as const,
        }))
        const at = position % (generated.contracts.length + 1)
        const contracts = generated.contracts.toSpliced(at, 0, ...observed)
        expect(evaluate({ ...generated, contracts }, one).verdict).toBe(evaluate(generated, one).verdict)
      }),
      { numRuns: 300 },
    )
  })

  it('is always allow when every contract is observed', () => {
    fc.assert(
      fc.property(bundle, call, (generated, one) => {
        const contracts = generated.contracts.map((contract) => ({ ...contract, mode: 'observe' as const }))
        const observed = evaluate({ ...generated, contracts }, one)
        expect(observed.verdict).toBe('allow')
        expect(observed.contracts.filter((record) => !record.passed && !record.observed)).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  it('does not depend on the order of the contracts', () => {
    const shuffled = bundle.chain((generated) =>
      fc.tuple(
        fc.constant(generated),
        fc.shuffledSubarray([...generated.contracts], { minLength: generated.contracts.length }),
      ),
    )
    fc.assert(
      fc.property(shuffled, call, ([generated, contracts], one) => {
        const before = evaluate(generated, one)
        const after = evaluate({ ...generated, contracts }, one)
        expect(after.verdict).toBe(before.verdict)
        expect(after.policyError).toBe(before.policyError)
        const failedIds = (evaluation: Evaluation) =>
          evaluation.contracts.filter(({ passed }) => !passed).map(({ contractId }) => contractId)
        expect(failedIds(after).toSorted()).toEqual(failedIds(before).toSorted())
      }),
      { numRuns: 300 },
    )
  })

  it('does not depend on contracts about other tools', () => {
    fc.assert(
      fc.property(bundle, call, (generated, one) => {
        const own = evaluate(generated, one)
        const evaluated = new Set(own.contracts.map(({ contractId }) => contractId))
        const contracts = generated.contracts.filter(({ id }) => evaluated.has(id))
        fc.pre(contracts.length > 0)
        expect(evaluate({ ...generated, contracts }, one).contracts).toEqual(own.contracts)
      }),
      { numRuns: 200 },
    )
  })

  it('is never allow when an enforced contract could not be evaluated', () => {
    const broken = fc.constantFrom(
      { 'args.a': { contains: 'alpha' } },
      { 'args.a': { gt: 'x'.length } },
      { 'args.a': { matches: 'alpha' } },
      { not: { 'args.a': { starts_with: 'alpha' } } },
    )
    const unsuitable = fc.constantFrom<unknown>([], ['alpha'], {}, { alpha: 1 }, true, false)
    fc.assert(
      fc.property(bundle, broken, unsuitable, call, (generated, when, a, one) => {
        const contract = {
          id: 'broken',
          type: 'pre' as const,
          mode: 'enforce' as const,
          tool: '*',
          when,
          then: { effect: 'deny', message: 'broken' },
        }
        const contracts = [...generated.contracts, contract]
        const evaluation = evaluate({ ...generated, contracts }, { ...one, args: { ...one.args, a } })
        expect(evaluation.verdict).toBe('deny')
        expect(evaluation.policyError).toBe(true)
        expect(evaluation.contracts.filter(({ policyError, passed }) => policyError && passed)).toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})

describe('an evaluation', () => {
  it('gives the same answer every time, from one guard or from two', () => {
    fc.assert(
      fc.property(bundle, call, call, (generated, one, other) => {
        const guard = Edictum.fromYamlString(JSON.stringify(generated))
        const run = (this_: GeneratedCall) =>
          withVariables(this_.variables, () => guard.evaluate(this_.toolName, this_.args, optionsOf(this_)))
        const first = run(one)
        run(other)
        expect(run(one)).toEqual(first)
        expect(evaluate(generated, one)).toEqual(first)
      }),
      { numRuns: 200 },
    )
  })

  it('leaves its input as it is', () => {
    fc.assert(
      fc.property(bundle, call, (generated, one) => {
        const copy = structuredClone(one)
        evaluate(generated, one)
        expect(one).toEqual(copy)
      }),
      { numRuns: 200 },
    )
  })

  it('reads frozen input like any other', () => {
    fc.assert(
      fc.property(bundle, call, (generated, one) => {
        const expected = evaluate(generated, one)
        expect(evaluate(generated, freezeDeeply(structuredClone(one)))).toEqual(expected)
      }),
      { numRuns: 200 },
    )
  })
})

describe('evaluateBatch', () => {
  it('answers like evaluate, call by call', () => {
    fc.assert(
      fc.property(bundle, fc.array(call, { maxLength: 5 }), (generated, calls) => {
        const guard = Edictum.fromYamlString(JSON.stringify(generated))
        const expected = calls.map((one) => guard.evaluate(one.toolName, one.args, optionsOf(one)))
        const batch = calls.map((one) => ({ tool: one.toolName, args: one.args, ...optionsOf(one) }))
        expect(guard.evaluateBatch(batch)).toEqual(expected)
      }),
      { numRuns: 200 },
    )
  })

  it('reads a principal in either spelling', () => {
    const guard = Edictum.fromYamlString(
      JSON.stringify({
        apiVersion: 'edictum/v1',
        kind: 'ContractBundle',
        metadata: { name: 'principal' },
        defaults: { mode: 'enforce' },
        contracts: ['user_id', 'service_id', 'org_id', 'role', 'ticket_ref'].map((field) => ({
          id: field,
          type: 'pre',
          tool: '*',
          when: { [`principal.${field}`]: { exists: true } },
          then: { effect: 'deny', message: field },
        })),
      }),
    )
    const camelCase = { userId: 'u', serviceId: 's', orgId: 'o', role: 'r', ticketRef: 't' }
    const snakeCase = { user_id: 'u', service_id: 's', org_id: 'o', role: 'r', ticket_ref: 't' }
    const [first, second, third] = guard.evaluateBatch([
      { tool: 'x', principal: camelCase },
      { tool: 'x', principal: snakeCase },
      { tool: 'x' },
    ])
    expect(first?.denyReasons).toHaveLength(5)
    expect(second).toEqual(first)
    expect(third?.verdict).toBe('allow')
  })
})
