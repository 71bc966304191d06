/** Why a call must not run, as any step may find. */
export interface Denial {
  readonly source: string
  readonly name: string | null
  readonly reason: string
  readonly policyError?: boolean
  /** An approval that was refused is on record as such; it gets no second event. */
  readonly isRecorded?: true
}
