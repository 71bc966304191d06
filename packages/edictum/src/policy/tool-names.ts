// The names of tools a bundle speaks of.
import type { Contract, ContractBundle } from '../contracts/bundle.js'
import { isGlob } from './tool-glob.js'

/** What a contract is about: names and globs. */
export function toolPatternsOf(contract: Contract): readonly string[] {
  switch (contract.type) {
    case 'pre':
    case 'post':
      return [contract.tool]
    case 'sandbox':
      return contract.tools
    case 'session':
      return [...(contract.limits.maxCallsPerTool?.keys() ?? [])]
    default:
      return contract satisfies never
  }
}

/** Every tool a contract or the list of tools names in full, in order. */
export function toolNamesOf({ contracts, tools }: ContractBundle): ReadonlySet<string> {
  const patterns = [...contracts.flatMap(toolPatternsOf), ...tools.keys()]
  return new Set(patterns.filter((pattern) => !isGlob(pattern)))
}
