// Why contracts did or did not fire: the condition tree of each, with what every leaf saw.

export type ConditionOutcome = 'matched' | 'not-matched' | 'policy-error' | 'not-reached'

export type ExplainedCondition =
  | {
      readonly kind: 'all' | 'any'
      readonly outcome: ConditionOutcome
      readonly conditions: readonly ExplainedCondition[]
    }
  | { readonly kind: 'not'; readonly outcome: ConditionOutcome; readonly condition: ExplainedCondition }
  | ExplainedLeaf

export interface ExplainedLeaf {
  readonly kind: 'leaf'
  readonly outcome: ConditionOutcome
  readonly selector: string
  readonly operator: string
  readonly operand: unknown
  /** What the selector found, with secrets masked; absent when it found nothing. */
  readonly value?: unknown
  readonly detected?: readonly string[]
  /** Why it could not be decided. */
  readonly detail?: string
}

export interface ExplainedContract {
  readonly contractId: string
  readonly contractType: string
  readonly outcome: ConditionOutcome
  /** Sandbox contracts have none. */
  readonly when?: ExplainedCondition
  readonly detail?: string
}
