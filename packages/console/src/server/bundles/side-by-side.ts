// A contract as it is enforced and as it is on trial, each in its author's words.
import { type ContractBundle, diffBundles, EdictumConfigError, loadBundleString } from 'edictum'
import type { CandidateTexts, ContractText } from '../../protocol/candidates.js'

export interface TextOfVersion extends Omit<ContractText, 'text'> {
  readonly content: string
}

/** Of several versions, the first of each kind counts. */
export function putSideBySide(contract: string, versions: readonly TextOfVersion[]): CandidateTexts {
  const loaded = versions.flatMap((version) => {
    const bundle = load(version.content)
    return bundle?.contracts.some(({ id }) => id === contract) === true ? [{ version, bundle }] : []
  })
  const inForce = loaded.filter(({ bundle }) => !bundle.observeAlongside)
  const enforced = inForce.find(({ bundle }) => enforces(contract, bundle)) ?? inForce[0]
  const candidate = loaded.find(({ bundle }) => bundle.observeAlongside)
  return {
    contract,
    enforced: enforced === undefined ? null : toText(contract, enforced.version),
    candidate: candidate === undefined ? null : toText(contract, candidate.version),
    changes:
      enforced === undefined || candidate === undefined
        ? []
        : diffBundles(only(contract, enforced.bundle), only(contract, candidate.bundle)).changed.flatMap(
            ({ changes }) => changes,
          ),
  }
}

function enforces(contract: string, { contracts, defaults }: ContractBundle): boolean {
  return contracts.some(({ id, mode }) => id === contract && (mode ?? defaults.mode) === 'enforce')
}

function only(contract: string, bundle: ContractBundle): ContractBundle {
  return { ...bundle, contracts: bundle.contracts.filter(({ id }) => id === contract) }
}

function toText(contract: string, { content, ...version }: TextOfVersion): ContractText {
  return { ...version, text: findLines(contract, content) ?? content }
}

/**
 * The lines of one entry of a block list. A bundle written in another way is shown whole: lines are only taken when they
 * load as that contract and no other.
 */
function findLines(contract: string, content: string): string | undefined {
  const lines = content.split('\n')
  const named = lines.findIndex((line) => line.includes(contract) && /^\s*(?:-\s+)?id:/.test(line))
  if (named === -1) return undefined
  let start = named
  while (start > 0 && !/^\s*-\s/.test(lines[start] ?? '')) start--
  const depth = indentOf(lines[start] ?? '')
  let end = start + 1
  while (end < lines.length && (lines[end]?.trim() === '' || indentOf(lines[end] ?? '') > depth)) end++
  const entry = lines.slice(start, end).map((line) => line.slice(depth))
  const alone = load(
    `apiVersion: edictum/v1\nkind: ContractBundle\nmetadata: { name: one }\ndefaults: { mode: enforce }\ncontracts:\n${entry
      .map((line) => `  ${line}`)
      .join('\n')}\n`,
  )
  return alone?.contracts.length === 1 && alone.contracts[0]?.id === contract
    ? entry.join('\n').trimEnd()
    : undefined
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function load(content: string): ContractBundle | undefined {
  try {
    return loadBundleString(content).bundle
  } catch (error) {
    if (error instanceof EdictumConfigError) return undefined
    throw error
  }
}
