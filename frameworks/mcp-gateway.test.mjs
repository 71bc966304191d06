// @ts-check
// The gateway between a real client and real servers: the filesystem server of the MCP project as a process of its own,
// and a server of ours that can be made to wait, to report progress and to crash.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { InMemoryTransport as Transport1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server as Server1 } from '@modelcontextprotocol/sdk/server/index.js'
import { ElicitRequestSchema, ListPromptsResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { Client as Client2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { InMemoryTransport as Transport2, Server as Server2 } from '@modelcontextprotocol/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGateway, elicitationApprovals } from '../packages/edictum/dist/adapters/mcp/index.js'
import { Edictum } from '../packages/edictum/dist/index.js'

const contracts = `
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: gateway }
defaults: { mode: enforce }
tools:
  '*read_text_file': { side_effect: read }
contracts:
  - id: no-dotenv
    type: pre
    tool: '*read_text_file'
    when: { args.path: { contains: .env } }
    then: { effect: deny, message: 'Reading {args.path} is denied.' }
  - id: nothing-moves
    type: pre
    tool: '*move_file'
    when: { tool.name: { exists: true } }
    then: { effect: deny, message: Files stay where they are. }
  - id: ask-before-writing
    type: pre
    tool: '*write_file'
    when: { args.path: { exists: true } }
    then: { effect: approve, message: 'Write {args.path}?', timeout: 5 }
  - id: no-tokens
    type: post
    tool: '*read_text_file'
    when: { output.text: { matches: 'token-\\d+' } }
    then: { effect: redact, message: A token was found. }
`

const whoIs = { name: 'suite', version: '1' }
const serverFile = (file) => fileURLToPath(import.meta.resolve(file))

const versions = [
  {
    name: 'MCP SDK 1',
    Client: Client1,
    Server: Server1,
    Transport: Transport1,
    Stdio: Stdio1,
    elicitKey: ElicitRequestSchema,
    call: (client, params, options) => client.callTool(params, undefined, options),
  },
  {
    name: 'MCP SDK 2',
    Client: Client2,
    Server: Server2,
    Transport: Transport2,
    Stdio: Stdio2,
    elicitKey: 'elicitation/create',
    call: (client, params, options) => client.callTool(params, options),
  },
]

for (const { name, Client, Server, Transport, Stdio, elicitKey, call } of versions) {
  describe(`a gateway of ${name}`, () => {
    let folder
    let open

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'edictum-'))
      open = []
    })

    afterEach(async () => {
      for (const connection of open) await connection.close()
      await rm(folder, { recursive: true })
    })

    const upstream = async (file, ...args) => {
      const client = new Client(whoIs)
      const transport = new Stdio({
        command: process.execPath,
        args: [serverFile(file), ...args],
        stderr: 'ignore',
      })
      await client.connect(transport)
      open.push(client)
      return client
    }
    const files = () => upstream('@modelcontextprotocol/server-filesystem/dist/index.js', folder)
    const slow = () => upstream('./mcp-slow-server.mjs')

    /** A client of the agent, connected to a gateway in front of the given servers. */
    const agentOf = async (upstreams, { answer, ...options } = {}) => {
      const server = new Server(whoIs, {})
      const guard = Edictum.fromYamlString(contracts, { approvalBackend: elicitationApprovals(server) })
      const agent = new Client(whoIs, answer && { capabilities: { elicitation: { form: {} } } })
      const asked = []
      if (answer)
        agent.setRequestHandler(elicitKey, async ({ params }) => {
          asked.push(params.message)
          return answer === 'accept' ? { action: answer, content: {} } : { action: answer }
        })
      const [near, far] = Transport.createLinkedPair()
      const gateway = createGateway(guard, { server, upstreams, ...options })
      await Promise.all([gateway.connect(far), agent.connect(near)])
      return { agent, guard, asked }
    }

    const textOf = ({ content }) => content.map(({ text }) => text).join('\n')

    it('passes on what is allowed, masked, and denies what is not', async () => {
      await writeFile(join(folder, 'note.txt'), 'the secret is token-42')
      await writeFile(join(folder, '.env'), 'KEY=token-43')
      const { agent, guard } = await agentOf({ files: await files() })
      const read = (file) => call(agent, { name: 'read_text_file', arguments: { path: join(folder, file) } })
      const note = await read('note.txt')
      expect(textOf(note)).toBe('the secret is [REDACTED]')
      expect(JSON.stringify(note)).not.toContain('token-42')
      expect(await read('.env')).toMatchObject({ isError: true })
      expect(textOf(await read('.env'))).toMatch(/^DENIED: Reading .*\.env is denied\.$/)
      expect(guard.localSink.filter('call_denied')).toHaveLength(2)
    })

    it('a client that checks results against output schemas is content with all of them', async () => {
      await writeFile(join(folder, 'note.txt'), 'token-42')
      const { agent } = await agentOf({ files: await files() })
      const { tools } = await agent.listTools()
      expect(tools.find((tool) => tool.name === 'read_text_file').outputSchema).toBeDefined()
      for (const file of ['note.txt', '.env']) {
        const result = await call(agent, { name: 'read_text_file', arguments: { path: join(folder, file) } })
        expect(textOf(result)).toMatch(/\[REDACTED\]|DENIED/)
      }
    })

    it('does not offer a tool that is denied whatever its arguments are, and denies it when called', async () => {
      await writeFile(join(folder, 'a'), 'stays')
      const { agent } = await agentOf({ files: await files() })
      const names = (await agent.listTools()).tools.map((tool) => tool.name)
      expect(names).toContain('read_text_file')
      expect(names).toContain('write_file')
      expect(names).not.toContain('move_file')
      const paths = { source: join(folder, 'a'), destination: join(folder, 'b') }
      expect(textOf(await call(agent, { name: 'move_file', arguments: paths }))).toBe(
        'DENIED: Files stay where they are.',
      )
      expect(await readFile(paths.source, 'utf8')).toBe('stays')
    })

    it('asks the user of the client for approval', async () => {
      const path = join(folder, 'new.txt')
      const write = { name: 'write_file', arguments: { path, content: 'hello' } }
      const declining = await agentOf({ files: await files() }, { answer: 'decline' })
      expect(textOf(await call(declining.agent, write))).toContain('The user declined.')
      await expect(readFile(path, 'utf8')).rejects.toThrow('ENOENT')
      const accepting = await agentOf({ files: await files() }, { answer: 'accept' })
      await call(accepting.agent, write)
      expect(await readFile(path, 'utf8')).toBe('hello')
      expect(accepting.asked).toEqual([`Write ${path}? (tool: write_file)`])
    })

    it('a client that cannot ask its user gets no approvals', async () => {
      const path = join(folder, 'new.txt')
      const { agent } = await agentOf({ files: await files() })
      const result = await call(agent, { name: 'write_file', arguments: { path, content: 'hello' } })
      expect(result.isError).toBe(true)
      await expect(readFile(path, 'utf8')).rejects.toThrow('ENOENT')
    })

    it('keeps the tools of several servers apart by prefix', async () => {
      await mkdir(join(folder, 'inner'))
      const { agent } = await agentOf({ files: await files(), slow: await slow() })
      const names = (await agent.listTools()).tools.map((tool) => tool.name)
      expect(names).toContain('files__read_text_file')
      expect(names).toContain('slow__wait')
      expect(names).not.toContain('files__move_file')
      const env = await call(agent, { name: 'files__read_text_file', arguments: { path: '.env' } })
      expect(textOf(env)).toContain('DENIED')
      expect(
        textOf(await call(agent, { name: 'files__list_directory', arguments: { path: folder } })),
      ).toContain('inner')
      expect(textOf(await call(agent, { name: 'nobody__read', arguments: {} }))).toContain('not there')
    })

    it('passes on progress, without the words nobody has looked at', async () => {
      const seen = []
      const { agent } = await agentOf({ slow: await slow() })
      const onprogress = (progress) => seen.push(progress)
      expect(textOf(await call(agent, { name: 'count', arguments: { to: 3 } }, { onprogress }))).toBe(
        'counted',
      )
      expect(seen).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })))
    })

    it('passes on that the agent gave up', async () => {
      const { agent } = await agentOf({ slow: await slow() })
      const giveUp = new AbortController()
      const marker = join(folder, 'cancelled')
      const waiting = call(
        agent,
        { name: 'wait', arguments: { marker } },
        {
          signal: giveUp.signal,
          onprogress: () => giveUp.abort(),
        },
      )
      await expect(waiting).rejects.toThrow(/abort/i)
      await expect.poll(() => readFile(marker, 'utf8').catch(() => '')).toBe('cancelled')
    })

    it('a server that crashes is reported, its call fails, and the others go on', async () => {
      const closed = []
      const changes = []
      const { agent, guard } = await agentOf(
        { files: await files(), slow: await slow() },
        { onUpstreamClosed: (upstreamName) => closed.push(upstreamName) },
      )
      agent.fallbackNotificationHandler = async ({ method }) => void changes.push(method)
      const crashed = await call(agent, { name: 'slow__crash', arguments: {} })
      expect(crashed.isError).toBe(true)
      expect(textOf(crashed)).toContain('could not be called')
      expect(guard.localSink.last().action).toBe('call_failed')
      expect(closed).toEqual(['slow'])
      await expect.poll(() => changes).toContain('notifications/tools/list_changed')
      const names = (await agent.listTools()).tools.map((tool) => tool.name)
      expect(names.some((tool) => tool.startsWith('slow__'))).toBe(false)
      expect(
        textOf(await call(agent, { name: 'files__list_directory', arguments: { path: folder } })),
      ).toBeDefined()
    })

    it('what is not a tool call is not passed on', async () => {
      const { agent } = await agentOf({ files: await files() })
      const asked = agent.request({ method: 'prompts/list' }, ListPromptsResultSchema)
      await expect(asked).rejects.toMatchObject({ code: -32_601 })
    })

    it('names of servers are such that a tool name has one meaning', async () => {
      await expect(agentOf({ a__b: new Client(whoIs) })).rejects.toThrow('letters, digits and hyphens')
    })
  })
}
