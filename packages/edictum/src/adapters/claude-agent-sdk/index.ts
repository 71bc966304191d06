// Claude Agent SDK: hooks before and after every tool of the agent, wherever it runs, and a wrapper for tools in this
// process. A hook that fails lets the call through unless told to block, and what a failed tool said cannot be replaced by
// a hook; a wrapped tool has neither weakness.
import {
  type AdapterOptions,
  type CallGuard,
  createPass,
  type FrameworkCall,
  type Pass,
  type Passage,
  textOf,
} from '../../guard/passage.js'
import { probeWiring, type SelfTest } from '../../guard/self-test.js'
import { blankOut } from './blank-out.js'
import { type EndedTool, enter, type OpenCall } from './open-call.js'

/** What is known about one call. Tools in this process are told neither session nor agent. */
export interface ClaudeAgentCall {
  /** As the agent calls it: `Bash`, `mcp__github__create_issue`. */
  readonly toolName: string
  readonly sessionId?: string
  /** Only for calls of a subagent. */
  readonly agentId?: string
}

export interface ClaudeAgentOptions extends AdapterOptions<ClaudeAgentCall> {
  /** What contracts call a tool, for contracts shared with other frameworks. @default the name the agent uses */
  readonly toolName?: (name: string) => string
}

interface HookInput {
  readonly session_id: string
  readonly agent_id?: string
  readonly tool_name: string
  readonly tool_input: unknown
  readonly tool_use_id: string
  readonly tool_response?: unknown
  readonly error?: string
  readonly tool_calls?: readonly { readonly tool_use_id: string }[]
}

type HookOutput = { readonly hookSpecificOutput?: Readonly<Record<string, unknown>> }

type Hook = (
  input: never,
  toolUseId: string | undefined,
  run: { readonly signal: AbortSignal },
) => Promise<HookOutput>

export interface ClaudeHookMatcher {
  hooks: Hook[]
  timeout: number
  onFailure: 'block'
}

type ClaudeHookEvent = 'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure' | 'PostToolBatch'

interface ToolResult {
  readonly content: unknown
  readonly isError?: boolean
}

/** Contracts say how long a person may take to answer; the CLI would give up after a minute. */
const longestHookSeconds = 24 * 60 * 60

export class ClaudeAgentSDKAdapter {
  readonly #pass: Pass<ClaudeAgentCall>
  readonly #nameOf: (name: string) => string
  readonly #open = new Map<string, OpenCall>()
  readonly #wrapped = new Set<string>()

  constructor(guard: CallGuard, { toolName, ...options }: ClaudeAgentOptions = {}) {
    this.#pass = createPass(guard, options)
    this.#nameOf = toolName ?? ((name) => name)
  }

