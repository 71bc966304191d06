// Sandbox contracts: allowlists for paths, commands and hosts. A rule only judges what the call carries.
import type { SandboxContract } from '../../contracts/bundle.js'
import type { Test } from '../conditions/condition.js'
import { compileBoundaries } from './boundary.js'
import type { CommandFacts } from './call-facts.js'
import { compileHostRules, isHostOutside } from './hosts.js'
import { leadsInto, leadsOutOf } from './paths.js'

/** True when the call is outside. What it costs to be outside is the caller's business. */
export function compileSandbox(contract: SandboxContract): Test {
  const within = compileBoundaries(contract.within)
  const notWithin = compileBoundaries(contract.notWithin)
  if (within === undefined || notWithin === undefined) {
    const detail = `sandbox ${contract.id} names a folder that cannot be found out: a loop, or no permission`
    const unknown = Object.freeze({ kind: 'policy-error' as const, detail })
    return () => unknown
  }
  const programs = contract.allows.commands === undefined ? undefined : new Set(contract.allows.commands)
  const hostRules = compileHostRules(contract.allows.domains, contract.notAllows.domains)
  return ({ facts }) => {
    if (facts.commands.unknown !== undefined) return true
    if (within.length > 0) {
      const { paths, unknown } = facts.paths
      if (unknown !== undefined || leadsInto(paths, notWithin) || leadsOutOf(paths, within, programs))
        return true
    }
    if (programs !== undefined) {
      if (startsOther(facts.commands, programs) || startsOther(facts.scripts, programs)) return true
    }
    return hostRules !== undefined && isHostOutside(facts.hosts, hostRules)
  }
}

function startsOther(facts: CommandFacts, programs: ReadonlySet<string>): boolean {
  return (
    facts.hasOddValue || facts.unknown !== undefined || facts.commands.some(({ name }) => !programs.has(name))
  )
}
