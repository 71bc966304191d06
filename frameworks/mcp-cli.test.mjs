// @ts-check
// `edictum mcp` as the process it is for users: a real client in front, and behind it the filesystem server of the MCP
// project, a server that takes its time, and one that is reached over HTTP.
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const here = dirname(fileURLToPath(import.meta.url))
const edictum = join(here, '../packages/edictum/dist/cli/main.js')
const filesystemServer = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
)

const contracts = `
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: cli }
defaults: { mode: enforce }
tools:
  read_text_file: { side_effect: read }
contracts:
  - id: no-dotenv
    type: pre
    tool: read_text_file
    when: { args.path: { contains: .env } }
    then: { effect: deny, message: Not that file. }
  - id: only-writers
    type: pre
    tool: edit_file
    when: { not: { principal.role: { equals: writer } } }
    then: { effect: deny, message: Only writers edit. }
  - id: nothing-moves
    type: pre
    tool: move_file
    when: { tool.name: { exists: true } }
    then: { effect: deny, message: Files stay where they are. }
  - id: ask-before-writing
    type: pre
    tool: write_file
    when: { args.path: { exists: true } }
    then: { effect: approve, message: 'Write {args.path}?', timeout: 5 }
  - id: no-tokens
    type: post
    tool: read_text_file
    when: { output.text: { matches: 'token-\\d+' } }
    then: { effect: redact, message: A token was found. }
`