  /** For `query({ options: { hooks: adapter.hooks() } })`. */
  hooks(): Record<ClaudeHookEvent, ClaudeHookMatcher[]> {
    const on = (
      hook: (input: HookInput, signal: AbortSignal) => Promise<HookOutput>,
    ): ClaudeHookMatcher[] => [
      {
        hooks: [async (input: HookInput, _id, { signal }) => hook(input, signal)] as Hook[],
        timeout: longestHookSeconds,
        onFailure: 'block',
      },
    ]
    return {
      PreToolUse: on(async (input, signal) => this.#before(input, signal)),
      PostToolUse: on(async (input) => this.#after(input)),
      PostToolUseFailure: on(async (input) => this.#failed(input)),
      PostToolBatch: on(async (input) => this.#sweep(input)),
    }
  }

  /**
   * The tools of a server in this process, guarded, for `createSdkMcpServer({ name: server, tools })`. The hooks leave
   * them to this wrapper.
   */
  guardTools<Tools extends readonly object[]>(server: string, tools: Tools): Tools {
    return tools.map((tool: { name?: string; handler?: unknown }) => {
      const name = `mcp__${server}__${tool.name}`
      this.#wrapped.add(name)
      return { ...tool, handler: this.#wrap(name, tool.handler as never) }
    }) as unknown as Tools
  }

  /** Makes calls that must be denied, through the hook and through a guarded tool, and tells whether the tool ran. */
  async selfTest(): Promise<SelfTest> {
    return probeWiring(async (guard, handler) => {
      const adapter = new ClaudeAgentSDKAdapter(guard)
      const input = { session_id: 'self-test', tool_name: 'probe', tool_input: {}, tool_use_id: 'self-test' }
      const { hookSpecificOutput } = await adapter.#before(input, new AbortController().signal)
      if (hookSpecificOutput?.['permissionDecision'] !== 'deny') handler()
      const tools = adapter.guardTools('self', [
        { name: 'probe', handler: async (_args: object) => handler() },
      ])
      for (const tool of tools) await tool.handler({})
    })
  }

  async #before(input: HookInput, signal: AbortSignal): Promise<HookOutput> {
    if (this.#wrapped.has(input.tool_name)) return {}
    const { tool_name, tool_use_id, agent_id } = input
    const entry = await enter(this.#pass, {
      ...this.#call(tool_name, input.tool_input),
      toolUseId: tool_use_id,
      signal,
      context: {
        toolName: tool_name,
        sessionId: input.session_id,
        ...(agent_id === undefined ? {} : { agentId: agent_id }),
      },
    })
    if (entry.kind === 'entered') {
      this.#open.set(keyOf(input), entry)
      // Not `allow`: that would also grant a permission nobody has given.
      return {}
    }
    return {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: textOf(entry),
      },
    }
  }

  async #after(input: HookInput): Promise<HookOutput> {
    const { tool_response: output } = input
    const passage = await this.#end(input, { output })
    if (passage === undefined || (passage.kind === 'returned' && passage.value === output)) return {}
    // The CLI ignores an output of another shape than the tool's own, and shows the original.
    const updatedToolOutput = passage.kind === 'returned' ? passage.value : blankOut(output, textOf(passage))
    return { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput } }
  }

  async #failed(input: HookInput): Promise<HookOutput> {
    await this.#end(input, { error: new Error(input.error ?? 'the tool failed') })
    return {}
  }

  /** Calls that somebody else stopped after the hook have no end of their own. */
  async #sweep({ tool_calls = [], ...input }: HookInput): Promise<HookOutput> {
    for (const { tool_use_id } of tool_calls) {
      const key = keyOf({ ...input, tool_use_id })
      await this.#open.get(key)?.abandon()
      this.#open.delete(key)
    }
    return {}
  }

  async #end(input: HookInput, ending: EndedTool): Promise<Passage | undefined> {
    const call = this.#open.get(keyOf(input))
    this.#open.delete(keyOf(input))
    return call?.finish(ending)
  }

  #call(toolName: string, args: unknown): Pick<FrameworkCall<ClaudeAgentCall>, 'toolName' | 'args'> {
    return { toolName: this.#nameOf(toolName), args }
  }

  #wrap(toolName: string, handler: (args: unknown, extra: unknown) => Promise<unknown>) {
    return async (args: unknown, extra?: { readonly signal?: AbortSignal }): Promise<unknown> => {
      const passage = await this.#pass(
        {
          ...this.#call(toolName, args),
          context: { toolName },
          signal: extra?.signal,
        },
        { run: (judged) => handler(judged, extra), isFailure: isError },
      )
      if (passage.kind === 'returned') return passage.value
      return { content: [{ type: 'text', text: textOf(passage) }], isError: true }
    }
  }
}

function keyOf({ session_id, tool_use_id }: Pick<HookInput, 'session_id' | 'tool_use_id'>): string {
  return JSON.stringify([session_id, tool_use_id])
}

function isError(result: unknown): boolean {
  return (result as ToolResult | null | undefined)?.isError === true
}
