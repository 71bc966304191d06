// The names of tools a bundle speaks of.
import type { ContractBundle } from '../contracts/bundle.js'
import { isGlob } from './tool-glob.js'

/** Every tool a contract or the list of tools names in full, in order. */
export function toolNamesOf({ contracts, tools }: ContractBundle): ReadonlySet<string> {
  const patterns = contracts.flatMap((contract) => {
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
  })
  return new Set([...patterns, ...tools.keys()].filter((pattern) => !isGlob(pattern)))
}
