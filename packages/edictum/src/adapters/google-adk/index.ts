// Google ADK: a plugin sees every tool of every agent of a runner just before it runs, and puts the guard around that very
// call. The callbacks before and after a tool alone would not do: later ones may change the arguments after they were
// judged, earlier ones may keep the plugin from seeing the result, and errors take a way of their own.
import { type AdapterOptions, type CallGuard, createPass, type Pass } from '../../guard/passage.js'
import { probeWiring, type SelfTest } from '../../guard/self-test.js'

/** What ADK tells about one call. */
export interface GoogleADKCall {
  readonly functionCallId?: string
  readonly invocationId?: string
  readonly agentName?: string
  readonly userId?: string
  readonly sessionId?: string
  readonly abortSignal?: AbortSignal
}

interface Request {
  readonly args: Readonly<Record<string, unknown>>
  readonly toolContext: GoogleADKCall
}

interface Tool {
  readonly name: string
  runAsync: (request: Request) => unknown
}

type Answer = Readonly<Record<string, unknown>>

/** The class `BasePlugin` of `@google/adk`. */
type PluginClass = abstract new (name: string) => object

export class GoogleADKAdapter {
  readonly #pass: Pass<GoogleADKCall>
  /** The calls of this adapter's runners; a tool may serve other runners too. */
  readonly #calls = new WeakSet<GoogleADKCall>()
  readonly #guarded = new WeakSet<Tool>()

  constructor(guard: CallGuard, options: AdapterOptions<GoogleADKCall> = {}) {
    const metadata = ({ invocationId, agentName }: GoogleADKCall): Answer => ({
      adk_invocation_id: invocationId,
      adk_agent_name: agentName,
    })
    this.#pass = createPass(guard, { metadata, ...options })
  }

  /** For `new Runner({ plugins: [adapter.asPlugin(BasePlugin)] })`. */
  asPlugin<Base extends PluginClass>(BasePlugin: Base): InstanceType<Base> {
    const beforeToolCallback = this.#beforeTool.bind(this)
    // A runner calls every callback of a plugin, so it must be one of ADK's own, which answers those nobody wrote.
    const Plugin = class extends (BasePlugin as unknown as new (name: string) => object) {
      beforeToolCallback = beforeToolCallback
    }
    return new Plugin('edictum') as InstanceType<Base>
  }

  /** Makes a call that must be denied through the plugin and tells whether the tool ran. */
  async selfTest(): Promise<SelfTest> {
    return probeWiring(async (guard, handler) => {
      const adapter = new GoogleADKAdapter(guard)
      const tool: Tool = { name: 'probe', runAsync: handler }
      const toolContext = { functionCallId: 'self-test' }
      if ((await adapter.#beforeTool({ tool, toolContext })) === undefined)
        await tool.runAsync({ args: {}, toolContext })
    })
  }

  /** Says nothing, so that the call goes on to the guarded tool; refuses a tool that cannot be guarded. */
  async #beforeTool({
    tool,
    toolContext,
  }: {
    readonly tool: Tool
    readonly toolContext: GoogleADKCall
  }): Promise<Answer | undefined> {
    try {
      this.#calls.add(toolContext)
      if (!this.#guarded.has(tool)) tool.runAsync = this.#wrap(tool)
      this.#guarded.add(tool)
      return undefined
    } catch {
      return { error: `DENIED: the tool ${tool.name} cannot be guarded` }
    }
  }

  #wrap(tool: Tool): Tool['runAsync'] {
    const runAsync = tool.runAsync.bind(tool)
    return async (request) => {
      const { args, toolContext } = request
      if (!this.#calls.has(toolContext)) return runAsync(request)
      const { functionCallId, abortSignal } = toolContext
      const passage = await this.#pass(
        {
          toolName: tool.name,
          args,
          context: toolContext,
          toolUseId: functionCallId,
          signal: abortSignal,
        },
        { run: (judged) => runAsync({ ...request, args: judged }), isFailure: hasError },
      )
      if (passage.kind === 'returned') return passage.value
      // ADK tells the model what a tool throws as `{ error }`, and asks other plugins about it first.
      if (passage.kind === 'threw') throw new Error(passage.error.message)
      return { error: passage.text }
    }
  }
}

/** A tool of ADK says that it failed by an `error` in its answer. */
function hasError(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'error' in result && Boolean(result.error)
}
