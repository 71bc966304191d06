// @ts-check
// The MCP SDK itself, version 1 and 2: a real client and a real server, connected in memory, one of them guarded.
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport as Transport1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { Server as Server1 } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { Client as Client2 } from '@modelcontextprotocol/client'
import {
  InMemoryTransport as Transport2,
  McpServer as McpServer2,
  Server as Server2,
} from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { MCPAdapter } from '../packages/edictum/dist/adapters/mcp/index.js'
import { Edictum } from '../packages/edictum/dist/index.js'
import { describeFramework, guardWith } from './suite.mjs'

const contracts = `
  - id: no-vault
    type: pre
    tool: '*'
    when: { args.where: { equals: vault } }
    then: { effect: deny, message: The vault stays shut. }
  - id: no-pins
    type: post
    tool: look
    when: { output.text: { matches: 'pin=\\d+|998877' } }
    then: { effect: redact, message: A number was found. }
`

const whoIs = { name: 'suite', version: '1' }

const versions = [
  {
    name: 'MCP SDK 1',
    alias: '@modelcontextprotocol/sdk',
    Client: Client1,
    McpServer: McpServer1,
    Server: Server1,
    Transport: Transport1,
    callToolKey: CallToolRequestSchema,
    call: (client, params, options) => client.callTool(params, undefined, options),
  },
  {
    name: 'MCP SDK 2',
    alias: '@modelcontextprotocol/server',
    Client: Client2,
    McpServer: McpServer2,
    Server: Server2,
    Transport: Transport2,
    callToolKey: 'tools/call',
    call: (client, params, options) => client.callTool(params, options),
  },
]

