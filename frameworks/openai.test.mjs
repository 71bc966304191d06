// @ts-check
// The OpenAI SDK itself, with a stand-in for the API behind its `fetch`: a loop of one's own over both APIs, and runTools.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { OpenAIAdapter } from '../packages/edictum/dist/adapters/openai/index.js'
import { Edictum } from '../packages/edictum/dist/index.js'
import { describeFramework, guardWith, inTheCall, noDotenv, noDrops } from './suite.mjs'

const versions = [
  {
    name: 'OpenAI 6',
    alias: 'openai-6',
    sdk: await import('openai-6'),
    zodFunction: (await import('openai-6/helpers/zod')).zodFunction,
  },
  {
    name: 'OpenAI 7',
    alias: 'openai-7',
    sdk: await import('openai-7'),
    zodFunction: (await import('openai-7/helpers/zod')).zodFunction,
  },
]

const functionCalls = (calls) =>
  calls.map(({ id, tool, args }) => ({
    id,
    type: 'function',
    function: { name: tool, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }))

/** Makes the calls in the first reply and answers in the second; keeps what it was sent. */
const standIn =
  (replies, requests) =>
  async (_url, { body }) => {
    requests.push(JSON.parse(body))
    const reply = replies[requests.length - 1]
    return new Response(JSON.stringify(reply), { headers: { 'content-type': 'application/json' } })
  }

const completions = (calls) =>
  [{ tool_calls: functionCalls(calls) }, { content: 'done' }].map((message, index) => ({
    id: `reply-${index}`,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: message.tool_calls ? 'tool_calls' : 'stop',
        message: { role: 'assistant', content: null, ...message },
      },
    ],
  }))

const responses = (calls) => [
  {
    id: 'response-0',
    object: 'response',
    output: calls.map(({ id, tool, args }) => ({
      type: 'function_call',
      call_id: id,
      name: tool,
      arguments: JSON.stringify(args),
    })),
  },
  { id: 'response-1', object: 'response', output: [] },
]

