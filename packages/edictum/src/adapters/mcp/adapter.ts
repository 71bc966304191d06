// Model Context Protocol, versions 1 and 2 of its SDK: a server is guarded where it hands tool calls to whoever answers
// them, a client where it sends them. Both cover tools that are registered or found later.
import {
  type AdapterOptions,
  type CallGuard,
  createPass,
  type FrameworkCall,
  type Pass,
} from '../../guard/passage.js'
import { probeWiring, type SelfTest } from '../../guard/self-test.js'
import { randomId } from '../../internal/platform.js'
import {
  guardHandlers,
  isToolCall,
  type MCPProtocolServer,
  type MCPRequest,
  type RequestHandler,
} from './request-handlers.js'
import { errorResult, openResult } from './tool-result.js'

/** What the protocol says about one call. */
export interface MCPCall {
  readonly toolName: string
  /** The session of the transport: only servers know it, and only over HTTP. */
  readonly sessionId?: string
  /** Who the client is, as far as the server's transport has found out. */
  readonly authInfo?: unknown
  /** What the client sent beside the arguments. */
  readonly meta?: unknown
}

/** A `Client` of the SDK. */
export interface MCPProtocolClient {
  request: (...args: never[]) => unknown
}

/** What handlers are given beside the request, in version 1 and, further down, in version 2. */
export interface HandlerContext {
  readonly sessionId?: string
  readonly requestId?: string | number
  readonly signal?: AbortSignal
  readonly authInfo?: unknown
  readonly sendNotification?: Notify
  readonly mcpReq?: { readonly id: string | number; readonly signal: AbortSignal; readonly notify: Notify }
  readonly http?: { readonly authInfo?: unknown }
}

type Notify = (notification: { readonly method: string; readonly params: object }) => Promise<void>

interface RequestOptions {
  readonly signal?: AbortSignal
  readonly task?: unknown
}

export class MCPAdapter {
  readonly #pass: Pass<MCPCall>

  constructor(guard: CallGuard, options: AdapterOptions<MCPCall> = {}) {
    this.#pass = createPass(guard, options)
  }

  /** Guards every tool of an `McpServer` or a `Server`, and returns it. */
  guardServer<Server extends MCPProtocolServer | { readonly server: MCPProtocolServer }>(
    server: Server,
  ): Server {
    // Requests are numbered by connection, so a number alone would name many calls.
    const connection = randomId()
    guardHandlers('server' in server ? server.server : server, (handler) => async (request, context) => {
      const next = (judged: MCPRequest) => handler(judged, context)
      return isToolCall(request)
        ? this.#answer(request, fromServer(request, (context ?? {}) as HandlerContext, connection), next)
        : next(request)
    })
    return server
  }

  /** Guards every tool call the client makes, and returns it. */
  guardClient<Client extends MCPProtocolClient>(client: Client): Client {
    const request = client.request.bind(client) as RequestHandler
    const guarded: RequestHandler = async (asked, ...rest) => {
      const next = (judged: MCPRequest) => request(judged, ...rest)
      if (!isToolCall(asked)) return next(asked)
      // Options come last, in version 1 after a schema.
      const { signal, task } = (rest.at(-1) ?? {}) as RequestOptions
      if (task !== undefined) throw new Error(noTasks)
      return this.#answer(asked, callOf(asked, { signal }), next)
    }
    return Object.assign(client, { request: guarded })
  }

  /** Makes calls that must be denied through a guarded server and a guarded client, and tells whether one ran. */
  async selfTest(): Promise<SelfTest> {
    return probeWiring(async (guard, handler) => {
      const adapter = new MCPAdapter(guard)
      const probe = { method: 'tools/call', params: { name: 'probe' } }
      const handlers = new Map<string, RequestHandler>()
      const setRequestHandler = (method: string, answer: RequestHandler) => handlers.set(method, answer)
      const server = adapter.guardServer({ _requestHandlers: handlers, setRequestHandler })
      server.setRequestHandler('tools/call', handler)
      await handlers.get('tools/call')?.(probe)
      await adapter.guardClient({ request: async (_request: MCPRequest) => handler() }).request(probe)
    })
  }

  async #answer(
    request: MCPRequest,
    call: FrameworkCall<MCPCall>,
    next: (request: MCPRequest) => unknown,
  ): Promise<unknown> {
    if (request.params?.['task'] !== undefined) throw new Error(noTasks)
    const run = async (args: unknown) => {
      const result = await next({ ...request, params: { ...request.params, arguments: args } })
      if (isUnfinished(result)) throw new Unfinished(result)
      return result
    }
    try {
      const passage = await this.#pass(call, { run, open: openResult, isPause })
      switch (passage.kind) {
        case 'returned':
          return passage.value
        case 'suppressed':
        case 'denied':
          return errorResult(passage.text)
        case 'threw':
          // Redacted in its own class where nothing had to be masked, so that clients know what kind of error it is.
          throw passage.error.cause instanceof Error
            ? passage.error.cause
            : new Error(passage.error.message, { cause: passage.error })
        default:
          return passage satisfies never
      }
    } catch (error) {
      if (error instanceof Unfinished) return error.result
      throw error
    }
  }
}

/** The result of a task is fetched with other requests, at a time and by ways nobody watches. */
const noTasks = 'DENIED: a tool call as a task is not let through, because nobody would look at its output'

/** Version 2: the tool asks its client for something and is called again with the answer. */
class Unfinished extends Error {
  readonly result: unknown

  constructor(result: unknown) {
    super('the tool asks for input')
    this.result = result
  }
}

function isUnfinished(result: unknown): boolean {
  return (
    typeof result === 'object' &&
    result !== null &&
    'resultType' in result &&
    result.resultType === 'input_required'
  )
}

/** The other way to ask: the user has to open an address first. */
const urlElicitationRequired = -32_042

export function isPause(error: unknown): boolean {
  return (
    error instanceof Unfinished ||
    (error instanceof Error && 'code' in error && error.code === urlElicitationRequired)
  )
}

export function fromServer(
  request: MCPRequest,
  { sessionId, requestId, signal, authInfo, mcpReq, http }: HandlerContext,
  connection: string,
): FrameworkCall<MCPCall> {
  const id = requestId ?? mcpReq?.id
  const who = authInfo ?? http?.authInfo
  const call = callOf(request, { signal: signal ?? mcpReq?.signal })
  const context = {
    ...call.context,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(who === undefined ? {} : { authInfo: who }),
  }
  return { ...call, context, toolUseId: id === undefined ? id : `${sessionId ?? connection}:${id}` }
}

function callOf(
  { params = {} }: MCPRequest,
  { signal }: { readonly signal: AbortSignal | undefined },
): FrameworkCall<MCPCall> {
  const toolName = params['name'] as string
  const meta = params['_meta']
  return {
    toolName,
    args: params['arguments'] ?? {},
    context: { toolName, ...(meta === undefined ? {} : { meta }) },
    signal,
  }
}
