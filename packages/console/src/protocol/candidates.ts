// GET /api/edictum/v1/candidates?since=…&env=…        → CandidateList: contracts on trial beside those in force, on live traffic
// GET /api/edictum/v1/candidates/{contract}/texts         → CandidateTexts: one of them in both forms

export interface CandidateList {
  readonly since: string
  /** Those that differ most first. */
  readonly candidates: readonly Candidate[]
}

export interface Candidate {
  /** As events name it: the contract it would replace, and `:candidate`. */
  readonly candidate: string
  readonly contract: string
  /** Calls that were allowed and that it would allow too. */
  readonly agrees: number
  /** Calls that were allowed and that it would deny. */
  readonly differs: number
  /** What the contract in force denied itself; a candidate is not asked then. */
  readonly enforced_denials: number
  readonly last_difference_at: string | null
  readonly tools: readonly { readonly tool_name: string; readonly agrees: number; readonly differs: number }[]
}

export interface CandidateTexts {
  readonly contract: string
  /** Null when no stored bundle has it: agents may bring contracts of their own. */
  readonly enforced: ContractText | null
  readonly candidate: ContractText | null
  /** What is different in meaning, in words. */
  readonly changes: readonly string[]
}

export interface ContractText {
  readonly name: string
  readonly version: number
  /** Where that version is in force. */
  readonly environments: readonly string[]
  /** The contract alone, or the whole bundle where it cannot be told apart. */
  readonly text: string
}
