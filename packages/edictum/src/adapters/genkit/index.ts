// Genkit: a middleware of `generate` around every tool call of it. Genkit gives up the whole generation when a tool throws,
// so everything is told as the output of the tool.
import {
  type AdapterOptions,
  type CallGuard,
  createPass,
  type OpenedResult,
  type Pass,
  textOf,
} from '../../guard/passage.js'
import { probeWiring, type SelfTest } from '../../guard/self-test.js'

/** What Genkit tells about one call. */
export interface GenkitCall {
  readonly toolName: string
  /** Genkit's id of the call, where the model gives one. */
  readonly ref?: string
  /** The `context` given to `generate` or to the flow around it. */
  readonly context?: Readonly<Record<string, unknown>>
}

interface ToolRequest {
  readonly toolRequest: { readonly name: string; readonly ref?: string; readonly input?: unknown }
}

interface ToolResponse {
  readonly toolResponse: {
    readonly name: string
    readonly ref?: string
    readonly output?: unknown
    readonly content?: unknown
  }
}

type RunOptions = { readonly abortSignal?: AbortSignal } | undefined

type ToolMiddleware = (
  request: ToolRequest,
  options: RunOptions,
  next: (request: ToolRequest, options: RunOptions) => Promise<ToolResponse | undefined>,
) => Promise<ToolResponse | undefined>

/** What a middleware consists of; Genkit makes one for every generation. */
interface Middleware {
  readonly generate: (
    envelope: unknown,
    options: RunOptions,
    next: (...given: unknown[]) => unknown,
  ) => unknown
  readonly tool: ToolMiddleware
}

/** The function `generateMiddleware` of `genkit`. */
type GenerateMiddleware = (options: { name: string }, create: (given: Given) => Middleware) => unknown

interface Given {
  readonly ai?: { currentContext?(): Readonly<Record<string, unknown>> | undefined }
}

let middlewares = 0

export class GenkitAdapter {
  readonly #pass: Pass<GenkitCall>

  constructor(guard: CallGuard, options: AdapterOptions<GenkitCall> = {}) {
    this.#pass = createPass(guard, options)
  }

  /** For `ai.generate({ use: [guarded()] })`, as the last one: middleware after it runs closer to the tool. */
  middleware<Create extends (...args: never[]) => unknown>(generateMiddleware: Create): ReturnType<Create> {
    const create = generateMiddleware as unknown as GenerateMiddleware
    // Genkit finds middleware by name; two guards must not be taken for each other.
    const name = `edictum-${++middlewares}`
    return create({ name }, (given) => this.#middleware(given)) as ReturnType<Create>
  }

  /** Makes a call that must be denied through the middleware and tells whether the tool ran. */
  async selfTest(): Promise<SelfTest> {
    return probeWiring(async (guard, handler) => {
      const request = { toolRequest: { name: 'probe', input: {} } }
      const next = async (): Promise<ToolResponse> => ({ toolResponse: { name: 'probe', output: handler() } })
      await new GenkitAdapter(guard).#middleware({}).tool(request, undefined, next)
    })
  }

  #middleware(given: Given): Middleware {
    let abortSignal: AbortSignal | undefined
    return {
      generate: (envelope, options, next) => {
        abortSignal = options?.abortSignal
        return next(envelope, options)
      },
      // Genkit gives its signal to models only; a tool would never notice that the generation was cancelled.
      tool: async (request, options, next) =>
        this.#tool(given)(request, abortSignal === undefined ? options : { ...options, abortSignal }, next),
    }
  }

  #tool({ ai }: Given): ToolMiddleware {
    return async (request, options, next) => {
      const { name: toolName, ref, input } = request.toolRequest
      const context = ai?.currentContext?.()
      const told = { ...(ref === undefined ? {} : { ref }), ...(context === undefined ? {} : { context }) }
      const passage = await this.#pass(
        {
          toolName,
          args: input,
          context: { toolName, ...told },
          toolUseId: ref,
          signal: options?.abortSignal,
        },
        {
          run: async (args) =>
            next({ ...request, toolRequest: { ...request.toolRequest, input: args } }, options),
          open: (response) => openResponse(response as ToolResponse | undefined),
          isPause,
        },
      )
      if (passage.kind === 'returned') return passage.value as ToolResponse | undefined
      const answer = { name: toolName, ...(ref === undefined ? {} : { ref }) }
      return { toolResponse: { ...answer, output: textOf(passage) } }
    }
  }
}

function openResponse(response: ToolResponse | undefined): OpenedResult {
  const { output, content } = response?.toolResponse ?? {}
  const close: OpenedResult['close'] = (left) => {
    if (response === undefined) return undefined
    const shown = content === undefined ? { output: left } : (left as object)
    return { ...response, toolResponse: { ...response.toolResponse, ...shown } }
  }
  return { said: content === undefined ? output : { output, content }, isFailure: false, close }
}

/** A tool that interrupts the generation is called again when it goes on. */
function isPause(error: unknown): boolean {
  return error instanceof Error && error.name === 'ToolInterruptError'
}