const sdks = [
  { name: 'MCP SDK 1', packages: ['@modelcontextprotocol/sdk'] },
  { name: 'MCP SDK 2', packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/client'] },
]

describe.each(sdks)('edictum mcp with $name', ({ packages }) => {
  let folder = ''
  let said = ''
  /** @type {(() => unknown)[]} */
  let endings = []

  /** A project with just this SDK, so that the command finds what a user of it has. */
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edictum-'))
    said = ''
    endings = []
    await mkdir(join(folder, 'node_modules/@modelcontextprotocol'), { recursive: true })
    for (const name of packages)
      await symlink(join(here, 'node_modules', name), join(folder, 'node_modules', name), 'dir')
    await mkdir(join(folder, 'data'))
    await writeFile(join(folder, 'contracts.yaml'), contracts)
    await writeFile(join(folder, 'data/note.txt'), 'the secret is token-42')
    await writeFile(join(folder, 'data/.env'), 'KEY=token-43')
  })

  afterEach(async () => {
    for (const end of endings) await end()
    await rm(folder, { recursive: true })
  })

  /** @param {readonly string[]} words @param {{ answer?: string, env?: Record<string, string> }} [user] */
  const connect = async (words, { answer, env = {} } = {}) => {
    const client = new Client(
      { name: 'agent', version: '1' },
      answer === undefined ? {} : { capabilities: { elicitation: { form: {} } } },
    )
    if (answer !== undefined)
      client.setRequestHandler(ElicitRequestSchema, async () =>
        answer === 'accept' ? { action: 'accept', content: {} } : { action: 'decline' },
      )
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [edictum, 'mcp', '--contracts', 'contracts.yaml', ...words],
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stderr: 'pipe',
    })
    transport.stderr?.on('data', (text) => (said += text))
    endings.push(() => client.close())
    await client.connect(transport)
    return client
  }
  const files = () => ['--', process.execPath, filesystemServer, join(folder, 'data')]
  const slow = ['--', process.execPath, join(here, 'mcp-slow-server.mjs')]
  const textOf = ({ content }) => content.map(({ text }) => text).join('\n')
  const read = (client, name) =>
    client.callTool({ name: 'read_text_file', arguments: { path: join(folder, 'data', name) } })

  it('lets through, masks, denies and hides, and keeps the record in a file', async () => {
    const client = await connect(['--audit', 'audit.jsonl', '--session-id', 'chat-7', ...files()])
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toContain('read_text_file')
    expect(names).not.toContain('move_file')
    expect(textOf(await read(client, 'note.txt'))).toBe('the secret is [REDACTED]')
    expect(textOf(await read(client, '.env'))).toBe('DENIED: Not that file.')
    const lines = (await readFile(join(folder, 'audit.jsonl'), 'utf8')).trimEnd().split('\n')
    const events = lines.map((line) => JSON.parse(line))
    expect(events.map(({ action }) => action)).toEqual(['call_allowed', 'call_executed', 'call_denied'])
    expect(new Set(events.map(({ session_id }) => session_id))).toEqual(new Set(['chat-7']))
    expect(said).toContain('edictum: guarding with contracts')
  })

  it('makes calls for whom it is told to', async () => {
    const edit = { name: 'edit_file', arguments: { path: join(folder, 'data/note.txt'), edits: [] } }
    const anybody = await connect(files())
    expect(textOf(await anybody.callTool(edit))).toContain('Only writers edit.')
    const writer = await connect(['--principal-role', 'writer', ...files()])
    expect(textOf(await writer.callTool(edit))).not.toContain('Only writers edit.')
  })

  it('asks the user of the client for approval', async () => {
    const path = join(folder, 'data/new.txt')
    const write = { name: 'write_file', arguments: { path, content: 'hello' } }
    const declining = await connect(files(), { answer: 'decline' })
    expect(textOf(await declining.callTool(write))).toContain('The user declined.')
    await expect(readFile(path, 'utf8')).rejects.toThrow('ENOENT')
    const accepting = await connect(files(), { answer: 'accept' })
    await accepting.callTool(write)
    expect(await readFile(path, 'utf8')).toBe('hello')
  })

  it('passes on progress and that the agent gave up', async () => {
    const client = await connect(slow)
    const seen = []
    await client.callTool({ name: 'count', arguments: { to: 3 } }, undefined, {
      onprogress: ({ progress }) => seen.push(progress),
    })
    expect(seen).toEqual([1, 2, 3])
    const giveUp = new AbortController()
    const marker = join(folder, 'cancelled')
    const waiting = client.callTool({ name: 'wait', arguments: { marker } }, undefined, {
      signal: giveUp.signal,
      onprogress: () => giveUp.abort(),
    })
    await expect(waiting).rejects.toThrow(/abort/i)
    await expect.poll(() => readFile(marker, 'utf8').catch(() => '')).toBe('cancelled')
  })

  it('reports that the server behind it is gone', async () => {
    const client = await connect(slow)
    const crashed = await client.callTool({ name: 'crash', arguments: {} })
    expect(crashed.isError).toBe(true)
    expect(textOf(crashed)).toContain('could not be called')
    await expect.poll(() => said).toContain('the server behind the gateway is gone')
    expect((await client.listTools()).tools).toEqual([])
  })

  it('stands in front of a server over HTTP, with the headers it asks for', async () => {
    const { url, authorizations } = await httpServer((end) => endings.push(end))
    const client = await connect(['--url', url, '--header', 'authorization=TOKEN'], {
      env: { TOKEN: 'Bearer of-nothing' },
    })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['read_text_file'])
    const told = await client.callTool({ name: 'read_text_file', arguments: { path: 'a.md' } })
    expect(textOf(told)).toBe('a.md says [REDACTED]')
    expect(textOf(await read(client, '.env'))).toBe('DENIED: Not that file.')
    expect(new Set(authorizations)).toEqual(new Set(['Bearer of-nothing']))
  })

  it('starts nothing without contracts that load', async () => {
    await writeFile(join(folder, 'contracts.yaml'), 'apiVersion: edictum/v1')
    const marker = join(folder, 'started')
    const program = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`
    await expect(connect(['--', process.execPath, '-e', program])).rejects.toThrow(/closed/i)
    expect(said).toContain('missing-field')
    await expect(readFile(marker)).rejects.toThrow('ENOENT')
  })
})

/** A server with one tool. @param {(end: () => unknown) => unknown} atTheEnd */
async function httpServer(atTheEnd) {
  const sessions = new Map()
  /** @type {(string | undefined)[]} */
  const authorizations = []
  const listener = createServer((request, response) => void answerTo(request, response))
  const answerTo = async (request, response) => {
    authorizations.push(request.headers.authorization)
    const known = sessions.get(request.headers['mcp-session-id'])
    await (known ?? (await open())).handleRequest(request, response)
  }
  const open = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    const server = new McpServer({ name: 'remote', version: '1' })
    const answer = async ({ path }) => ({ content: [{ type: 'text', text: `${path} says token-44` }] })
    server.registerTool('read_text_file', { inputSchema: { path: z.string() } }, answer)
    await server.connect(transport)
    return transport
  }
  await new Promise((done) => listener.listen(0, '127.0.0.1', () => done(undefined)))
  atTheEnd(() => {
    listener.closeAllConnections()
    listener.close()
  })
  const { port } = /** @type {import('node:net').AddressInfo} */ (listener.address())
  return { url: `http://127.0.0.1:${port}/mcp`, authorizations }
}
