// Step 7: did the tool do what it was called for? Decides what counts against limits and what the agent is told.

/** Replaces the default everywhere it is given. Not asked when the tool threw. */
export type SuccessCheck = (toolName: string, result: unknown) => boolean

/** Nothing returned is success; a mapping that says `is_error`, or a text that starts like an error, is not. */
export function defaultSuccessCheck(_toolName: string, result: unknown): boolean {
  if (typeof result === 'string') return !result.startsWith('Error:') && !result.startsWith('fatal:')
  if (typeof result === 'object' && result !== null && !Array.isArray(result) && 'is_error' in result) {
    return !result.is_error
  }
  return true
}

export type Judgement =
  | { readonly kind: 'succeeded'; readonly result: unknown }
  /** The tool threw, or its result was judged a failure. */
  | {
      readonly kind: 'failed'
      readonly result: unknown
      readonly cause: unknown
      readonly policyError: boolean
    }

export type ToolEnding =
  /** `marked` is the framework's own word on it, which only the default check asks for. */
  { readonly output: unknown; readonly marked?: 'failed' } | { readonly error: unknown }

export function judge(toolName: string, ending: ToolEnding, check: SuccessCheck): Judgement {
  if ('error' in ending) {
    return { kind: 'failed', result: ending.error, cause: ending.error, policyError: false }
  }
  const result = ending.output
  try {
    const answer: unknown = check(toolName, result)
    if (typeof answer === 'object' && answer !== null && 'then' in answer) {
      throw new TypeError('the success check returned a promise; it must answer at once')
    }
    const isMarked = ending.marked === 'failed' && check === defaultSuccessCheck
    return answer && !isMarked
      ? { kind: 'succeeded', result }
      : { kind: 'failed', result, cause: undefined, policyError: false }
  } catch (error) {
    // A result nobody can judge is not a success: it must not reset a failure count or pass as one.
    return { kind: 'failed', result, cause: error, policyError: true }
  }
}
