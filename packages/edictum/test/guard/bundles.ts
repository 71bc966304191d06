// Small bundles for tests of the guard.
import { Edictum, type EdictumOptions } from '../../src/index.js'

export interface BundleParts {
  readonly mode?: 'enforce' | 'observe'
  readonly tools?: object
  readonly observability?: object
}

export function yamlOf(
  contracts: readonly object[],
  { mode = 'enforce', ...parts }: BundleParts = {},
): string {
  return JSON.stringify({
    apiVersion: 'edictum/v1',
    kind: 'ContractBundle',
    metadata: { name: 'test' },
    defaults: { mode },
    contracts: contracts.length === 0 ? [never] : contracts,
    ...parts,
  })
}

export function guardOf(
  contracts: readonly object[],
  options: EdictumOptions = {},
  parts: BundleParts = {},
): Edictum {
  return Edictum.fromYamlString(yamlOf(contracts, parts), options)
}

const never = pre('never', { 'args.never': { exists: true } })

export function pre(id: string, when: object, more: object = {}): object {
  return { id, type: 'pre', tool: '*', when, then: { effect: 'deny', message: `${id} says no`, ...more } }
}

export function approve(id: string, when: object, more: object = {}): object {
  return pre(id, when, { effect: 'approve', message: `${id} asks`, ...more })
}

export function post(id: string, when: object, effect: string): object {
  return { id, type: 'post', tool: '*', when, then: { effect, message: `${id} found something` } }
}

export function session(id: string, limits: object, more: object = {}): object {
  return {
    id,
    type: 'session',
    limits,
    then: { effect: 'deny', message: `${id}: stop using {tool.name}` },
    ...more,
  }
}

export const always = { 'tool.name': { exists: true } }

/** The actions a guard has recorded, in order. */
export function actionsOf(guard: Edictum): readonly string[] {
  return guard.localSink.events.map(({ action }) => action)
}
