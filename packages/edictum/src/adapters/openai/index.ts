// OpenAI SDK: for loops of one's own, the calls of a reply go in and the messages that answer them come out; for
// `runTools`, the callback of every tool is wrapped. `runTools` gives up the whole run when a callback throws, so
// everything is told as text.
import {
  type AdapterOptions,
  type CallGuard,
  createPass,
  type FrameworkCall,
  type Pass,
  textOf,
} from '../../guard/passage.js'
import { probeWiring, type SelfTest } from '../../guard/self-test.js'

/** What is known about one call. */
export interface OpenAICall {
  readonly toolName: string
  /** In a loop of one's own; `runTools` does not tell. */
  readonly toolCallId?: string
  /** The `context` of the loop, or the `toolContext` of `runTools`. */
  readonly context?: unknown
}

/** A call in a reply of the Chat Completions API. */
export interface OpenAIToolCall {
  readonly id: string
  readonly function?: { readonly name: string; readonly arguments: string }
  /** A tool whose input is free text; contracts see it as `args.input`. */
  readonly custom?: { readonly name: string; readonly input: string }
}

export interface OpenAIToolMessage {
  readonly role: 'tool'
  readonly tool_call_id: string
  readonly content: string
}

/** A call in a reply of the Responses API; items of other types are not calls and are passed over. */
export interface OpenAIOutputItem {
  readonly type: string
  readonly call_id?: string
  readonly name?: string
  readonly arguments?: unknown
  readonly input?: unknown
}

export interface OpenAIFunctionOutput {
  readonly type: 'function_call_output' | 'custom_tool_call_output'
  readonly call_id: string
  readonly output: string
}

/** The functions of a loop, by tool name. */
export type OpenAIFunctions = Readonly<
  Record<
    string,
    (args: Readonly<Record<string, unknown>>, call: { readonly signal: AbortSignal | undefined }) => unknown
  >
>

export interface OpenAILoop {
  readonly context?: unknown
  readonly signal?: AbortSignal
}

type Callback = (args: unknown, runner?: Runner, toolContext?: unknown) => unknown

interface Runner {
  readonly controller?: { readonly signal?: AbortSignal }
}

interface RunnableFunction {
  readonly name?: string
  readonly function: Callback
  readonly parse?: unknown
}

export class OpenAIAdapter {
  readonly #pass: Pass<OpenAICall>

  constructor(guard: CallGuard, options: AdapterOptions<OpenAICall> = {}) {
    this.#pass = createPass(guard, options)
  }

  /** Answers every call of `message.tool_calls`, in order. The messages go into the next request. */
  async executeToolCalls(
    calls: readonly OpenAIToolCall[] | undefined,
    functions: OpenAIFunctions,
    loop: OpenAILoop = {},
  ): Promise<OpenAIToolMessage[]> {
    return Promise.all(
      (calls ?? []).map(async ({ id, function: called, custom }): Promise<OpenAIToolMessage> => {
        const args = custom === undefined ? parsed(called?.arguments) : { input: custom.input }
        const call = callOf({ toolName: (custom ?? called)?.name ?? '', toolCallId: id }, args, loop)
        return { role: 'tool', tool_call_id: id, content: await this.#execute(call, functions) }
      }),
    )
  }

  /** The same for `response.output` of the Responses API. */
  async executeFunctionCalls(
    output: readonly OpenAIOutputItem[],
    functions: OpenAIFunctions,
    loop: OpenAILoop = {},
  ): Promise<OpenAIFunctionOutput[]> {
    const calls = output.filter(({ type }) => type === 'function_call' || type === 'custom_tool_call')
    return Promise.all(
      calls.map(async (item): Promise<OpenAIFunctionOutput> => {
        const { type, call_id = '', name: toolName = '' } = item
        const args = type === 'function_call' ? parsed(item.arguments) : { input: item.input }
        const call = callOf({ toolName, toolCallId: call_id }, args, loop)
        return { type: `${type}_output` as never, call_id, output: await this.#execute(call, functions) }
      }),
    )
  }

  /** The same tools for `runTools`, guarded. Tools without a callback stay as they are: `runTools` refuses them itself. */
  guardTools<Tools extends readonly object[]>(tools: Tools): Tools {
    return tools.map((tool: { $callback?: unknown; function?: unknown }) => {
      const { $callback, function: runnable } = tool
      if (typeof $callback === 'function') {
        const { name } = runnable as { name: string }
        const guarded = { value: this.#wrap(name, $callback as Callback) }
        // What a tool made from a zod schema consists of is hidden and cannot be redefined, so it is copied.
        return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(tool), $callback: guarded })
      }
      if (typeof runnable !== 'object' || !('function' in (runnable ?? {}))) return tool
      const callee = runnable as RunnableFunction
      const name = callee.name ?? callee.function.name
      const wrapped = this.#wrap(name, callee.parse === undefined ? ofText(callee.function) : callee.function)
      return { ...tool, function: { ...callee, name, function: wrapped } }
    }) as unknown as Tools
  }

  /** Makes calls that must be denied, through a loop and through a guarded tool, and tells whether the tool ran. */
  async selfTest(): Promise<SelfTest> {
    return probeWiring(async (guard, handler) => {
      const adapter = new OpenAIAdapter(guard)
      const called = { name: 'probe', arguments: '{}' }
      await adapter.executeToolCalls([{ id: 'self-test', function: called }], { probe: handler })
      const tools = [{ type: 'function', function: { name: 'probe', function: handler as Callback } }]
      for (const tool of adapter.guardTools(tools)) await tool.function.function('{}')
    })
  }

  async #execute(call: FrameworkCall<OpenAICall>, functions: OpenAIFunctions): Promise<string> {
    const { toolName, signal } = call
    const run = async (args: Readonly<Record<string, unknown>>): Promise<unknown> => {
      if (!Object.hasOwn(functions, toolName)) throw new Error(`there is no tool \`${toolName}\``)
      return functions[toolName]?.(args, { signal })
    }
    return textOf(await this.#pass(call, { run }))
  }

  #wrap(toolName: string, callback: Callback): Callback {
    return async (raw, runner, context) => {
      const signal = runner?.controller?.signal
      const call = callOf({ toolName }, parsed(raw), { context, ...(signal === undefined ? {} : { signal }) })
      return textOf(await this.#pass(call, { run: (args) => callback(args, runner, context) }))
    }
  }
}

function callOf(
  told: Omit<OpenAICall, 'context'>,
  args: unknown,
  { context, signal }: OpenAILoop,
): FrameworkCall<OpenAICall> {
  return {
    toolName: told.toolName,
    args,
    context: { ...told, context },
    toolUseId: told.toolCallId,
    signal,
  }
}

/** Arguments arrive as JSON; what is none stays text, which is denied. */
function parsed(args: unknown): unknown {
  if (typeof args !== 'string') return args
  try {
    return JSON.parse(args)
  } catch {
    return args
  }
}

/** A callback without `parse` wants the text; it gets exactly what was judged. */
function ofText(callback: Callback): Callback {
  return (args, runner, context) => callback(JSON.stringify(args), runner, context)
}
