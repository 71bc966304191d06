// @ts-check
// LangChain's agents and LangGraph's ToolNode themselves, with LangChain's own fake model.
import { ToolMessage } from '@langchain/core/messages'
import { Command, interrupt, MemorySaver, MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { AIMessage, createAgent, createMiddleware, fakeModel, tool } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { LangChainAdapter } from '../packages/edictum/dist/adapters/langchain/index.js'
import { Edictum } from '../packages/edictum/dist/index.js'
import { actionsOf, describeFramework, guardWith, inTheCall, noDrops, noPasswords } from './suite.mjs'

const schema = z.looseObject({})

const toolList = (tools) =>
  Object.entries(tools).map(([name, run]) =>
    tool(async (args, { signal }) => run(args, { signal }), { name, description: name, schema }),
  )

const scripted = (calls) =>
  fakeModel()
    .respondWithTools(calls.map(({ id, tool: name, args }) => ({ id, name, args })))
    .respond(new AIMessage('done'))

const toldIn = (messages) =>
  new Map(messages.filter(ToolMessage.isInstance).map((message) => [message.tool_call_id, message.content]))

const agentKit = {
  play: async ({ guard, tools, calls, options, signal }) => {
    const model = scripted(calls)
    const adapter = new LangChainAdapter(guard, { ToolMessage, ...options })
    const agent = createAgent({
      model,
      tools: toolList(tools),
      middleware: [createMiddleware(adapter.asMiddleware())],
    })
    await agent.invoke({ messages: 'go' }, { signal })
    return toldIn(model.calls[1]?.messages ?? [])
  },
}

const askFor = (calls) =>
  new AIMessage({ content: '', tool_calls: calls.map(({ id, tool: name, args }) => ({ id, name, args })) })

const toolNodeKit = {
  play: async ({ guard, tools, calls, options, signal }) => {
    const adapter = new LangChainAdapter(guard, { ToolMessage, ...options })
    const node = new ToolNode(adapter.guardTools(toolList(tools)))
    const { messages } = await node.invoke({ messages: [askFor(calls)] }, { signal })
    return toldIn(messages)
  },
}

const selfTest = () => new LangChainAdapter(new Edictum(), { ToolMessage }).selfTest()

const suite = { adapter: 'langchain', approvals: inTheCall, selfTest }
describeFramework('LangChain, createAgent', { package: 'langchain', ...suite, ...agentKit })
describeFramework('LangGraph, ToolNode', { package: '@langchain/langgraph', ...suite, ...toolNodeKit })

const guarding = () => guardWith([noPasswords(), noDrops('args.query')], { reads: ['search'] })

/** One agent step with one tool; gives back the message the model got for it. */
async function step(search, { args = {}, middleware = [], guard = guarding() } = {}) {
  const model = scripted([{ id: 'c1', tool: 'search', args }])
  const adapter = new LangChainAdapter(guard, { ToolMessage })
  const agent = createAgent({
    model,
    tools: [search],
    middleware: [...middleware, createMiddleware(adapter.asMiddleware())],
  })
  await agent.invoke({ messages: 'go' })
  return model.calls[1].messages.find(ToolMessage.isInstance)
}

const searchTool = (run, more = {}) => tool(run, { name: 'search', description: 'Search.', schema, ...more })

describe('LangChain, beside the common behaviours', () => {
  it('a denial is a tool message of the call, marked as an error', async () => {
    const message = await step(
      searchTool(() => 'ran'),
      { args: { query: 'drop all' } },
    )
    expect(message).toMatchObject({
      content: 'DENIED: Nothing is dropped here.',
      tool_call_id: 'c1',
      name: 'search',
      status: 'error',
    })
  })

  it('content blocks stay content blocks, and an artifact is masked too', async () => {
    const message = await step(
      searchTool(() => [[{ type: 'text', text: 'see password=one' }], { raw: 'password=two', rows: 3 }], {
        responseFormat: 'content_and_artifact',
      }),
    )
    expect(message.content).toEqual([{ type: 'text', text: 'see [REDACTED]' }])
    expect(message.artifact).toEqual({ raw: '[REDACTED]', rows: 3 })
    expect(JSON.stringify(message)).not.toContain('password=')
  })

  it('messages inside a command are masked, and the command stays one', async () => {
    const search = searchTool((_args, { toolCall }) => {
      const answer = new ToolMessage({ content: 'found password=one', tool_call_id: toolCall.id })
      return new Command({ update: { messages: [answer] } })
    })
    const message = await step(search)
    expect(message.content).toBe('found [REDACTED]')
  })

  it('a message a tool marked as failed is a failure on record', async () => {
    const guard = guarding()
    const search = searchTool(
      (_args, { toolCall }) =>
        new ToolMessage({ content: 'no such index', tool_call_id: toolCall.id, status: 'error' }),
    )
    const message = await step(search, { guard })
    expect(message).toMatchObject({ content: 'no such index', status: 'error' })
    expect(guard.localSink.last().action).toBe('call_failed')
  })

  it('arguments a tool does not take are told to the model without a stack trace', async () => {
    const search = searchTool(() => 'ran', { schema: z.object({ page: z.number() }) })
    const message = await step(search, { args: { page: 'two' } })
    expect(message.status).toBe('error')
    expect(message.content).toContain('did not match expected schema')
    expect(message.content).not.toContain('node_modules')
  })

  it('what an outer middleware changes is what is judged', async () => {
    const rewriting = createMiddleware({
      name: 'rewriting',
      wrapToolCall: (request, handler) =>
        handler({ ...request, toolCall: { ...request.toolCall, args: { query: 'drop all' } } }),
    })
    let runs = 0
    const message = await step(
      searchTool(() => `${++runs}`),
      { args: { query: 'cats' }, middleware: [rewriting] },
    )
    expect(runs).toBe(0)
    expect(message.content).toContain('DENIED')
  })

  it('a generator tool is drained, and only what contracts have seen is passed on', async () => {
    const message = await step(
      searchTool(async function* () {
        yield 'half'
        return 'whole: password=two'
      }),
    )
    expect(message.content).toBe('whole: [REDACTED]')
  })

  it('an interrupt inside a tool pauses the run; only the call that ends counts', async () => {
    const guard = guarding()
    const adapter = new LangChainAdapter(guard, {
      ToolMessage,
      sessionId: ({ threadId }) => threadId,
    })
    const search = searchTool(() => `the answer was ${interrupt('which one?')}`)
    const model = scripted([{ id: 'c1', tool: 'search', args: {} }])
    const agent = createAgent({
      model,
      tools: [search],
      middleware: [createMiddleware(adapter.asMiddleware())],
      checkpointer: new MemorySaver(),
    })
    const thread = { configurable: { thread_id: 'thread-1' } }
    const paused = await agent.invoke({ messages: 'go' }, thread)
    expect(paused.__interrupt__.map(({ value }) => value)).toEqual(['which one?'])
    await agent.invoke(new Command({ resume: 'the second' }), thread)
    expect(model.calls[1].messages.find(ToolMessage.isInstance).content).toBe('the answer was the second')
    const { events } = guard.localSink
    expect(actionsOf(guard)).toEqual(['call_allowed', 'call_failed', 'call_allowed', 'call_executed'])
    expect(events.at(-1)).toMatchObject({ sessionId: 'thread-1', sessionExecutionCount: 1 })
  })

  it('a guarded ToolNode in a graph knows the thread of a call', async () => {
    const threads = []
    const adapter = new LangChainAdapter(new Edictum(), {
      ToolMessage,
      sessionId: ({ threadId }) => {
        threads.push(threadId)
        return threadId
      },
    })
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('tools', new ToolNode(adapter.guardTools([searchTool(() => 'found')])))
      .addEdge('__start__', 'tools')
      .compile()
    await graph.invoke(
      { messages: [askFor([{ id: 'c1', tool: 'search', args: {} }])] },
      { configurable: { thread_id: 'thread-2' } },
    )
    expect(threads).toEqual(['thread-2'])
  })

  it('a guarded tool invoked by hand throws when it is denied, since a text would pass for a result', async () => {
    const adapter = new LangChainAdapter(guarding(), { ToolMessage })
    const search = adapter.guardTool(searchTool(() => 'found password=one'))
    await expect(search.invoke({ query: 'drop all' })).rejects.toThrow('DENIED: Nothing is dropped here.')
    expect(await search.invoke({ query: 'cats' })).toBe('found [REDACTED]')
    expect(await search.batch([{ query: 'cats' }])).toEqual(['found [REDACTED]'])
  })
})
