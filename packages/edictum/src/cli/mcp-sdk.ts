// The MCP SDK of the user's project, in either of its versions, as the few parts a gateway is made of.
import type { ElicitingServer, GatewayServer, Upstream } from '../adapters/mcp/index.js'
import { CommandFailure } from './command.js'
import { findPackage, type ProjectModule, type ProjectPackage } from './project-package.js'

export type SdkServer = GatewayServer &
  ElicitingServer & { connect(transport: object): Promise<void>; close(): Promise<void> }

export type SdkClient = Upstream & { connect(transport: object): Promise<void>; close(): Promise<void> }

interface Identity {
  readonly name: string
  readonly version: string
}

export interface McpSdk {
  readonly Server: new (identity: Identity, options: object) => SdkServer
  readonly Client: new (identity: Identity, options: object) => SdkClient
  readonly StdioServerTransport: new () => object
  readonly StdioClientTransport: new (options: {
    command: string
    args: readonly string[]
    env: NodeJS.ProcessEnv
    cwd: string
    stderr: 'inherit'
  }) => object
  readonly StreamableHTTPClientTransport: new (
    url: URL,
    options: { requestInit: { headers: Readonly<Record<string, string>> } },
  ) => object
}

/** @throws when the project has none. */
export async function loadMcpSdk(folder: string): Promise<McpSdk> {
  const first = findPackage('@modelcontextprotocol/sdk', folder)
  if (first !== undefined) {
    return partsOf(first, [
      './server/index.js',
      './client/index.js',
      './server/stdio.js',
      './client/stdio.js',
      './client/streamableHttp.js',
    ])
  }
  const server = findPackage('@modelcontextprotocol/server', folder)
  const client = findPackage('@modelcontextprotocol/client', folder)
  if (server === undefined || client === undefined) {
    throw new CommandFailure(
      'the gateway needs the MCP SDK; install it with: npm install @modelcontextprotocol/sdk',
    )
  }
  return Object.assign({}, await partsOf(client, ['.', './stdio']), await partsOf(server, ['.', './stdio']))
}

async function partsOf(found: ProjectPackage, doors: readonly string[]): Promise<McpSdk> {
  const modules = await Promise.all(doors.map(async (door) => found.load(door)))
  return Object.assign({}, ...modules) as ProjectModule as unknown as McpSdk
}
