// The two vocabularies a bundle may be written in. The checker reads fields by these words, so a bundle is
// translated once, while it is checked, and every message uses the words its author wrote.

/** The vocabulary of a bundle, as its `kind` says. */
export type BundleKind = 'ContractBundle' | 'Ruleset'

export interface Words {
  readonly kind: BundleKind
  readonly contracts: 'contracts' | 'rules'
  readonly contract: 'contract' | 'rule'
  readonly effect: 'effect' | 'action'
  readonly deny: 'deny' | 'block'
  readonly approve: 'approve' | 'ask'
  /** The first is the preferred spelling; others are read as the same field. */
  readonly timeoutEffect: readonly [string, ...string[]]
}

const contractWords: Words = {
  kind: 'ContractBundle',
  contracts: 'contracts',
  contract: 'contract',
  effect: 'effect',
  deny: 'deny',
  approve: 'approve',
  timeoutEffect: ['timeout_effect'],
}

const rulesetWords: Words = {
  kind: 'Ruleset',
  contracts: 'rules',
  contract: 'rule',
  effect: 'action',
  deny: 'block',
  approve: 'ask',
  timeoutEffect: ['timeout_action', 'timeout_effect'],
}

export const allWords: readonly Words[] = [contractWords, rulesetWords]

/** The vocabulary of a document: by its `kind`, and where that is wrong too, by the list it carries. */
export function wordsOf(root: Readonly<Record<string, unknown>>): Words {
  const named = allWords.find((words) => words.kind === root['kind'])
  if (named !== undefined) return named
  return Object.hasOwn(root, 'rules') && !Object.hasOwn(root, 'contracts') ? rulesetWords : contractWords
}

/** What a word of one vocabulary is called in the other, for hints. */
export function translate(word: string, words: Words): string | undefined {
  const other = words === contractWords ? rulesetWords : contractWords
  const pairs: readonly (readonly [string, string])[] = [
    [other.contracts, words.contracts],
    [other.effect, words.effect],
    [other.deny, words.deny],
    [other.approve, words.approve],
    [other.timeoutEffect[0], words.timeoutEffect[0]],
  ]
  return pairs.find(([theirs]) => theirs === word)?.[1]
}
