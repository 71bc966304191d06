// What is said about a tool that failed, and whether it is worth trying again.
import type { EdictumToolError } from '../guard/errors.js'
import type { RedactionPolicy } from '../policy/redaction/redaction-policy.js'

const longestError = 2_000
const reportedFailure = 'Tool reported failure'

/** A mapping with an `error` that is one: many interfaces send `error: null` along with a success. */
export function isErrorResult(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  if (!Object.hasOwn(value, 'error')) return false
  const { error } = value as { readonly error: unknown }
  return error !== null && error !== undefined && error !== false && error !== ''
}

/** True unless the tool says otherwise. */
export function isWorthRetrying(raw: unknown): boolean {
  if (typeof raw !== 'object' || raw === null) return true
  return (raw as { readonly retryable?: unknown }).retryable !== false
}

/** From what the guard has redacted already; fields that are sensitive by name are masked here. */
export function failureText({ result, message }: EdictumToolError, redaction: RedactionPolicy): string {
  return redaction.redactResult(textOf(result, message, redaction), longestError)
}

function textOf(result: unknown, message: string, redaction: RedactionPolicy): string {
  if (typeof result !== 'object' || result === null || result instanceof Error) return message
  const { error, message: said } = result as { readonly error?: unknown; readonly message?: unknown }
  if (typeof error === 'string' && error !== '') return error
  if (typeof error === 'object' && error !== null) return detailsOf(error, redaction)
  return typeof said === 'string' && said !== '' ? said : reportedFailure
}

function detailsOf(error: object, redaction: RedactionPolicy): string {
  const { message } = error as { readonly message?: unknown }
  if (typeof message === 'string' && message !== '') return message
  try {
    return JSON.stringify(redaction.redactWhole(error)) ?? reportedFailure
  } catch {
    return reportedFailure
  }
}
