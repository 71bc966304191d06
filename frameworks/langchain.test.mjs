// @ts-check
// LangChain's agents and LangGraph's ToolNode themselves, with LangChain's own fake model.
import { ToolMessage } from '@langchain/core/messages'
import { Command, interrupt, MemorySaver, MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { AIMessage, createAgent, createMiddleware, fakeModel, tool } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { LangChainAdapter } from '../packages/edictum/dist/adapters/langchain/index.js'
import { answerApproval, Edictum } from '../packages/edictum/dist/index.js'
import { actionsOf, askBefore, describeFramework, guardWith, noDrops, noPasswords } from './suite.mjs'

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

const suite = { adapter: 'langchain', approvals: 'in the call, or by `interrupt`', selfTest }
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

describe('LangGraph, approvals that pause the run', () => {
  /** An agent that wants to deploy, with a guard that asks before. */
  const deploying = (services) => {
    const guard = guardWith([askBefore('deploy')])
    const ran = []
    const deploy = tool(({ service }) => `deployed ${ran.push(service)}`, {
      name: 'deploy',
      description: 'Deploy.',
      schema,
    })
    const adapter = new LangChainAdapter(guard, { ToolMessage, interrupt })
    const calls = services.map((service, at) => ({ id: `c${at}`, tool: 'deploy', args: { service } }))
    const model = scripted(calls)
    const agent = createAgent({
      model,
      tools: [deploy],
      middleware: [createMiddleware(adapter.asMiddleware())],
      checkpointer: new MemorySaver(),
    })
    const thread = { configurable: { thread_id: 'thread-1' } }
    const told = () => toldIn(model.calls[1]?.messages ?? [])
    return {
      guard,
      ran,
      told,
      start: async () => (await agent.invoke({ messages: 'go' }, thread)).__interrupt__,
      goOn: async (resume) => agent.invoke(new Command({ resume }), thread),
    }
  }

  it('the run stops with the question, and goes on with the answer', async () => {
    const { guard, ran, told, start, goOn } = deploying(['web'])
    const [{ value: question }] = await start()
    expect(question).toMatchObject({
      message: 'Deploy web?',
      toolName: 'deploy',
      toolArgs: { service: 'web' },
    })
    expect(ran).toEqual([])
    await goOn(answerApproval(question, { approved: true, approver: 'grace' }))
    expect(ran).toEqual(['web'])
    expect(told().get('c0')).toBe('deployed 1')
    expect(actionsOf(guard)).toEqual(['call_approval_requested', 'call_approval_granted', 'call_executed'])
  })

  it('a refusal is told to the model, with the reason, and on record', async () => {
    const { guard, ran, told, start, goOn } = deploying(['web'])
    const [{ value: question }] = await start()
    await goOn(answerApproval(question, { approved: false, reason: 'Not on a Friday.' }))
    expect(ran).toEqual([])
    expect(told().get('c0')).toBe('DENIED: Not on a Friday.')
    expect(actionsOf(guard)).toEqual(['call_approval_requested', 'call_approval_denied'])
  })

  it.each([
    ['a plain yes', () => true],
    ['an answer to other arguments', (reply) => ({ ...reply, argsHash: 'f'.repeat(64) })],
    ['an answer to another call of the same', (reply) => ({ ...reply, toolUseId: 'c7' })],
    ['an answer to another contract', (reply) => ({ ...reply, contractId: 'another' })],
    ['an answer that comes too late', (reply) => ({ ...reply, expiresAt: '2020-01-01T00:00:00.000Z' })],
    ['an answer without a time', (reply) => ({ ...reply, expiresAt: undefined })],
  ])('%s is not consent', async (_, change) => {
    const { ran, told, start, goOn } = deploying(['web'])
    const [{ value: question }] = await start()
    await goOn(change(answerApproval(question, { approved: true })))
    expect(ran).toEqual([])
    expect(told().get('c0')).toMatch(/^DENIED: /)
  })

  it('parallel calls are asked about one by one, and answers do not change places', async () => {
    const { ran, told, start, goOn } = deploying(['web', 'mail'])
    const asked = await start()
    expect(asked.map(({ value }) => value.toolArgs.service)).toEqual(['web', 'mail'])
    const answers = asked.map(({ id, value }) => [
      id,
      answerApproval(value, { approved: value.toolArgs.service === 'mail' }),
    ])
    await goOn(Object.fromEntries(answers))
    expect(ran).toEqual(['mail'])
    expect(told().get('c0')).toMatch(/^DENIED: /)
    const swapped = deploying(['web', 'mail'])
    const [web, mail] = await swapped.start()
    await swapped.goOn({
      [web.id]: answerApproval(mail.value, { approved: true }),
      [mail.id]: answerApproval(web.value, { approved: true }),
    })
    expect(swapped.ran).toEqual([])
  })
})