for (const { name, alias, Client, McpServer, Server, Transport, callToolKey, call } of versions) {
  const connect = async (server, client = new Client(whoIs)) => {
    const [near, far] = Transport.createLinkedPair()
    await Promise.all([server.connect(far), client.connect(near)])
    return client
  }

  const inputSchema = z.looseObject({})
  const signalOf = (context) => context.signal ?? context.mcpReq.signal
  const resultOf = (value) => ({
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value,
  })

  const highLevel = (tools) => {
    const server = new McpServer(whoIs)
    for (const [toolName, run] of Object.entries(tools))
      server.registerTool(toolName, { inputSchema }, async (args, context) =>
        resultOf(await run(args, { signal: signalOf(context) })),
      )
    return server
  }

  const lowLevel = (tools) => {
    const server = new Server(whoIs, { capabilities: { tools: {} } })
    server.setRequestHandler(callToolKey, async ({ params }, context) =>
      resultOf(await tools[params.name](params.arguments, { signal: signalOf(context) })),
    )
    return server
  }

  /** Makes the calls at once, as a host does for one step of its model, and tells the model what came back. */
  const callAll = async (client, calls, signal) =>
    new Map(
      await Promise.all(
        calls.map(async ({ id, tool, args }) => {
          const asked = call(client, { name: tool, arguments: args }, { signal })
          return [id, await asked.then(JSON.stringify, String)]
        }),
      ),
    )

  const kit = {
    package: alias,
    adapter: 'mcp',
    approvals: 'in the call, or by elicitation',
    selfTest: () => new MCPAdapter(new Edictum()).selfTest(),
  }

  const guardedServer =
    (serverWith) =>
    async ({ guard, tools, calls, options, signal }) => {
      const server = new MCPAdapter(guard, options).guardServer(serverWith(tools))
      return callAll(await connect(server), calls, signal)
    }

  describeFramework(`${name}, McpServer`, {
    ...kit,
    play: guardedServer(highLevel),
    limits: {
      'a tool may be called constructor': 'McpServer itself says that this name is already registered',
    },
  })

  describeFramework(`${name}, Server`, { ...kit, play: guardedServer(lowLevel) })

  describeFramework(`${name}, Client`, {
    ...kit,
    package: name === 'MCP SDK 1' ? alias : '@modelcontextprotocol/client',
    play: async ({ guard, tools, calls, options, signal }) => {
      const client = await connect(lowLevel(tools))
      return callAll(new MCPAdapter(guard, options).guardClient(client), calls, signal)
    },
  })

  describe(`${name}, beside the common behaviours`, () => {
    const guarding = () => guardWith([contracts], { reads: ['look'] })
    const text = (said) => ({ content: [{ type: 'text', text: said }] })

    const look = async (server, args = {}) => {
      const client = await connect(new MCPAdapter(guarding()).guardServer(server))
      await client.listTools()
      return call(client, { name: 'look', arguments: args })
    }

    it('a tool with an output schema may be denied: a client that checks results is content', async () => {
      const server = new McpServer(whoIs)
      const outputSchema = z.object({ owner: z.string() })
      let runs = 0
      server.registerTool('look', { inputSchema, outputSchema }, async () => resultOf({ owner: `${++runs}` }))
      expect(await look(server, { where: 'vault' })).toEqual({
        ...text('DENIED: The vault stays shut.'),
        isError: true,
      })
      expect(runs).toBe(0)
    })

    it('every part of a result is masked, and its parts stay what they are', async () => {
      const server = new McpServer(whoIs)
      server.registerTool('look', { inputSchema }, async () => ({
        content: [
          { type: 'text', text: 'see pin=1234', annotations: { priority: 1 } },
          { type: 'resource', resource: { uri: 'note://1', text: 'pin=5678' } },
        ],
        structuredContent: { note: 'pin=1234', rows: 3 },
        _meta: { trace: 'pin=1234' },
      }))
      expect(await look(server)).toMatchObject({
        content: [
          { type: 'text', text: 'see [REDACTED]', annotations: { priority: 1 } },
          { type: 'resource', resource: { uri: 'note://1', text: '[REDACTED]' } },
        ],
        structuredContent: { note: '[REDACTED]', rows: 3 },
        _meta: { trace: '[REDACTED]' },
      })
    })

    it('a masked number would break the output schema, so the result goes without structure', async () => {
      const server = new McpServer(whoIs)
      const outputSchema = z.object({ account: z.number() })
      server.registerTool('look', { inputSchema, outputSchema }, async () => resultOf({ account: 998877 }))
      expect(await look(server)).toEqual({ ...text('{"account":[REDACTED]}'), isError: true })
    })

    it('a result marked as an error is a failed call, on record too', async () => {
      const guard = guarding()
      const server = new McpServer(whoIs)
      server.registerTool('look', { inputSchema }, async () => ({ ...text('not found'), isError: true }))
      const client = await connect(new MCPAdapter(guard).guardServer(server))
      expect(await call(client, { name: 'look' })).toEqual({ ...text('not found'), isError: true })
      expect(guard.localSink.last().action).toBe('call_failed')
    })

    it('tools registered before and after are guarded', async () => {
      const server = new McpServer(whoIs)
      server.registerTool('look', { inputSchema }, async () => text('ran'))
      new MCPAdapter(guarding()).guardServer(server)
      server.registerTool('look_again', { inputSchema }, async () => text('ran'))
      const client = await connect(server)
      for (const tool of ['look', 'look_again'])
        expect(JSON.stringify(await call(client, { name: tool, arguments: { where: 'vault' } }))).toContain(
          'DENIED',
        )
    })

    it('a handler for everything is guarded where it answers tool calls', async () => {
      const server = new MCPAdapter(guarding()).guardServer(
        new Server(whoIs, { capabilities: { tools: {} } }),
      )
      server.fallbackRequestHandler = async () => text('ran')
      const client = await connect(server)
      const denied = await call(client, { name: 'look', arguments: { where: 'vault' } })
      expect(denied.content[0].text).toContain('DENIED')
      expect(await call(client, { name: 'look' })).toEqual(text('ran'))
    })

    it('a call as a task is refused, since its output would pass unseen', async () => {
      let runs = 0
      const server = lowLevel({ look: () => ({ runs: ++runs }) })
      const guarded = new MCPAdapter(guarding()).guardServer(server)
      const params = { name: 'look', arguments: {}, task: { ttl: 1000 } }
      await expect(
        guarded._requestHandlers.get('tools/call')({ method: 'tools/call', params }, {}),
      ).rejects.toThrow('DENIED')
      expect(runs).toBe(0)
    })

    it('a tool that asks the user to open an address first is not a failed call', async () => {
      const guard = guarding()
      const server = lowLevel({
        look: () => {
          throw Object.assign(new Error('sign in first'), { code: -32_042, data: { elicitations: [] } })
        },
      })
      const client = await connect(new MCPAdapter(guard).guardServer(server))
      await expect(call(client, { name: 'look' })).rejects.toMatchObject({ code: -32_042 })
      expect(guard.localSink.last()).toMatchObject({
        action: 'call_failed',
        error: 'paused by the framework',
      })
    })

    it('calls of different connections have different ids, though both count from the start', async () => {
      const ids = new Set()
      const guard = new Edictum({ onAllow: ({ toolUseId }) => void ids.add(toolUseId) })
      for (let connection = 0; connection < 2; connection++) {
        const server = new MCPAdapter(guard).guardServer(lowLevel({ look: () => ({}) }))
        await call(await connect(server), { name: 'look' })
      }
      expect(ids.size).toBe(2)
    })

    it('a client is guarded also where it is used without `callTool`', async () => {
      let runs = 0
      const client = await connect(lowLevel({ look: () => ({ runs: ++runs }) }))
      new MCPAdapter(guarding()).guardClient(client)
      const asked = { method: 'tools/call', params: { name: 'look', arguments: { where: 'vault' } } }
      const result = await client.request(asked, CallToolResultSchema)
      expect(JSON.stringify(result)).toContain('DENIED')
      expect(runs).toBe(0)
    })

    it('an SDK that is built otherwise is refused, not left unguarded', () => {
      expect(() => new MCPAdapter(guarding()).guardServer({ setRequestHandler: () => undefined })).toThrow(
        'nothing would be guarded',
      )
    })
  })
}
