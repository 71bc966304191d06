// The fields of an event, whichever of the published shapes it came in. Nothing about it is taken for granted.

export interface ContractRecord {
  readonly name: string
  readonly type: string
  readonly passed: boolean
  readonly isObserved: boolean
  readonly message: string | null
  /** Why it could not be evaluated. */
  readonly errorDetail: string | null
}

export interface EventFields {
  readonly reason: string | null
  readonly decisionSource: string | null
  readonly sideEffect: string | null
  readonly policyVersion: string | null
  readonly toolArgs: unknown
  readonly principal: unknown
  readonly contracts: readonly ContractRecord[]
  readonly contractCount: number
  readonly toolSuccess: boolean | null
  readonly postconditionsPassed: boolean | null
  readonly durationMs: number | null
  readonly error: string | null
  readonly resultSummary: string | null
  readonly outcome: unknown
  readonly attempts: number | null
  readonly executions: number | null
}

type Fields = Readonly<Record<string, unknown>>

export function readEventFields(event: Fields): EventFields {
  const fields: Fields = { ...toFields(event['payload']), ...event }
  const contracts = toList(fields['contracts_evaluated'] ?? fields['rules_evaluated']).map(readRecord)
  return {
    reason: text(fields['reason']),
    decisionSource: text(fields['decision_source']),
    sideEffect: text(fields['side_effect']),
    policyVersion: text(fields['policy_version']),
    toolArgs: fields['tool_args'],
    principal: Object.keys(toFields(fields['principal'])).length === 0 ? null : fields['principal'],
    contracts,
    contractCount: number(fields['contracts_evaluated_count']) ?? contracts.length,
    toolSuccess: boolean(fields['tool_success']),
    postconditionsPassed: boolean(fields['postconditions_passed']),
    durationMs: number(fields['duration_ms']),
    error: text(fields['error']),
    resultSummary: text(fields['result_summary']),
    outcome: fields['outcome'] ?? null,
    attempts: number(fields['session_attempt_count']),
    executions: number(fields['session_execution_count']),
  }
}

function readRecord(value: unknown): ContractRecord {
  const record = toFields(value)
  const metadata = toFields(record['metadata'])
  return {
    name: text(record['name']) ?? '(no name)',
    type: text(record['type']) ?? '',
    passed: record['passed'] === true,
    isObserved: record['observed'] === true,
    message: text(record['message']),
    errorDetail: metadata['policy_error'] === true ? (text(metadata['error_detail']) ?? 'unknown') : null,
  }
}

function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function boolean(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null
}
