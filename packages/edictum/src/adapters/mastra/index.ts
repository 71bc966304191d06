// Mastra, 0.24 and 1.x: a tool is guarded by wrapping its `execute`. The hooks around tool calls are no way: 0.24 ignores
// them without a word, and 1.x cannot replace what a tool returned.
import {
  type AdapterOptions,
  type CallGuard,
  createPass,
  type Pass,
  returnOrThrow,
} from '../../guard/passage.js'
import type { ApprovalQuestion, PausingApprovals } from '../../guard/pausing-approvals.js'
import { probeWiring, type SelfTest } from '../../guard/self-test.js'

/** What Mastra tells about one call, the same for both versions. */
export interface MastraCall {
  readonly toolName: string
  readonly toolCallId?: string
  readonly threadId?: string
  readonly resourceId?: string
  /** `requestContext` of 1.x, `runtimeContext` of 0.24. */
  readonly requestContext?: { get(key: string): unknown }
}

export interface MastraOptions extends AdapterOptions<MastraCall> {
  /**
   * `suspend`, in 1.x: approvals suspend the run, which needs a storage, and it goes on with
   * `agent.resumeGenerate(answerApproval(question, …), { runId, toolCallId })`.
   * @default 'wait', in the call, for the guard's backend
   */
  readonly approvals?: 'wait' | 'suspend'
}

/** 1.x tells these in `context.agent`, 0.24 beside the arguments and in the options. */
type Told = Partial<Omit<MastraCall, 'toolName'>> & { readonly abortSignal?: AbortSignal }

interface Suspension {
  readonly suspend?: (question: ApprovalQuestion) => Promise<unknown>
  readonly resumeData?: unknown
}

interface Invocation extends Told {
  readonly context?: unknown
  readonly agent?: Told & Suspension
  readonly runtimeContext?: { get(key: string): unknown }
}

type Execute = (first: unknown, second?: unknown) => unknown

export class MastraAdapter {
  readonly #pass: Pass<MastraCall>
  readonly #suspends: boolean

  constructor(guard: CallGuard, { approvals = 'wait', ...options }: MastraOptions = {}) {
    this.#pass = createPass(guard, options)
    this.#suspends = approvals === 'suspend'
  }

  /**
   * The same tools, guarded, under the names the agent gives them. Tools without `execute` run elsewhere and stay as they
   * are.
   */
  guardTools<Tools extends object>(tools: Tools): Tools {
    const guarded = Object.entries(tools).map(([name, tool]: [string, { execute?: unknown }]) => {
      if (typeof tool.execute !== 'function') return [name, tool]
      const execute = this.#wrap(name, tool.execute.bind(tool) as Execute)
      return [name, Object.assign(Object.create(Object.getPrototypeOf(tool) as object), tool, { execute })]
    })
    return Object.fromEntries(guarded) as Tools
  }

  /** Makes calls that must be denied, the way either version does, and tells whether the tool ran. */
  async selfTest(): Promise<SelfTest> {
    return probeWiring(async (guard, handler) => {
      const { probe } = new MastraAdapter(guard).guardTools({ probe: { execute: handler as Execute } })
      const runtimeContext = new Map()
      for (const first of [{}, { context: {}, runtimeContext }])
        await Promise.resolve(probe.execute(first, {})).catch(() => undefined)
    })
  }

  #wrap(toolName: string, execute: Execute): Execute {
    return async (first, second) => {
      const isWrapped = isContextFirst(first)
      const told = toldOf(isWrapped ? first : {}, second)
      const { abortSignal, ...identity } = told
      const passing = this.#pass(
        {
          toolName,
          args: isWrapped ? first.context : first,
          context: { toolName, ...identity },
          toolUseId: told.toolCallId,
          signal: abortSignal,
          pausing: this.#suspends ? pausingBy((second ?? {}) as Invocation) : undefined,
        },
        {
          run: (args) => execute(isWrapped ? { ...first, context: args } : args, second),
          isFailure: isValidationError,
        },
      )
      try {
        return returnOrThrow(await passing)
      } catch (error) {
        // Mastra has been told; what the tool returns is not looked at.
        if (error instanceof Suspended) return undefined
        throw error
      }
    }
  }
}

/**
 * 0.24 puts the arguments into a mapping, beside an object with methods. A model can only send data, so no call in 1.x
 * looks like that.
 */
function isContextFirst(first: unknown): first is Invocation {
  const { runtimeContext } = (first ?? {}) as Invocation
  return typeof runtimeContext?.get === 'function'
}

function toldOf(first: Invocation, second: unknown): Told {
  const options = (second ?? {}) as Invocation
  const { toolCallId, threadId, resourceId } = { ...first, ...options, ...options.agent }
  const requestContext = options.requestContext ?? first.runtimeContext
  return {
    ...(toolCallId ? { toolCallId } : {}),
    ...(threadId ? { threadId } : {}),
    ...(resourceId ? { resourceId } : {}),
    ...(requestContext ? { requestContext } : {}),
    ...(options.abortSignal ? { abortSignal: options.abortSignal } : {}),
  }
}

class Suspended extends Error {}

function pausingBy({ agent = {} }: Invocation): PausingApprovals {
  const { suspend, resumeData } = agent
  return {
    ask: async (question) => {
      if (resumeData !== undefined) return resumeData
      if (suspend === undefined) throw new Error('this version of Mastra cannot suspend a tool')
      await suspend(question)
      throw new Suspended()
    },
    isPause: (error) => error instanceof Suspended,
  }
}

/** Arguments the schema refuses are answered by a normal result. */
function isValidationError(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'validationErrors' in result && 'error' in result
}
