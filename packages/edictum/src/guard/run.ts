// The tool runs, with exactly the arguments that were judged.
import type { ToolEnvelope } from '../policy/envelope.js'
import type { ToolEnding } from './judge.js'
import type { MaybePromise } from './waiting.js'

/** What a tool is given: exactly the arguments that were judged, frozen, and how to notice that it should stop. */
export type Tool<Result> = (
  args: Readonly<Record<string, unknown>>,
  context: { readonly envelope: ToolEnvelope; readonly signal: AbortSignal | undefined },
) => Result | PromiseLike<Result>

/** How the tool ended. A throw is an ending like any other. */
export function runTool<Result>(
  tool: Tool<Result>,
  envelope: ToolEnvelope,
  signal: AbortSignal | undefined,
): MaybePromise<ToolEnding> {
  try {
    const answer = tool(envelope.args, { envelope, signal })
    return isThenable(answer) ? ended(answer) : { output: answer }
  } catch (error) {
    return { error }
  }
}

async function ended(answer: PromiseLike<unknown>): Promise<ToolEnding> {
  try {
    return { output: await answer }
  } catch (error) {
    return { error }
  }
}

/** Everything `await` would wait for. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return typeof (value as { readonly then?: unknown }).then === 'function'
}
