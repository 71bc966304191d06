// The five ways a tool call can end. Every call ends in exactly one of them, frozen.

/** The tool ran and its output fits a message. */
export interface ToolExecutionResult {
  readonly kind: 'executed'
  readonly callId: string
  readonly toolName: string
  /** What the model sees: plain data, redacted, deeply frozen. */
  readonly output: Readonly<Record<string, unknown>>
  readonly elapsedMs: number
  /** Whether arguments were changed, without loss, to fit the tool's schema. */
  readonly wasCoerced: boolean
}

/** The tool did not end in time. What it may have done by then is not known. */
export interface ToolTimeout {
  readonly kind: 'timeout'
  readonly callId: string
  readonly toolName: string
  /** The moment that passed, in seconds of the runtime's monotonic clock. */
  readonly deadlineS: number
  readonly elapsedMs: number
  readonly retryable: boolean
}

/** The tool threw, reported an error, or does not exist. */
export interface ToolFailure {
  readonly kind: 'failure'
  readonly callId: string
  readonly toolName: string
  /** Redacted. */
  readonly error: string
  readonly retryable: boolean
  readonly elapsedMs: number
}

/** Why a call did not run. The last two are extensions: the turn's allowance is used up, the caller gave up. */
export type DenialReason =
  'duplicate' | 'blocked' | 'pre_hook' | 'validation' | 'deadline' | 'write_denied' | 'budget' | 'cancelled'

/** The contract behind a denial. For code and people; the model never sees it. */
export interface DenialPolicy {
  readonly source: string
  readonly contractId: string | null
  readonly tags: readonly string[]
  readonly policyVersion: string | null
}

/** The tool did not run. */
export interface ToolDenied {
  readonly kind: 'denied'
  readonly callId: string
  readonly toolName: string
  readonly reason: DenialReason
  readonly details: string
  readonly policy?: DenialPolicy
}

/** The tool ran; its output is too large for a message and was stored. */
export interface ToolArtifactReference {
  readonly kind: 'artifact'
  readonly callId: string
  readonly toolName: string
  readonly artifactId: string
  /** The beginning of the output, at most 200 characters, on one line. */
  readonly summary: string
  readonly sizeBytes: number
}

export type ToolOutcome = ToolExecutionResult | ToolTimeout | ToolFailure | ToolDenied | ToolArtifactReference

/** True for a timeout or a failure; a denied call is not an error. */
export function outcomeIsError(outcome: ToolOutcome): boolean {
  return outcome.kind === 'timeout' || outcome.kind === 'failure'
}

export function outcomeIsRetryable(outcome: ToolOutcome): boolean {
  return (outcome.kind === 'timeout' || outcome.kind === 'failure') && outcome.retryable
}

/** Whether the tool is of no more use in this turn. */
export function outcomeBlocksTool(outcome: ToolOutcome): boolean {
  return outcomeIsError(outcome) && !outcomeIsRetryable(outcome)
}
