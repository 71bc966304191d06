// @ts-check
// An MCP server whose tools take their time, for tests of what happens meanwhile.
import { writeFile } from 'node:fs/promises'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'slow', version: '1' })

const report = async ({ _meta, sendNotification }, progress, total) =>
  sendNotification({
    method: 'notifications/progress',
    params: { progressToken: _meta.progressToken, progress, total, message: 'a secret on the way' },
  })

server.registerTool('count', { inputSchema: { to: z.number() } }, async ({ to }, extra) => {
  for (let at = 1; at <= to; at++) {
    await report(extra, at, to)
    // The SDK forgets progress that comes in one piece with the result.
    await new Promise((done) => setTimeout(done, 50))
  }
  return { content: [{ type: 'text', text: 'counted' }] }
})

server.registerTool('wait', { inputSchema: { marker: z.string() } }, async ({ marker }, extra) => {
  const cancelled = new Promise((done) => extra.signal.addEventListener('abort', done))
  await report(extra, 1, 1)
  await cancelled
  await writeFile(marker, 'cancelled')
  return { content: [] }
})

server.registerTool('crash', {}, () => process.exit(1))

await server.connect(new StdioServerTransport())
