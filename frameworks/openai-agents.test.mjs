// @ts-check
// The OpenAI Agents SDK itself, with its own scripted model.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  Agent,
  getAllMcpTools,
  MCPServerStdio,
  RunContext,
  Runner,
  setTracingDisabled,
  shellTool,
  tool,
  webSearchTool,
} from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents-core/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { OpenAIAgentsAdapter } from '../packages/edictum/dist/adapters/openai-agents/index.js'
import { Edictum } from '../packages/edictum/dist/index.js'
import { describeFramework, guardWith, noDrops, noPasswords, refusalsStayInside } from './suite.mjs'

setTracingDisabled(true)

const parameters = { type: 'object', properties: {}, required: [], additionalProperties: true }

const functionTool = (name, execute, more = {}) =>
  tool({
    name,
    description: name,
    parameters,
    strict: false,
    execute: async (args, _context, details) => execute(args, { signal: details?.signal }),
    errorFunction: (_context, error) => `Error: ${error.message}`,
    ...more,
  })

const scripted = (calls) =>
  new ScriptedModel([
    calls.map(({ id, tool: name, args }) => functionCall(name, args, { callId: id })),
    [assistantMessage('done')],
  ])

/** Runs one step and gives back what the model was told, by call id. */
async function step({ model, tools, signal, context }) {
  const agent = new Agent({ name: 'agent', model, tools })
  await new Runner({ tracingDisabled: true }).run(agent, 'go', { signal, context })
  return toldIn(model)
}

const toldIn = (model) =>
  new Map(
    model.calls[1].request.input
      .filter(({ type }) => type === 'function_call_result')
      .map(({ callId, output }) => [callId, JSON.stringify(output)]),
  )

describeFramework('OpenAI Agents', {
  package: '@openai/agents',
  adapter: 'openai-agents',
  ...refusalsStayInside,
  selfTest: () => new OpenAIAgentsAdapter(new Edictum()).selfTest(),
  play: ({ guard, tools, calls, options, signal }) => {
    const list = Object.entries(tools).map(([name, run]) => functionTool(name, run))
    return step({
      model: scripted(calls),
      tools: new OpenAIAgentsAdapter(guard, options).guardTools(list),
      signal,
    })
  },
})

