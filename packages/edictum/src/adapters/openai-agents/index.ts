// OpenAI Agents SDK: a function tool is guarded by wrapping its `invoke`, which sees every call before its arguments are
// checked. The SDK's guardrails on agents look at prompts, not at tool calls; those on tools replace results by a text.
import {
  type AdapterOptions,
  type CallGuard,
  createPass,
  type Pass,
  type Passage,
} from '../../guard/passage.js'
import { probeWiring, type SelfTest } from '../../guard/self-test.js'

/** What the SDK says about one call. */
export interface OpenAIAgentsCall {
  readonly toolName: string
  readonly callId?: string
  /** What the run was given as `context`. */
  readonly context?: unknown
}

interface RunContext {
  readonly context?: unknown
}

interface Details {
  readonly toolCall?: { readonly callId?: string }
  readonly signal?: AbortSignal
}

type Invoke = (runContext: RunContext, input: string, details?: Details) => unknown

/** A tool of an agent, of any kind. */
export interface OpenAIAgentsTool {
  readonly type: string
  readonly name: string
}

/** What these kinds of tools run in this process; where it is missing, OpenAI runs them. */
const localParts = ['shell', 'editor', 'computer']

export class OpenAIAgentsAdapter {
  readonly #pass: Pass<OpenAIAgentsCall>

  constructor(guard: CallGuard, options: AdapterOptions<OpenAIAgentsCall> = {}) {
    this.#pass = createPass(guard, options)
  }

  /**
   * The same tools, guarded. Tools that OpenAI runs on its side stay as they are, since nothing here can stop them.
   * @throws for a tool that runs here but is no function, because it would run unguarded.
   */
  guardTools<Tool extends OpenAIAgentsTool>(tools: readonly Tool[]): Tool[] {
    return tools.map((tool) => this.guardTool(tool))
  }

  guardTool<Tool extends OpenAIAgentsTool>(tool: Tool): Tool {
    if (tool.type === 'function' && 'invoke' in tool) {
      return { ...tool, invoke: this.#wrap(tool.name, tool.invoke as Invoke) }
    }
    if (localParts.some((part) => part in tool))
      throw new Error(`the tool \`${tool.name}\` is not a function tool and cannot be guarded`)
    return tool
  }

  /** Makes a call that must be denied through a guarded tool and tells whether the tool ran. */
  async selfTest(): Promise<SelfTest> {
    return probeWiring(async (guard, handler) => {
      const probe = {
        type: 'function',
        name: 'probe',
        invoke: async (_context: object, _input: string) => handler(),
      }
      await new OpenAIAgentsAdapter(guard).guardTool(probe).invoke({}, '{}')
    })
  }

  #wrap(toolName: string, invoke: Invoke): Invoke {
    return async (runContext, input, details) => {
      const callId = details?.toolCall?.callId
      const { context } = runContext
      const call = {
        toolName,
        args: parsed(input),
        context: { toolName, context, ...(callId === undefined ? {} : { callId }) },
        toolUseId: callId,
        signal: details?.signal,
      }
      const run = (args: unknown) => invoke(runContext, JSON.stringify(args), details)
      return answerOf(await this.#pass(call, { run, isFailure }))
    }
  }
}

/** A refusal is a text like any output: thrown, it would end the whole run. */
function answerOf(passage: Passage): unknown {
  switch (passage.kind) {
    case 'returned':
      return passage.value
    case 'suppressed':
    case 'denied':
      return passage.text
    case 'threw':
      // Only a tool made without an error function throws, so that its errors end the run: they still do, redacted.
      throw passage.error
    default:
      return passage satisfies never
  }
}

/** What the SDK says in place of an error, unless the tool has an error function of its own. */
function isFailure(result: unknown): boolean {
  return typeof result === 'string' && result.startsWith('An error occurred while running the tool.')
}

/** Undefined for what is not JSON: no contract could judge it. */
function parsed(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return undefined
  }
}
