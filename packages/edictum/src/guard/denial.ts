import type { ToolEnvelope } from '../policy/envelope.js'
import type { Paused } from './pausing-approvals.js'

/** Why a call must not run, as any step may find. */
export interface Denial {
  readonly source: string
  readonly name: string | null
  readonly reason: string
  readonly policyError?: boolean
  /** An approval that was refused is on record as such; it gets no second event. */
  readonly isRecorded?: true
  /** Nobody agreed to what a contract wants somebody to agree to. */
  readonly lacksConsent?: true
  /** Holds in every mode, because it is not the contracts that refuse. */
  readonly isBinding?: true
  /** Nothing is decided yet: the framework pauses the run. */
  readonly pause?: Paused
}

/** The call must not run. */
export interface Refused {
  readonly kind: 'refused'
  readonly envelope: ToolEnvelope
  readonly reason: string
  readonly decisionSource: string | null
  readonly decisionName: string | null
  readonly policyError: boolean
  /** Whether a contract asked for a person's consent and there was none. */
  readonly lacksConsent: boolean
  /** Tags of the contract that denied. */
  readonly tags: readonly string[]
  readonly policyVersion: string | null
  /** Only for now: a person has been asked, and the call will be made again with the answer. */
  readonly pause?: Paused
}
