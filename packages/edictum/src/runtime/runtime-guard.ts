// What the runtime needs of a guard. `Edictum` has it.
import type { ToolDescriptor } from '../contracts/bundle.js'
import type { Admission } from '../guard/call.js'
import type { BeginOptions, RunOptions } from '../guard/call-request.js'
import type { RedactionPolicy } from '../policy/redaction/redaction-policy.js'

export interface RuntimeGuard {
  readonly sessionId: string
  readonly redaction: RedactionPolicy
  describeTool(toolName: string): ToolDescriptor | undefined
  begin(
    call: { readonly toolName: string; readonly args: Readonly<Record<string, unknown>> },
    options: BeginOptions,
  ): Promise<Admission>
}

/** Passed on with every call of a turn. */
export type CallerOptions = Pick<
  RunOptions,
  'principal' | 'environment' | 'metadata' | 'parentCallId' | 'caller'
>
