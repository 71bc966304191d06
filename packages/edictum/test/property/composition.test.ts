// Laying bundles over each other: replacement happens in place, shadow layers decide nothing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { composeBundles, Edictum, loadBundleString } from '../../src/index.js'
import {
  bundle,
  call,
  type GeneratedBundle,
  type GeneratedCall,
  optionsOf,
  withVariables,
} from '../generators.js'

type Layer = GeneratedBundle & { readonly observe_alongside?: boolean }
type Evaluation = ReturnType<Edictum['evaluate']>

const directory = mkdtempSync(join(tmpdir(), 'composition-'))
afterAll(() => {
  rmSync(directory, { recursive: true })
})

function evaluate(layers: readonly Layer[], one: GeneratedCall): Evaluation {
  const paths = layers.map((layer, index) => {
    const path = join(directory, `${index}.yaml`)
    writeFileSync(path, JSON.stringify(layer))
    return path
  })
  const [first = '', ...more] = paths
  const guard = Edictum.fromYaml(first, ...more)
  return withVariables(one.variables, () => guard.evaluate(one.toolName, one.args, optionsOf(one)))
}

function withoutShadows(evaluation: Evaluation): Evaluation['contracts'] {
  return evaluation.contracts.filter(({ contractId }) => !contractId.endsWith(':candidate'))
}

describe('a later layer', () => {
  it('replaces contracts in place and appends the others', () => {
    fc.assert(
      fc.property(bundle, bundle, fc.nat({ max: 5 }), call, (base, other, offset, one) => {
        const shifted = other.contracts.map((contract, index) => ({ ...contract, id: `c${index + offset}` }))
        const layer = { ...other, contracts: shifted }
        const replaced = base.contracts.map(
          (contract) => shifted.find(({ id }) => id === contract.id) ?? contract,
        )
        const known = new Set(base.contracts.map(({ id }) => id))
        const contracts = [...replaced, ...shifted.filter(({ id }) => !known.has(id))]
        const composed = evaluate([base, layer], one)
        const flat = evaluate([{ ...base, defaults: layer.defaults, contracts }], one)
        expect(composed).toEqual(flat)
      }),
      { numRuns: 150 },
    )
  })

  it('reports exactly the contracts it replaces', () => {
    fc.assert(
      fc.property(bundle, bundle, (base, layer) => {
        const { report } = composeBundles(
          [loadBundleString(JSON.stringify(base)).bundle, 'base'],
          [loadBundleString(JSON.stringify(layer)).bundle, 'layer'],
        )
        const known = new Set(base.contracts.map(({ id }) => id))
        const expected = layer.contracts
          .filter(({ id }) => known.has(id))
          .map(({ id }) => ({ contractId: id, overriddenBy: 'layer', originalSource: 'base' }))
        expect(report).toEqual({ overriddenContracts: expected, shadowContracts: [] })
      }),
      { numRuns: 100 },
    )
  })

  it('laid over itself changes nothing', () => {
    fc.assert(
      fc.property(bundle, call, (base, one) => {
        expect(evaluate([base, base], one)).toEqual(evaluate([base], one))
      }),
      { numRuns: 100 },
    )
  })
})

describe('a shadow layer', () => {
  it('never changes the verdict nor the record of an enforced contract', () => {
    fc.assert(
      fc.property(bundle, bundle, call, (base, candidate, one) => {
        const before = evaluate([base], one)
        const after = evaluate([base, { ...candidate, observe_alongside: true }], one)
        expect(after.verdict).toBe(before.verdict)
        expect(withoutShadows(after)).toEqual(withoutShadows(before))
        expect(after.denyReasons).toEqual(before.denyReasons)
      }),
      { numRuns: 150 },
    )
  })

  it('does nothing as the only layer', () => {
    fc.assert(
      fc.property(bundle, call, (base, one) => {
        expect(evaluate([{ ...base, observe_alongside: true }], one)).toEqual(evaluate([base], one))
      }),
      { numRuns: 100 },
    )
  })
})
