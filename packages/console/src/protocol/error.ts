// How every refusal looks on the wire, in all protocols.

import type { Diagnostic } from 'edictum'

export interface ErrorBody {
  /** For people. */
  readonly detail: string
  /** For programs; stable. */
  readonly code: ErrorCode
  /** What is wrong where, when a request does not have the shape it should. */
  readonly errors?: readonly FieldFault[]
  /** What is wrong with a bundle and where in its text. */
  readonly diagnostics?: readonly Diagnostic[]
}

export interface FieldFault {
  readonly loc: readonly (string | number)[]
  readonly msg: string
}

export const errorCodes = [
  'not-found',
  'unauthenticated',
  'forbidden',
  'wrong-environment',
  'agent-not-allowed',
  'csrf-header-missing',
  'invalid-request',
  'invalid-json',
  'invalid-bundle',
  'unsupported-encoding',
  'body-too-large',
  'invalid-session-key',
  'not-a-number',
  'number-too-large',
  'conflict',
  'idempotency-mismatch',
  'approval-not-pending',
  'already-set-up',
  'rate-limited',
  'overloaded',
  'shutting-down',
  'internal',
] as const

export type ErrorCode = (typeof errorCodes)[number]
