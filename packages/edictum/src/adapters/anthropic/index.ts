// Anthropic SDK: for the tool runner, the `run` of every tool is wrapped; for loops of one's own, the `tool_use` blocks of
// a reply go in and the `tool_result` blocks that answer them come out.
import {
  type AdapterOptions,
  type CallGuard,
  createPass,
  type Pass,
  type Passage,
  returnOrThrow,
  textOf,
} from '../../guard/passage.js'
import { probeWiring, type SelfTest } from '../../guard/self-test.js'

/** What is known about one call. */
export interface AnthropicCall {
  readonly toolUse: AnthropicToolUse
  /** The `context` of a loop of one's own; the tool runner has none. */
  readonly context?: unknown
}

/** A call in a reply; `toolset_name` is there for the tools of a browser or computer toolset. */
export interface AnthropicToolUse {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly toolset_name?: string | null
}

export interface AnthropicToolResult {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  /** Text, or the content blocks the tool returned. */
  readonly content: string | never[]
  readonly is_error?: true
}

/** The functions of a loop, by tool name. */
export type AnthropicFunctions = Readonly<
  Record<
    string,
    (args: Readonly<Record<string, unknown>>, call: { readonly signal: AbortSignal | undefined }) => unknown
  >
>

export interface AnthropicLoop {
  readonly context?: unknown
  readonly signal?: AbortSignal
}

interface RunContext {
  readonly toolUse: AnthropicToolUse
  readonly signal?: AbortSignal | null
}

type Run = (first: unknown, second: unknown) => unknown

export class AnthropicAdapter {
  readonly #pass: Pass<AnthropicCall>

  constructor(guard: CallGuard, options: AdapterOptions<AnthropicCall> = {}) {
    this.#pass = createPass(guard, options)
  }

  /** The same tools for `toolRunner`, guarded. Tools without `run` are the provider's and stay as they are. */
  guardTools<Tools extends readonly object[]>(tools: Tools): Tools {
    return tools.map((tool: { run?: unknown; name?: string }) => {
      if (typeof tool.run !== 'function') return tool
      const run = tool.run.bind(tool) as Run
      return { ...tool, run: tool.name === undefined ? this.#wrapToolset(run) : this.#wrap(tool.name, run) }
    }) as unknown as Tools
  }

  /** Answers every `tool_use` block of `message.content`, in order. The blocks go into the next user message. */
  async executeToolUses(
    content: readonly { readonly type: string }[],
    functions: AnthropicFunctions,
    { context, signal }: AnthropicLoop = {},
  ): Promise<AnthropicToolResult[]> {
    const uses = content.filter(({ type }) => type === 'tool_use') as unknown as AnthropicToolUse[]
    return Promise.all(
      uses.map(async (toolUse): Promise<AnthropicToolResult> => {
        const { name, input } = toolUse
        const run = async (args: Readonly<Record<string, unknown>>): Promise<unknown> => {
          if (!Object.hasOwn(functions, name)) throw new Error(`there is no tool \`${name}\``)
          return functions[name]?.(args, { signal })
        }
        const passage = await this.#pass(
          {
            toolName: name,
            args: input,
            toolUseId: toolUse.id,
            context: { toolUse, context },
            signal,
          },
          { run },
        )
        const isError = passage.kind !== 'returned' || passage.failed
        const result = { type: 'tool_result', tool_use_id: toolUse.id, content: contentOf(passage) } as const
        return isError ? { ...result, is_error: true } : result
      }),
    )
  }

  /** Makes calls that must be denied, through a guarded tool and through a loop, and tells whether the tool ran. */
  async selfTest(): Promise<SelfTest> {
    return probeWiring(async (guard, handler) => {
      const adapter = new AnthropicAdapter(guard)
      const toolUse = { type: 'tool_use', id: 'self-test', name: 'probe', input: {} }
      await adapter.executeToolUses([toolUse], { probe: handler })
      for (const tool of adapter.guardTools([{ name: 'probe', run: handler as Run }]))
        await tool.run({}, { toolUse })
    })
  }

  #wrap(toolName: string, run: Run): Run {
    return async (args, context) =>
      this.#run({ toolName, args }, context as RunContext, (judged) => run(judged, context))
  }

  /** A toolset is one entry for many tools, each called with its own block; contracts see `browser_navigate`. */
  #wrapToolset(run: Run): Run {
    return async (context, toolUse) => {
      const { toolset_name, name, input } = toolUse as AnthropicToolUse
      const call = { toolName: `${toolset_name ?? ''}_${name}`, args: input }
      return this.#run(call, context as RunContext, (judged) =>
        run(context, { ...(toolUse as AnthropicToolUse), input: judged }),
      )
    }
  }

  async #run(
    call: { readonly toolName: string; readonly args: unknown },
    { toolUse, signal }: RunContext,
    run: (args: unknown) => unknown,
  ): Promise<string | never[]> {
    const passage = await this.#pass(
      { ...call, toolUseId: toolUse.id, context: { toolUse }, signal: signal ?? undefined },
      { run },
    )
    // What is thrown becomes a result with `is_error`.
    returnOrThrow(passage)
    return contentOf(passage)
  }
}

/** Content blocks stay blocks; everything else is told as text. */
function contentOf(passage: Passage): string | never[] {
  return passage.kind === 'returned' && Array.isArray(passage.value)
    ? (passage.value as never[])
    : textOf(passage)
}
