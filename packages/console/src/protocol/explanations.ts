// Why contracts did or did not fire. Defined in the library, which explains; one definition for both sides.
export type { ConditionExplanation, ConditionOutcome, ContractExplanation } from 'edictum'
