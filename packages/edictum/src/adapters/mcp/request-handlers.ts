// Where a server of the MCP SDK looks for whoever answers a request. Everything that could answer a tool call passes here,
// whether it was set before or is set later.

export interface MCPRequest {
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

export type RequestHandler = (request: MCPRequest, ...rest: unknown[]) => unknown

/** A `Server` of the SDK. */
export interface MCPProtocolServer {
  setRequestHandler: (...args: never[]) => unknown
  fallbackRequestHandler?: unknown
}

const toolCall = 'tools/call'

export function isToolCall({ method }: MCPRequest): boolean {
  return method === toolCall
}

/** @throws when there is no way to be sure that tool calls pass here. */
export function guardHandlers(
  server: MCPProtocolServer,
  guard: (handler: RequestHandler) => RequestHandler,
): void {
  const handlers: unknown = Reflect.get(server, '_requestHandlers')
  if (!(handlers instanceof Map))
    throw new Error('this version of the MCP SDK keeps its handlers elsewhere, so nothing would be guarded')
  const guarded = new WeakSet<RequestHandler>()
  const guardOnce = (handler: RequestHandler | undefined): RequestHandler | undefined => {
    if (handler === undefined || guarded.has(handler)) return handler
    const around = guard(handler)
    guarded.add(around)
    return around
  }
  const guardTable = (): void => {
    const handler = guardOnce(handlers.get(toolCall) as RequestHandler | undefined)
    if (handler !== undefined) handlers.set(toolCall, handler)
  }
  guardTable()
  const { setRequestHandler } = server
  let fallback = guardOnce(server.fallbackRequestHandler as RequestHandler | undefined)
  Object.defineProperties(server, {
    setRequestHandler: {
      value: (...args: never[]) => {
        setRequestHandler.apply(server, args)
        guardTable()
      },
    },
    // Answers whatever has no handler of its own, and so perhaps tool calls.
    fallbackRequestHandler: {
      get: () => fallback,
      set: (handler: RequestHandler | undefined) => {
        fallback = guardOnce(handler)
      },
    },
  })
}
