// @ts-check
// The Claude Agent SDK with its real CLI, against a stand-in for the Messages API on this machine.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ClaudeAgentSDKAdapter } from '../../packages/edictum/dist/adapters/claude-agent-sdk/index.js'
import { Edictum } from '../../packages/edictum/dist/index.js'
import { messageOf, streamOf } from '../messages-api.mjs'
import { actionsOf, describeFramework, guardWith, inTheCall, noPasswords } from '../suite.mjs'

const resultsIn = ({ messages }) =>
  messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type === 'tool_result')

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'edictum-claude-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Lets the agent make the calls in one step, and gives back the results it sent to the model. */
const run = async (calls, options, signal) => {
  let results = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => (body += part))
    request.on('end', () => {
      const asked = body === '' ? {} : JSON.parse(body)
      if (!request.url?.startsWith('/v1/messages?') && request.url !== '/v1/messages') {
        response.writeHead(404).end('{}')
        return
      }
      const isTurn = (asked.tools ?? []).length > 0
      const answers = isTurn ? resultsIn(asked) : []
      if (answers.length > 0) results = answers
      const content =
        isTurn && answers.length === 0
          ? calls.map(({ id, tool: name, args }) => ({ type: 'tool_use', id, name, input: args }))
          : [{ type: 'text', text: 'done' }]
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(streamOf(messageOf(content)))
    })
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)))
  const abortController = new AbortController()
  signal?.addEventListener('abort', () => abortController.abort())
  try {
    const messages = query({
      prompt: 'go',
      options: {
        abortController,
        cwd: folder,
        settingSources: [],
        maxTurns: 3,
        model: 'claude-sonnet-4-5',
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          CLAUDE_CONFIG_DIR: join(folder, 'config'),
          ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.address().port}`,
          ANTHROPIC_API_KEY: 'fake',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        },
        ...options,
      },
    })
    for await (const message of messages) if (message.type === 'result') break
  } finally {
    server.closeAllConnections()
    server.close()
  }
  return new Map(results.map(({ tool_use_id, content }) => [tool_use_id, JSON.stringify(content)]))
}

const suiteTools = (tools) =>
  Object.entries(tools).map(([name, execute]) =>
    tool(name, 'scripted', z.looseObject({}), async (args, { signal }) => ({
      content: [{ type: 'text', text: JSON.stringify(await execute(args, { signal })) }],
    })),
  )

const unescaped = (told) => new Map([...told].map(([id, text]) => [id, text.replaceAll('\\"', '"')]))

const play = (wire) => async (scenario) => {
  const adapter = new ClaudeAgentSDKAdapter(scenario.guard, {
    ...scenario.options,
    toolName: (name) => name.replace('mcp__suite__', ''),
  })
  const { hooks, tools } = wire(adapter, suiteTools(scenario.tools))
  const calls = scenario.calls.map((call) => ({ ...call, tool: `mcp__suite__${call.tool}` }))
  const options = {
    ...(hooks && { hooks }),
    mcpServers: { suite: createSdkMcpServer({ name: 'suite', tools }) },
    allowedTools: calls.map(({ tool: name }) => name),
  }
  return unescaped(await run(calls, options, scenario.signal))
}

const ownWays = {
  'arguments that are no object never run, and are on record':
    'the CLI makes an object of a list before anybody is asked; that object is judged and on record',
  'a tool may be called constructor': 'the SDK itself refuses a tool of that name as a duplicate',
}
const suite = {
  package: '@anthropic-ai/claude-agent-sdk',
  adapter: 'claude-agent-sdk',
  ...inTheCall,
  selfTest: () => new ClaudeAgentSDKAdapter(new Edictum()).selfTest(),
}

describeFramework('Claude Agent SDK, hooks', {
  ...suite,
  play: play((adapter, tools) => ({ hooks: adapter.hooks(), tools })),
  limits: {
    ...ownWays,
    'an error is redacted': 'a hook cannot replace what a failed tool said; wrap tools of this process',
  },
})

describeFramework('Claude Agent SDK, tools of this process', {
  ...suite,
  play: play((adapter, tools) => ({ hooks: adapter.hooks(), tools: adapter.guardTools('suite', tools) })),
  limits: ownWays,
})

describe('@anthropic-ai/claude-agent-sdk, beside the common behaviours', () => {
  const guard = () => guardWith([noPasswords('Read'), ownContracts], { reads: ['Read'] })
  const ownContracts = `
  - id: no-launch-codes
    type: post
    tool: Read
    when: { output.text: { contains: launch code } }
    then: { effect: deny, message: Launch codes stay here. }
  - id: no-downloads
    type: pre
    tool: Bash
    when: { args.command: { contains: curl } }
    then: { effect: deny, message: Nothing is downloaded. }
  - id: one-write
    type: session
    limits: { max_calls_per_tool: { Write: 1 } }
    then: { effect: deny, message: One is enough. }
`
  const read = async (judge, text) => {
    const path = join(folder, 'notes.txt')
    writeFileSync(path, text)
    const hooks = new ClaudeAgentSDKAdapter(judge).hooks()
    const told = await run([{ id: 'c1', tool: 'Read', args: { file_path: path } }], {
      hooks,
      allowedTools: ['Read'],
    })
    return told.get('c1')
  }

  it('what a tool of the CLI returned is redacted in its own shape', async () => {
    const told = await read(guard(), 'first line\npassword=one\n')
    expect(told).toContain('first line')
    expect(told).toContain('[REDACTED]')
    expect(told).not.toContain('password=')
  })

  it('what a tool of the CLI returned is held back', async () => {
    const told = await read(guard(), 'the launch code is 0000')
    expect(told).toContain('Launch codes stay here.')
    expect(told).not.toContain('0000')
  })

  it('a command of the CLI does not run when it is denied', async () => {
    const judge = guard()
    const hooks = new ClaudeAgentSDKAdapter(judge).hooks()
    const command = `curl nowhere.invalid; touch ${join(folder, 'ran')}`
    const told = await run([{ id: 'c1', tool: 'Bash', args: { command } }], { hooks, allowedTools: ['Bash'] })
    expect(told.get('c1')).toContain('DENIED: Nothing is downloaded.')
    expect(existsSync(join(folder, 'ran'))).toBe(false)
    expect(actionsOf(judge)).toEqual(['call_denied'])
  })

  it('a command that fails is a failure on record', async () => {
    const judge = guard()
    const hooks = new ClaudeAgentSDKAdapter(judge).hooks()
    await run([{ id: 'c1', tool: 'Bash', args: { command: 'exit 3' } }], { hooks, allowedTools: ['Bash'] })
    expect(actionsOf(judge)).toEqual(['call_allowed', 'call_failed'])
  })

  it('a call that the permissions of the CLI stop after the guard gives its place back', async () => {
    const judge = guard()
    const adapter = new ClaudeAgentSDKAdapter(judge, { sessionId: 'one' })
    const args = { file_path: join(folder, 'new.txt'), content: 'text' }
    const write = (options) =>
      run([{ id: 'c1', tool: 'Write', args }], { hooks: adapter.hooks(), ...options })
    await write({ canUseTool: async () => ({ behavior: 'deny', message: 'Not now.' }) })
    expect(actionsOf(judge)).toEqual(['call_allowed', 'call_failed'])
    await write({ allowedTools: ['Write'] })
    expect(existsSync(args.file_path)).toBe(true)
  })

  it('a fault of a resolver of yours denies', async () => {
    const hooks = new ClaudeAgentSDKAdapter(guard(), {
      sessionId: () => {
        throw new Error('no session')
      },
    }).hooks()
    const command = `touch ${join(folder, 'faulty')}`
    await run([{ id: 'c1', tool: 'Bash', args: { command } }], { hooks, allowedTools: ['Bash'] })
    expect(existsSync(join(folder, 'faulty'))).toBe(false)
  })
})