for (const { name, alias, sdk, zodFunction } of versions) {
  const client = (replies, requests) =>
    new sdk.OpenAI({ apiKey: 'none', fetch: standIn(replies, requests), maxRetries: 0 })
  const model = 'scripted'
  const start = [{ role: 'user', content: 'go' }]

  const toldIn = (requests) =>
    new Map(
      requests[1].messages
        .filter(({ role }) => role === 'tool')
        .map(({ tool_call_id, content }) => [tool_call_id, content]),
    )

  const playLoop = async ({ guard, tools, calls, options, signal }) => {
    const requests = []
    const { chat } = client(completions(calls), requests)
    const adapter = new OpenAIAdapter(guard, options)
    const { message } = (await chat.completions.create({ model, messages: start })).choices[0]
    const answers = await adapter.executeToolCalls(message.tool_calls, tools, { signal })
    await chat.completions.create({ model, messages: [...start, message, ...answers] })
    return toldIn(requests)
  }

  const playResponses = async ({ guard, tools, calls, options, signal }) => {
    const requests = []
    const api = client(responses(calls), requests).responses
    const { output } = await api.create({ model, input: 'go' })
    const answers = await new OpenAIAdapter(guard, options).executeFunctionCalls(output, tools, { signal })
    await api.create({ model, input: [...output, ...answers] })
    const answered = requests[1].input.filter(({ type }) => type === 'function_call_output')
    return new Map(answered.map(({ call_id, output: said }) => [call_id, said]))
  }

  const runTools = async ({ guard, options, signal, calls }, tools) => {
    const requests = []
    const runner = client(completions(calls), requests).chat.completions.runTools(
      { model, messages: start, tools: new OpenAIAdapter(guard, options).guardTools(tools) },
      { signal },
    )
    await runner.finalContent()
    return toldIn(requests)
  }

  const playRunTools = async (scenario) =>
    runTools(
      scenario,
      Object.entries(scenario.tools).map(([tool, run]) => ({
        type: 'function',
        function: {
          name: tool,
          parse: JSON.parse,
          parameters: { type: 'object' },
          function: async (args, runner) => run(args, { signal: runner.controller.signal }),
        },
      })),
    )

  const suite = {
    package: alias,
    adapter: 'openai',
    ...inTheCall,
    selfTest: () => new OpenAIAdapter(new Edictum()).selfTest(),
  }
  describeFramework(`${name}, own loop`, { ...suite, play: playLoop })
  describeFramework(`${name}, own loop over the Responses API`, { ...suite, play: playResponses })
  describeFramework(`${name}, runTools`, { ...suite, play: playRunTools })

  describe(`${name}, beside the common behaviours`, () => {
    const scenario = (tool, args, options = {}) => ({
      guard: guardWith([noDotenv(), noDrops('args.input', 'sql')]),
      options,
      calls: [{ id: 'c1', tool, args }],
    })

    const zodTool = (seen) =>
      zodFunction({
        name: 'read_file',
        parameters: z.object({ path: z.string() }),
        function: ({ path }) => {
          seen.push(path)
          return `text of ${path}`
        },
      })

    it('a tool made from a zod schema is guarded and stays what it was', async () => {
      const seen = []
      const tools = [zodTool(seen)]
      expect((await runTools(scenario('read_file', { path: '.env' }), tools)).get('c1')).toBe(
        'DENIED: Not that file.',
      )
      expect((await runTools(scenario('read_file', { path: 'a.md' }), tools)).get('c1')).toBe('text of a.md')
      expect(seen).toEqual(['a.md'])
    })

    it('a callback that takes text is judged by its arguments and gets exactly those', async () => {
      const seen = []
      const tool = {
        type: 'function',
        function: {
          function: function read_file(text) {
            seen.push(text)
            return 'ok'
          },
          parameters: { type: 'object' },
        },
      }
      expect((await runTools(scenario('read_file', { path: '.env' }), [tool])).get('c1')).toMatch(/^DENIED: /)
      expect((await runTools(scenario('read_file', '{ "path":"a.md" }'), [tool])).get('c1')).toBe('ok')
      expect(seen).toEqual(['{"path":"a.md"}'])
    })

    it('the toolContext of a run is what sessions and principals are told apart by', async () => {
      const requests = []
      const contexts = []
      const { guard, calls } = scenario('read_file', { path: 'a.md' })
      const adapter = new OpenAIAdapter(guard, { sessionId: ({ context }) => void contexts.push(context) })
      await client(completions(calls), requests)
        .chat.completions.runTools({
          model,
          messages: start,
          tools: adapter.guardTools([zodTool([])]),
          toolContext: { thread: 't7' },
        })
        .finalContent()
      expect(contexts).toEqual([{ thread: 't7' }])
    })

    it('arguments that are no JSON are denied, and the run goes on', async () => {
      let runs = 0
      const tools = { read_file: () => ++runs }
      const told = await playLoop({ ...scenario('read_file', '{"path": ".en'), tools })
      expect(told.get('c1')).toMatch(/^DENIED: /)
      expect(runs).toBe(0)
    })

    it('a call of a tool that is not there is answered', async () => {
      const told = await playLoop({ ...scenario('toString', {}), tools: {} })
      expect(told.get('c1')).toBe('Error: there is no tool `toString`')
    })

    it('a tool that takes free text is judged by args.input', async () => {
      let runs = 0
      const { guard } = scenario('sql', {})
      const calls = [{ id: 'c1', type: 'custom', custom: { name: 'sql', input: 'drop table users' } }]
      const adapter = new OpenAIAdapter(guard)
      const [chat] = await adapter.executeToolCalls(calls, { sql: () => ++runs })
      const item = { type: 'custom_tool_call', call_id: 'c1', name: 'sql', input: 'drop table users' }
      const [response] = await adapter.executeFunctionCalls([{ type: 'message' }, item], {
        sql: () => ++runs,
      })
      expect(chat).toEqual({ role: 'tool', tool_call_id: 'c1', content: 'DENIED: Nothing is dropped here.' })
      expect(response).toEqual({
        type: 'custom_tool_call_output',
        call_id: 'c1',
        output: 'DENIED: Nothing is dropped here.',
      })
      expect(runs).toBe(0)
    })
  })
}
