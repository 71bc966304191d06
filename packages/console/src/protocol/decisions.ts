// What agents reported, for people.
//
//   GET /api/edictum/v1/decisions?…       → DecisionPage, newest first
//   GET /api/edictum/v1/decisions/facets  → DecisionFacets: what there is to filter by
//   GET /api/edictum/v1/decisions/{id}    → Decision with everything the event holds
//   GET /api/edictum/v1/decisions/{id}/explanation → DecisionExplanation by the contracts it was decided under
import type { TriedJudgement } from './bundle-check.js'

/** One event, as much of it as a row of a list has room for. */
export interface DecisionRow {
  readonly id: string
  readonly at: string
  readonly env: string
  readonly agent_id: string
  readonly session_id: string | null
  readonly tool_name: string
  /** In the words of the contract language: `call_denied`. */
  readonly action: string
  readonly mode: string
  /** Which contract decided; null when none did. */
  readonly contract: string | null
  /** What kind of thing decided: `yaml_precondition`, `attempt_limit`, `hook`. */
  readonly decision_source: string | null
  /** Its beginning. */
  readonly reason: string | null
}

export interface DecisionPage {
  readonly decisions: readonly DecisionRow[]
  /** Leads further back; null at the end. */
  readonly next_cursor: string | null
  /** How far back was looked, when that is all there was time for. A cursor leads on from there. */
  readonly looked_back_to: string | null
}

export interface Decision extends DecisionRow {
  readonly received_at: string
  /** The API key that delivered it. */
  readonly key_id: string
  /** As the agent sent it. */
  readonly event: Readonly<Record<string, unknown>>
  /** All events of the same call, oldest first. */
  readonly related: readonly DecisionRow[]
  readonly timing: CallTiming
}

/** What the events of a call say about its time, in milliseconds. */
export interface CallTiming {
  /** By step of the guard, where it had to wait: for storage, hooks, a person, a sink. */
  readonly waits_ms: Readonly<Record<string, number>>
  /** How long the tool ran; null when no event says so. */
  readonly tool_ms: number | null
}

export interface DecisionExplanation {
  /** The version whose hash the event names; null when none that is stored here has it. */
  readonly contract_version: { readonly name: string; readonly version: number } | null
  /** The call on record, judged again by that version; null when it cannot be. */
  readonly judgement: TriedJudgement | null
  /** Whether that is what was decided; null when it cannot be told, as of limits and of what only observes. */
  readonly agrees: boolean | null
  /** How long judging it again took, without loading the contracts. */
  readonly judged_in_ms: number | null
}

export interface DecisionFacets {
  readonly environments: readonly FacetCount[]
  /** Last heard of first, not counted. */
  readonly agents: readonly Pick<FacetCount, 'value'>[]
  readonly tools: readonly FacetCount[]
  readonly contracts: readonly FacetCount[]
  readonly actions: readonly FacetCount[]
}

export interface FacetCount {
  readonly value: string
  readonly events: number
}
