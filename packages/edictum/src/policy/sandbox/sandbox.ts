// Sandbox contracts: allowlists for paths, commands and hosts.
import type { SandboxContract } from '../../contracts/bundle.js'
import type { Test } from '../conditions/condition.js'

/**
 * Boundaries are not evaluated by this version. A boundary that cannot be checked is not one that passes, so every
 * matching call is outside, as a policy error that says why.
 */
export function compileSandbox(contract: SandboxContract): Test {
  const unchecked = Object.freeze({
    kind: 'policy-error' as const,
    detail: `sandbox ${contract.id} cannot be evaluated by this version`,
  })
  return () => unchecked
}
