// Vercel AI SDK, versions 5 to 7: a tool is guarded by wrapping its `execute`, the only place that can both stop a call
// and replace what the model sees. The SDK's callbacks around tool calls are notifications; it ignores what they throw.
import {
  type AdapterOptions,
  type CallGuard,
  type FrameworkCall,
  createPass,
  type Pass,
  returnOrThrow,
} from '../../guard/passage.js'
import { probeWiring, type SelfTest } from '../../guard/self-test.js'

/** What the SDK hands to `execute` beside the input; what it is called differs by version. */
export interface VercelAICall {
  readonly toolName: string
  readonly toolCallId?: string
  readonly messages?: readonly unknown[]
  readonly abortSignal?: AbortSignal
  /** Versions 5 and 6. */
  readonly experimental_context?: unknown
  /** Version 7. */
  readonly context?: unknown
}

type Execute = (input: unknown, options: Omit<VercelAICall, 'toolName'>) => unknown

export class VercelAIAdapter {
  readonly #pass: Pass<VercelAICall>

  constructor(guard: CallGuard, options: AdapterOptions<VercelAICall> = {}) {
    this.#pass = createPass(guard, options)
  }

  /** The same tools, guarded. Tools without `execute` run elsewhere, where nothing here can stop them, and stay as they are. */
  guardTools<Tools extends object>(tools: Tools): Tools {
    const guarded = Object.entries(tools).map(([name, tool]: [string, { execute?: unknown }]) => [
      name,
      typeof tool.execute === 'function'
        ? { ...tool, execute: this.#wrap(name, tool as { execute: Execute }) }
        : tool,
    ])
    return Object.fromEntries(guarded) as Tools
  }

  /** Makes a call that must be denied through a guarded tool and tells whether the tool ran. */
  async selfTest(): Promise<SelfTest> {
    return probeWiring(async (guard, handler) => {
      const { probe } = new VercelAIAdapter(guard).guardTools({ probe: { execute: handler as Execute } })
      await probe.execute({}, { toolCallId: 'self-test', messages: [] })
    })
  }

  #wrap(toolName: string, tool: { execute: Execute }): Execute {
    return async (input, options) => {
      const call: FrameworkCall<VercelAICall> = {
        toolName,
        args: input,
        context: { toolName, ...options },
        toolUseId: options.toolCallId,
        signal: options.abortSignal,
      }
      const run = (args: unknown) => lastOf(tool.execute(args, options))
      return returnOrThrow(await this.#pass(call, { run }))
    }
  }
}

/** A generator's last part is its result; the SDK would emit the others before anybody has looked at them. */
async function lastOf(result: unknown): Promise<unknown> {
  const value = await result
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) return value
  let last: unknown
  for await (const part of value as AsyncIterable<unknown>) last = part
  return last
}