describe('OpenAI Agents, beside the common behaviours', () => {
  const guarding = () => guardWith([noDrops('args.query'), noPasswords('search')], { reads: ['search'] })
  const search = async (searchTool, args = {}, { guard = guarding(), ...more } = {}) => {
    const tools = [new OpenAIAgentsAdapter(guard).guardTool(searchTool)]
    const told = await step({ model: scripted([{ id: 'c1', tool: 'search', args }]), tools, ...more })
    return told.get('c1')
  }

  it('arguments that are no object never reach the tool, since no contract could judge them', async () => {
    let runs = 0
    const counting = functionTool('search', () => ++runs)
    expect(await search(counting, '["drop"]')).toContain('DENIED: the arguments are not an object')
    expect(await search(counting, '{"query": "dro')).toContain('error occurred while parsing')
    const guarded = new OpenAIAgentsAdapter(guarding()).guardTool(counting)
    expect(await guarded.invoke(new RunContext(), '{"query": "dro')).toContain('DENIED')
    expect(runs).toBe(0)
  })

  it('arguments are judged as the model gave them, before the schema of the tool', async () => {
    const typed = tool({
      name: 'search',
      description: 'Search.',
      parameters: z.object({ query: z.string(), page: z.number() }),
      execute: () => 'ran',
    })
    expect(await search(typed, { query: 'drop', page: 'two' })).toContain('DENIED')
    expect(await search(typed, { query: 'cats', page: 2 })).toContain('ran')
    expect(await search(typed, { query: 'cats', page: 'two' })).toContain('An error occurred')
  })

  it('a tool that threw is a failed call, though the SDK makes a text of it', async () => {
    const guard = guarding()
    const broken = () => {
      throw new Error('password=one')
    }
    const told = await search(functionTool('search', broken, { errorFunction: undefined }), {}, { guard })
    expect(told).toContain('An error occurred while running the tool.')
    expect(guard.localSink.last().action).toBe('call_failed')
  })

  it('the errors of a tool without an error function end the run, redacted', async () => {
    const broken = () => {
      throw new Error('lost password=one')
    }
    const run = search(functionTool('search', broken, { errorFunction: null }))
    await expect(run).rejects.toThrow('lost [REDACTED]')
  })

  it('a tool with an output schema may be denied, and its output is masked field by field', async () => {
    const structured = tool({
      name: 'search',
      description: 'Search.',
      parameters: z.object({ query: z.string() }),
      outputSchema: z.object({ found: z.string(), rows: z.number() }),
      execute: () => ({ found: 'password=one', rows: 3 }),
    })
    expect(await search(structured, { query: 'drop' })).toContain('DENIED: Nothing is dropped here.')
    const told = await search(structured, { query: 'cats' })
    expect(told).toContain('[REDACTED]')
    expect(told).toContain('rows')
  })

  it('the pause of the SDK for approvals comes first, and the guard still judges what was approved', async () => {
    let runs = 0
    const tools = [
      new OpenAIAgentsAdapter(guarding()).guardTool(
        functionTool('search', () => ++runs, { needsApproval: true }),
      ),
    ]
    const model = scripted([{ id: 'c1', tool: 'search', args: { query: 'drop' } }])
    const agent = new Agent({ name: 'agent', model, tools })
    const runner = new Runner({ tracingDisabled: true })
    const paused = await runner.run(agent, 'go')
    expect(paused.interruptions).toHaveLength(1)
    paused.state.approve(paused.interruptions[0])
    await runner.run(agent, paused.state)
    expect(runs).toBe(0)
    expect(toldIn(model).get('c1')).toContain('DENIED')
  })

  it('the context of the run says whose session it is', async () => {
    const seen = []
    const adapter = new OpenAIAgentsAdapter(new Edictum(), {
      sessionId: ({ context, callId }) => {
        seen.push([context.conversation, callId])
        return context.conversation
      },
    })
    await step({
      model: scripted([{ id: 'c1', tool: 'search', args: {} }]),
      tools: [adapter.guardTool(functionTool('search', () => 'found'))],
      context: { conversation: 'chat-7' },
    })
    expect(seen).toEqual([['chat-7', 'c1']])
  })

  it('streamed runs are guarded too', async () => {
    let runs = 0
    const model = scripted([{ id: 'c1', tool: 'search', args: { query: 'drop' } }])
    const tools = [new OpenAIAgentsAdapter(guarding()).guardTool(functionTool('search', () => ++runs))]
    const agent = new Agent({ name: 'agent', model, tools })
    const stream = await new Runner({ tracingDisabled: true }).run(agent, 'go', { stream: true })
    await stream.completed
    expect(runs).toBe(0)
    expect(toldIn(model).get('c1')).toContain('DENIED')
  })

  it('a tool OpenAI runs is left alone; one that runs here and is no function is refused', () => {
    const adapter = new OpenAIAgentsAdapter(guarding())
    const hosted = webSearchTool()
    expect(adapter.guardTool(hosted)).toBe(hosted)
    const shell = shellTool({ shell: { run: async () => ({ output: [] }) } })
    expect(() => adapter.guardTool(shell)).toThrow('cannot be guarded')
  })

  it('the tools of an MCP server are guarded once they are tools', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'edictum-'))
    const server = new MCPServerStdio({
      command: process.execPath,
      args: [
        fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')),
        folder,
      ],
    })
    try {
      await writeFile(join(folder, 'note.txt'), 'it is password=one')
      await server.connect()
      const file = 'read_text_file'
      const guard = guardWith([noDrops('args.path', file), noPasswords(file)], { reads: [file] })
      const tools = new OpenAIAgentsAdapter(guard).guardTools(await getAllMcpTools([server]))
      const read = (id, name) => ({ id, tool: 'read_text_file', args: { path: join(folder, name) } })
      const told = await step({ model: scripted([read('c1', 'note.txt'), read('c2', 'drop.txt')]), tools })
      expect(told.get('c1')).toContain('it is [REDACTED]')
      expect(told.get('c2')).toContain('DENIED')
    } finally {
      await server.close()
      await rm(folder, { recursive: true })
    }
  })
})
