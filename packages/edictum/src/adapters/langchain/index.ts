// LangChain agents are guarded by a middleware around every tool call, LangGraph's own `ToolNode` by wrapping its tools.
// Both say no with a tool message: a throw would end the whole run, and the model would never learn why.
import {
  type AdapterOptions,
  type CallGuard,
  createPass,
  type FrameworkCall,
  type Pass,
  textOf,
} from '../../guard/passage.js'
import type { ApprovalQuestion, PausingApprovals } from '../../guard/pausing-approvals.js'
import { probeWiring, type SelfTest } from '../../guard/self-test.js'
import { openResult } from './tool-result.js'

/** What LangChain says about one call. */
export interface LangChainCall {
  readonly toolName: string
  readonly toolCallId?: string
  /** The conversation, where the run was given one: `configurable.thread_id`. */
  readonly threadId?: string
  /** What the run was given as `context`. */
  readonly context?: unknown
}

/** LangChain's class of that name. */
export type ToolMessageClass = new (fields: {
  content: string
  tool_call_id: string
  name: string
  status: 'error'
}) => object

export interface LangChainOptions extends AdapterOptions<LangChainCall> {
  /** `import { ToolMessage } from 'langchain'`: yours, so that there is only one version of it. */
  readonly ToolMessage: ToolMessageClass
  /**
   * `import { interrupt } from '@langchain/langgraph'`: approvals pause the run, which needs a checkpointer, and it goes on
   * with `new Command({ resume: answerApproval(question, …) })`. Without it the call waits for the guard's backend.
   */
  readonly interrupt?: (question: ApprovalQuestion) => unknown
}

interface ToolCall {
  readonly name: string
  readonly args: unknown
  readonly id?: string | undefined
}

interface Run {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined
  readonly context?: unknown
  readonly signal?: AbortSignal | undefined
}

/** The part of LangChain's request that is looked at. */
export interface LangChainToolRequest {
  readonly toolCall: ToolCall
  readonly runtime: object
}

export interface LangChainMiddleware {
  readonly name: string
  wrapToolCall<Request extends LangChainToolRequest, Answer>(
    request: Request,
    handler: (request: Request) => Answer | PromiseLike<Answer>,
  ): Promise<Answer>
}

export interface LangChainTool {
  readonly name: string
  invoke(input: unknown, config?: unknown): unknown
}

export class LangChainAdapter {
  readonly #pass: Pass<LangChainCall>
  readonly #ToolMessage: ToolMessageClass
  readonly #pausing: PausingApprovals | undefined

  constructor(guard: CallGuard, options: LangChainOptions) {
    this.#pass = createPass(guard, options)
    this.#ToolMessage = options.ToolMessage
    const { interrupt } = options
    this.#pausing = interrupt && { ask: (question) => interrupt(question), isPause }
  }

  /** For `createMiddleware`. Must be the last in the list: a middleware after it could change what was judged. */
  asMiddleware(): LangChainMiddleware {
    return {
      name: 'edictum',
      wrapToolCall: async <Request extends LangChainToolRequest, Answer>(
        request: Request,
        handler: (request: Request) => Answer | PromiseLike<Answer>,
      ) => {
        const { toolCall, runtime } = request
        const call = callOf({ ...toolCall, id: toolCall.id ?? '' }, runtime)
        const answer = await this.#run(call, (args) =>
          handler({ ...request, toolCall: { ...toolCall, args } }),
        )
        // What the handler gave, or a tool message: LangChain takes both.
        return answer as Answer
      },
    }
  }

  /** The same tool, guarded, for a `ToolNode` or to be invoked by hand. */
  guardTool<Tool extends LangChainTool>(tool: Tool): Tool {
    const invoke = async (input: unknown, config: Run = {}): Promise<unknown> => {
      const args = typeof input === 'string' ? { input } : input
      const toolCall = isToolCall(input) ? input : { args }
      return this.#run(callOf({ ...toolCall, name: tool.name }, config), (judged) =>
        tool.invoke(isToolCall(input) ? { ...input, args: judged } : judged, config),
      )
    }
    // Streams, batches and sequences of LangChain lead back to these two.
    return Object.create(tool, { invoke: { value: invoke }, call: { value: invoke } }) as Tool
  }

  guardTools<Tool extends LangChainTool>(tools: readonly Tool[]): Tool[] {
    return tools.map((tool) => this.guardTool(tool))
  }

  /** Makes a call that must be denied through the middleware and through a guarded tool, and tells whether one ran. */
  async selfTest(): Promise<SelfTest> {
    return probeWiring(async (guard, handler) => {
      const adapter = new LangChainAdapter(guard, { ToolMessage: this.#ToolMessage })
      const toolCall = { name: 'probe', args: {}, id: 'self-test', type: 'tool_call' }
      await adapter.asMiddleware().wrapToolCall({ toolCall, runtime: {} }, handler)
      await adapter.guardTool({ name: 'probe', invoke: async () => handler() }).invoke()
    })
  }

  async #run(call: FrameworkCall<LangChainCall>, invoke: (args: unknown) => unknown): Promise<unknown> {
    const answer = (text: string): object => this.#answer(call, text)
    const passage = await this.#pass(
      { ...call, pausing: this.#pausing },
      {
        run: async (args) => withPlainErrors(async () => invoke(args)),
        open: (result) => openResult(result, answer),
        isPause,
      },
    )
    return passage.kind === 'returned' ? passage.value : answer(textOf(passage))
  }

  /** A tool invoked by hand, without a call of the model, has no message to answer with; a text would pass for a result. */
  #answer({ toolName, toolUseId }: FrameworkCall<LangChainCall>, content: string): object {
    if (toolUseId === undefined) throw new Error(content)
    return new this.#ToolMessage({ content, tool_call_id: toolUseId, name: toolName, status: 'error' })
  }
}

function callOf({ name: toolName, args, id }: ToolCall, run: Run): FrameworkCall<LangChainCall> {
  const threadId = run.configurable?.['thread_id']
  const { context, signal } = run
  return {
    toolName,
    args,
    context: {
      toolName,
      context,
      ...(id === undefined ? {} : { toolCallId: id }),
      ...(typeof threadId === 'string' ? { threadId } : {}),
    },
    toolUseId: id,
    signal,
  }
}

function isToolCall(input: unknown): input is ToolCall {
  return typeof input === 'object' && input !== null && 'type' in input && input.type === 'tool_call'
}

/** Interrupts and the like, which LangGraph throws through tools and must get back. */
function isPause(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'is_bubble_up' in error && error.is_bubble_up === true
}

/** For arguments a tool does not take LangChain throws a text with a stack trace around the error that says so. */
async function withPlainErrors(invoke: () => Promise<unknown>): Promise<unknown> {
  try {
    return await invoke()
  } catch (error) {
    throw error instanceof Error && 'toolError' in error ? error.toolError : error
  }
}
