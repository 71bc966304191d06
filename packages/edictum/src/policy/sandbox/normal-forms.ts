// The selectors `command.…`, `paths` and `hosts`: what a call means, the same for every contract. A call that does not
// say what it means makes them throw, so that a condition about it is a policy error and not silently false.
import type { NormalForm } from '../../contracts/selectors.js'
import type { CallFacts } from './call-facts.js'
import type { PathFact } from './paths.js'

/** Undefined when the call carries nothing of the kind. */
export const readNormalForm = {
  'command.programs': (facts) => several(programNames(facts)),
  'command.unresolved': unresolvedReason,
  paths: (facts) => several(knownPaths(facts).flatMap(surePlaces)),
  hosts: (facts) => several(hostNames(facts)),
} as const satisfies Readonly<
  Record<NormalForm, (facts: CallFacts) => string | readonly string[] | undefined>
>

/** @throws when it cannot be known where a path of the call leads */
export function knownPaths(facts: CallFacts): readonly PathFact[] {
  const unknown = facts.commands.unknown ?? facts.paths.unknown
  if (unknown !== undefined) throw new Error(`the paths of the call cannot be known: ${unknown}`)
  return facts.paths.paths
}

function programNames(facts: CallFacts): readonly string[] {
  const reason = unresolvedReason(facts)
  if (reason !== undefined) throw new Error(`the programs of the call cannot be known: ${reason}`)
  return [...facts.commands.commands, ...facts.scripts.commands].flatMap(({ name }) => namesOf(name))
}

function unresolvedReason({ commands, scripts }: CallFacts): string | undefined {
  if (commands.hasOddValue) return 'what stands where a command belongs is neither text nor a list of words'
  return commands.unknown ?? scripts.unknown
}

/** Without its folder. Code that the line does not show, such as `node -e`, has a name of several words: that stays. */
function namesOf(name: string): readonly string[] {
  const base = name.slice(name.lastIndexOf('/') + 1).replace(/\.(?:exe|cmd|bat|com)$/i, '')
  return name.includes(' ') ? [name, base] : [base]
}

function surePlaces({ places, certainty }: PathFact): readonly string[] {
  return certainty === 'sure' ? places : []
}

function hostNames(facts: CallFacts): readonly string[] {
  const { unknown } = facts.commands
  if (unknown !== undefined) throw new Error(`the hosts of the call cannot be known: ${unknown}`)
  return facts.hosts.map((fact) => {
    if (fact.kind === 'host') return fact.name
    throw new Error(`programs do not agree which host ${JSON.stringify(fact.text.slice(0, 100))} names`)
  })
}

function several(values: readonly string[]): readonly string[] | undefined {
  return values.length === 0 ? undefined : [...new Set(values)]
}
