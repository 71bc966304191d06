// A guard in front of MCP servers that belong to somebody else: one server for the agent, one client for each server
// behind it. Tool calls are judged here and passed on; what could not be judged is not passed on at all.
import { type DryRunGuard, isDeniedOutright } from '../../guard/denied-outright.js'
import type { AdapterOptions } from '../../guard/passage.js'
import { messageOf } from '../../internal/message-of.js'
import { fromServer, type HandlerContext, isPause, MCPAdapter, type MCPCall } from './adapter.js'
import type { MCPProtocolServer, MCPRequest } from './request-handlers.js'
import { errorResult } from './tool-result.js'
import { type Upstream, Upstreams } from './upstreams.js'

export type { Upstream } from './upstreams.js'

/** A `Server` of the SDK that is not connected yet. */
export interface GatewayServer extends MCPProtocolServer {
  registerCapabilities(capabilities: { tools: { listChanged: boolean } }): void
  notification(notification: { method: 'notifications/tools/list_changed' }): Promise<void>
}

export interface GatewayOptions<Server extends GatewayServer> extends AdapterOptions<MCPCall> {
  /** What agents connect to: `new Server({ name, version }, {})`. */
  readonly server: Server
  /** Connected clients by name. With more than one, the tools of `a` are called `a__…`, also in contracts. */
  readonly upstreams: Readonly<Record<string, Upstream>>
  /** Told when a server behind the gateway is gone. Its tools are no longer offered, and calls of them fail. */
  readonly onUpstreamClosed?: (name: string) => void
}

/** Makes the server a gateway and returns it, ready to be connected. */
export function createGateway<Server extends GatewayServer>(
  guard: DryRunGuard,
  options: GatewayOptions<Server>,
): Server {
  const { server, onUpstreamClosed } = options
  const changed = async (): Promise<void> =>
    // Nobody to tell before an agent is connected.
    server.notification({ method: 'notifications/tools/list_changed' }).catch(() => undefined)
  const upstreams = new Upstreams(options.upstreams, {
    onToolsChanged: () => void changed(),
    onClosed: (name) => {
      onUpstreamClosed?.(name)
      void changed()
    },
  })
  const isOffered = (request: MCPRequest, context: HandlerContext) => (tool: { readonly name: string }) => {
    const asked = { ...request, params: { ...request.params, name: tool.name } }
    return !isDeniedOutright(guard, tool.name, termsOf(options, fromServer(asked, context, '').context))
  }
  new MCPAdapter(guard, options).guardServer(server)
  server.registerCapabilities({ tools: { listChanged: true } })
  server.fallbackRequestHandler = async (request: MCPRequest, context: HandlerContext) => {
    switch (request.method) {
      case 'tools/list':
        return { tools: (await upstreams.listTools()).filter(isOffered(request, context)) }
      case 'tools/call':
        return callUpstream(upstreams, request, context)
      default:
        throw Object.assign(new Error(`the gateway passes on tool calls, not ${request.method}`), {
          code: methodNotFound,
        })
    }
  }
  return server
}

const methodNotFound = -32_601

/** Whatever goes wrong behind the gateway is told to the model: it is the tool that failed, not the agent's connection. */
async function callUpstream(
  upstreams: Upstreams,
  { params = {} }: MCPRequest,
  context: HandlerContext,
): Promise<unknown> {
  const name = String(params['name'])
  const { progressToken, ...meta } = (params['_meta'] ?? {}) as Readonly<Record<string, unknown>>
  const notify = context.sendNotification ?? context.mcpReq?.notify
  const signal = context.signal ?? context.mcpReq?.signal
  try {
    return await upstreams.callTool(
      { ...params, name, ...(params['_meta'] === undefined ? {} : { _meta: meta }) },
      {
        ...(signal === undefined ? {} : { signal }),
        ...(progressToken === undefined || notify === undefined
          ? {}
          : {
              // Messages of a tool on its way are output nobody has looked at: only the numbers pass.
              onprogress: ({ progress, total }) =>
                void notify({
                  method: 'notifications/progress',
                  params: { progressToken, progress, ...(total === undefined ? {} : { total }) },
                }),
            }),
      },
    )
  } catch (error) {
    if (isPause(error)) throw error
    return errorResult(`the tool \`${name}\` could not be called: ${messageOf(error)}`)
  }
}

function termsOf(
  { principal, environment }: AdapterOptions<MCPCall>,
  context: MCPCall,
): Parameters<typeof isDeniedOutright>[2] {
  const whose = typeof principal === 'function' ? principal(context) : principal
  return {
    ...(whose === undefined ? {} : { principal: whose }),
    ...(environment === undefined ? {} : { environment }),
  }
}
