import { createHash } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import { composeBundles, composePolicyVersion } from './compose.js'
import { EdictumConfigError } from './config-error.js'
import { loadBundleString } from './load.js'

interface Sketch {
  readonly name?: string
  readonly mode?: string
  readonly ids: readonly string[]
  readonly extra?: object
  readonly tool?: string
}

function bundleOf({ name = 'layer', mode = 'enforce', ids, extra = {}, tool = 'T' }: Sketch) {
  return loadBundleString(
    JSON.stringify({
      apiVersion: 'edictum/v1',
      kind: 'ContractBundle',
      metadata: { name },
      defaults: { mode },
      contracts: ids.map((id) => ({
        id,
        type: 'pre',
        tool,
        when: { 'args.x': { exists: true } },
        then: { effect: 'deny', message: name },
      })),
      ...extra,
    }),
  ).bundle
}

describe('composeBundles', () => {
  it('refuses to compose nothing', () => {
    expect(() => composeBundles()).toThrow(EdictumConfigError)
  })

  it('returns a single bundle with an empty report, whatever its observe_alongside says', () => {
    const only = bundleOf({ ids: ['a'], extra: { observe_alongside: true } })
    const { bundle, report } = composeBundles([only, 'only.yaml'])
    expect(bundle.contracts).toEqual(only.contracts)
    expect(report).toEqual({ overriddenContracts: [], shadowContracts: [] })
  })

  it('replaces a contract in place and appends new ones', () => {
    const base = bundleOf({ name: 'base', ids: ['a', 'b', 'c'] })
    const layer = bundleOf({ name: 'layer', ids: ['b', 'd'] })
    const { bundle, report } = composeBundles([base, 'base.yaml'], [layer, 'layer.yaml'])
    expect(bundle.contracts.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
    expect(bundle.contracts[1]).toMatchObject({ then: { message: 'layer' } })
    expect(report.overriddenContracts).toEqual([
      { contractId: 'b', overriddenBy: 'layer.yaml', originalSource: 'base.yaml' },
    ])
  })

  it('names the latest owner when a third layer overrides again', () => {
    const layers = ['one', 'two', 'three'].map((name) => [bundleOf({ name, ids: ['a'] }), name] as const)
    expect(composeBundles(...layers).report.overriddenContracts).toEqual([
      { contractId: 'a', overriddenBy: 'two', originalSource: 'one' },
      { contractId: 'a', overriddenBy: 'three', originalSource: 'two' },
    ])
  })

  it('lets a later layer change the default mode, tools, metadata and observability', () => {
    const base = bundleOf({
      ids: ['a'],
      extra: {
        tools: { T: { side_effect: 'read' }, U: { side_effect: 'write' } },
        observability: { stdout: true, file: 'a.jsonl' },
      },
    })
    const layer = bundleOf({
      name: 'later',
      mode: 'observe',
      ids: ['b'],
      extra: { tools: { T: { side_effect: 'pure', idempotent: true } }, observability: { stdout: false } },
    })
    const { bundle } = composeBundles([base, 'a'], [layer, 'b'])
    expect(bundle.defaults.mode).toBe('observe')
    expect(bundle.metadata.name).toBe('later')
    expect(bundle.tools.get('T')).toEqual({ sideEffect: 'pure', idempotent: true })
    expect(bundle.tools.get('U')?.sideEffect).toBe('write')
    expect(bundle.observability).toEqual({ stdout: false })
  })

  it('turns an observe_alongside layer into shadow contracts beside the enforced ones', () => {
    const base = bundleOf({ name: 'base', ids: ['a'], extra: { tools: { T: { side_effect: 'write' } } } })
    const candidate = bundleOf({
      name: 'candidate',
      mode: 'observe',
      ids: ['a', 'new'],
      extra: { observe_alongside: true, tools: { T: { side_effect: 'pure' } } },
    })
    const { bundle, report } = composeBundles([base, 'base.yaml'], [candidate, 'next.yaml'])
    expect(bundle.contracts.map(({ id, mode, shadow }) => ({ id, mode, shadow }))).toEqual([
      { id: 'a', mode: undefined, shadow: undefined },
      { id: 'a:candidate', mode: 'observe', shadow: true },
      { id: 'new:candidate', mode: 'observe', shadow: true },
    ])
    expect(bundle.defaults.mode).toBe('enforce')
    expect(bundle.tools.get('T')?.sideEffect).toBe('write')
    expect(report.shadowContracts).toEqual([
      { contractId: 'a', enforcedSource: 'base.yaml', observedSource: 'next.yaml' },
      { contractId: 'new', enforcedSource: '', observedSource: 'next.yaml' },
    ])
  })

  it('refuses two candidates of the same contract', () => {
    const base = bundleOf({ ids: ['a'] })
    const candidate = bundleOf({ ids: ['a'], extra: { observe_alongside: true } })
    expect(() => composeBundles([base, 'a'], [candidate, 'b'], [candidate, 'c'])).toThrow(
      'candidate `a` of c is already observed from b',
    )
  })

  it('lets a later layer switch a contract off', () => {
    const base = bundleOf({ ids: ['a'] })
    const off = loadBundleString(
      JSON.stringify({
        apiVersion: 'edictum/v1',
        kind: 'ContractBundle',
        metadata: { name: 'off' },
        defaults: { mode: 'enforce' },
        contracts: [
          {
            id: 'a',
            type: 'pre',
            enabled: false,
            tool: 'T',
            when: { 'args.x': { exists: true } },
            then: { effect: 'deny', message: 'm' },
          },
        ],
      }),
    ).bundle
    expect(composeBundles([base, 'a'], [off, 'b']).bundle.contracts[0]?.enabled).toBe(false)
  })
})

describe('composePolicyVersion', () => {
  it('is the version itself for one layer and a hash over all of them in order for several', () => {
    expect(composePolicyVersion(['aa'])).toBe('aa')
    expect(composePolicyVersion(['aa', 'bb'])).toBe(createHash('sha256').update('aa:bb').digest('hex'))
  })
})
