// What postconditions found in an output, in a form people and code can act on.
import type { ContractRecord } from '../policy/record.js'

export type FindingType = 'pii_detected' | 'secret_detected' | 'limit_exceeded' | 'policy_violation'

export interface Finding {
  readonly type: FindingType
  readonly contractId: string
  readonly field: string
  readonly message: string
  readonly metadata: Readonly<Record<string, unknown>>
}

export function findingsOf(records: readonly ContractRecord[]): readonly Finding[] {
  return records
    .filter((record) => !record.passed)
    .map((record) => {
      const metadata =
        record.observed === true ? { ...record.metadata, observed: true } : (record.metadata ?? {})
      const field = record.metadata?.['field']
      return Object.freeze({
        type: classifyFinding(record.name, record.message ?? ''),
        contractId: record.name,
        field: typeof field === 'string' ? field : 'output',
        message: record.message ?? '',
        metadata: Object.freeze(metadata),
      })
    })
}

const classes: readonly (readonly [FindingType, readonly string[]])[] = [
  ['pii_detected', ['pii', 'ssn', 'patient', 'name', 'dob']],
  ['secret_detected', ['secret', 'token', 'key', 'credential', 'password']],
  ['limit_exceeded', ['session', 'limit', 'max_calls', 'budget']],
]

/** A guess from the words of id and message; a contract that wants to be exact says so in its metadata. */
function classifyFinding(contractId: string, message: string): FindingType {
  const text = `${contractId} ${message}`.toLowerCase()
  return classes.find(([, words]) => words.some((word) => text.includes(word)))?.[0] ?? 'policy_violation'
}
