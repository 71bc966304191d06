// What is written down about one contract and one call. Passing records are made once per contract and shared.
import { contractTypeNames, type Firing, type JudgedContract } from './compiled-contract.js'

export type ContractRecordType = 'precondition' | 'sandbox' | 'session_contract' | 'postcondition'

export interface ContractRecord {
  readonly name: string
  readonly type: ContractRecordType
  readonly passed: boolean
  readonly message: string | null
  /** Tags, the contract's own metadata, `policy_error` and `error_detail` where they apply. */
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly observed?: true
}

export function passedRecord({ contract }: JudgedContract): ContractRecord {
  return Object.freeze({
    name: contract.id,
    type: contractTypeNames[contract.type],
    passed: true,
    message: null,
  })
}

export function failedRecord(
  { contract, mode }: JudgedContract,
  firing: Firing,
  message: string,
): ContractRecord {
  const own = contract.type === 'sandbox' ? {} : contract.then.metadata
  const tags = contract.type === 'sandbox' ? [] : contract.then.tags
  return Object.freeze({
    name: contract.id,
    type: contractTypeNames[contract.type],
    passed: false,
    message,
    metadata: Object.freeze({ ...own, tags, ...errorMetadata(firing) }),
    ...(mode === 'observe' ? { observed: true as const } : {}),
  })
}

/** Written last, so that a bundle's own metadata cannot hide an error. */
function errorMetadata(firing: Firing): object {
  return firing.kind === 'policy-error' ? { policy_error: true, error_detail: firing.detail } : {}
}

export function isPolicyError(record: ContractRecord): boolean {
  return record.metadata?.['policy_error'] === true
}
