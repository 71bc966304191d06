// Strands Agents: a plugin puts the guard around the stage in which a tool runs, so that it covers every tool of the agent,
// whoever brought it. What the tool says on the way is not passed on: nobody has looked at it yet.
import {
  type AdapterOptions,
  type CallGuard,
  createPass,
  type OpenedResult,
  type Pass,
  textOf,
} from '../../guard/passage.js'
import { probeWiring, type SelfTest } from '../../guard/self-test.js'

/** What the SDK tells about one call. */
export interface StrandsCall {
  readonly toolUse: { readonly name: string; readonly toolUseId: string; readonly input: unknown }
  /** The state given to `agent.invoke`: the place for a thread or a user. */
  readonly invocationState: Readonly<Record<string, unknown>>
  readonly cancelSignal?: AbortSignal
}

/** The parts of `@strands-agents/sdk` the plugin is made with. */
export interface StrandsSDK {
  readonly ExecuteToolStage: object
  readonly ToolResultBlock: { fromJSON(data: { readonly toolResult: never }): unknown }
}

export interface StrandsPlugin {
  readonly name: 'edictum'
  initAgent(agent: { addMiddleware(stage: never, handler: never): unknown }): void
}

interface ToolResult {
  readonly status: 'success' | 'error'
  toJSON(): { readonly toolResult: { readonly content: unknown } }
}

type Next = (context: StrandsCall) => AsyncGenerator<unknown, { readonly result: ToolResult }, undefined>

type Middleware = (
  context: StrandsCall,
  next: Next,
) => AsyncGenerator<never, { readonly result: unknown }, undefined>

export class StrandsAdapter {
  readonly #pass: Pass<StrandsCall>

  constructor(guard: CallGuard, options: AdapterOptions<StrandsCall> = {}) {
    this.#pass = createPass(guard, options)
  }

  /** For `new Agent({ plugins: […] })`, as the last one: middleware added later runs closer to the tool. */
  plugin(sdk: StrandsSDK): StrandsPlugin {
    const middleware = this.#middleware(sdk.ToolResultBlock)
    return {
      name: 'edictum',
      initAgent: (agent) => void agent.addMiddleware(sdk.ExecuteToolStage as never, middleware as never),
    }
  }

  /** Makes a call that must be denied through the plugin and tells whether the tool ran. */
  async selfTest(): Promise<SelfTest> {
    return probeWiring(async (guard, handler) => {
      const added: Middleware[] = []
      const agent = { addMiddleware: (_stage: never, middleware: Middleware) => added.push(middleware) }
      const ToolResultBlock = { fromJSON: (data: unknown) => data }
      new StrandsAdapter(guard).plugin({ ExecuteToolStage: {}, ToolResultBlock }).initAgent(agent as never)
      const toolUse = { name: 'probe', toolUseId: 'self-test', input: {} }
      const next = async function* (): AsyncGenerator<string, never, undefined> {
        yield handler()
        throw new Error('the probe ran')
      }
      for (const middleware of added) await middleware({ toolUse, invocationState: {} }, next).next()
    })
  }

  #middleware(ToolResultBlock: StrandsSDK['ToolResultBlock']): Middleware {
    const pass = this.#pass
    return async function* (context, next) {
      const { toolUse, cancelSignal } = context
      const { name: toolName, toolUseId } = toolUse
      const blockOf = (status: ToolResult['status'], content: unknown): unknown =>
        ToolResultBlock.fromJSON({ toolResult: { toolUseId, status, content } as never })
      const passage = await pass(
        { toolName, args: toolUse.input, toolUseId, context, signal: cancelSignal },
        {
          run: async (args) => resultOf(next({ ...context, toolUse: { ...toolUse, input: args } })),
          open: (result) => openResult(result as ToolResult, blockOf),
          isPause,
        },
      )
      yield* nothing
      const isReturned = passage.kind === 'returned'
      return { result: isReturned ? passage.value : blockOf('error', [{ text: textOf(passage) }]) }
    }
  }
}

function openResult(
  result: ToolResult,
  blockOf: (status: ToolResult['status'], content: unknown) => unknown,
): OpenedResult {
  const { content } = result.toJSON().toolResult
  const close: OpenedResult['close'] = (left, { failed }) =>
    left === content ? result : blockOf(failed ? 'error' : 'success', left)
  return { said: content, isFailure: result.status === 'error', close }
}

/** The events on the way are dropped; the value in the end is the tool's result. */
async function resultOf(events: ReturnType<Next>): Promise<ToolResult> {
  let step = await events.next()
  while (step.done !== true) step = await events.next()
  return step.value.result
}

/** A tool that asks a person through the SDK stops the run here and is called again with the answer. */
function isPause(error: unknown): boolean {
  return error instanceof Error && error.name === 'InterruptError'
}

const nothing: readonly never[] = []
