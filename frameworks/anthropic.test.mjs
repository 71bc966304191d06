// @ts-check
// The Anthropic SDK itself, with a stand-in for the API behind its `fetch`: the tool runner, plain and streaming, and a
// loop of one's own.
import Anthropic from 'anthropic-1'
import { betaTool } from 'anthropic-1/helpers/beta/json-schema'
import { ToolError } from 'anthropic-1/lib/tools/ToolError'
import { describe, expect, it } from 'vitest'
import { AnthropicAdapter } from '../packages/edictum/dist/adapters/anthropic/index.js'
import { Edictum } from '../packages/edictum/dist/index.js'
import { messageOf, streamOf } from './messages-api.mjs'
import { describeFramework, guardWith, inTheCall, noPasswords } from './suite.mjs'

const replies = (calls) =>
  [
    calls.map(({ id, tool, args, ...rest }) => ({ type: 'tool_use', id, name: tool, input: args, ...rest })),
    [{ type: 'text', text: 'done' }],
  ].map(messageOf)

/** Makes the calls in the first reply and answers in the second; keeps what it was sent. */
const client = (calls, requests) =>
  new Anthropic({
    apiKey: 'none',
    maxRetries: 0,
    fetch: async (_url, { body }) => {
      const request = JSON.parse(body)
      requests.push(request)
      const reply = replies(calls)[requests.length - 1]
      if (!request.stream)
        return new Response(JSON.stringify(reply), { headers: { 'content-type': 'application/json' } })
      return new Response(streamOf(reply), { headers: { 'content-type': 'text/event-stream' } })
    },
  })

const start = { model: 'scripted', max_tokens: 100, messages: [{ role: 'user', content: 'go' }] }

const resultsIn = (requests) => {
  const { content } = requests[1].messages.at(-1)
  return content.filter(({ type }) => type === 'tool_result')
}

const toldIn = (requests) =>
  new Map(resultsIn(requests).map(({ tool_use_id, content }) => [tool_use_id, JSON.stringify(content)]))

/** What a tool of this SDK may return is text or content blocks. */
const runner = async ({ guard, options, calls, signal }, tools, settings = {}) => {
  const requests = []
  const guarded = new AnthropicAdapter(guard, options).guardTools(tools)
  const run = client(calls, requests).beta.messages.toolRunner(
    { ...start, tools: guarded, ...settings },
    { signal },
  )
  await run.runUntilDone()
  return requests
}

const playRunner = (settings) => async (scenario) => {
  const tools = Object.entries(scenario.tools).map(([name, run]) =>
    betaTool({
      name,
      inputSchema: { type: 'object' },
      run: async (args, { signal }) => JSON.stringify(await run(args, { signal })),
    }),
  )
  return unescaped(toldIn(await runner(scenario, tools, settings)))
}

const unescaped = (told) => new Map([...told].map(([id, text]) => [id, text.replaceAll('\\"', '"')]))

const playLoop = async ({ guard, tools, calls, options, signal }) => {
  const requests = []
  const { messages } = client(calls, requests)
  const { content } = await messages.create(start)
  const answers = await new AnthropicAdapter(guard, options).executeToolUses(content, tools, { signal })
  await messages.create({
    ...start,
    messages: [...start.messages, { role: 'assistant', content }, { role: 'user', content: answers }],
  })
  return toldIn(requests)
}

const suite = {
  package: 'anthropic-1',
  adapter: 'anthropic',
  ...inTheCall,
  selfTest: () => new AnthropicAdapter(new Edictum()).selfTest(),
}
describeFramework('Anthropic, toolRunner', { ...suite, play: playRunner({}) })
describeFramework('Anthropic, toolRunner while the reply streams', {
  ...suite,
  play: playRunner({ stream: true, runToolsEagerly: true }),
})
describeFramework('Anthropic, own loop', { ...suite, play: playLoop })

describe('@anthropic-ai/sdk, beside the common behaviours', () => {
  const guard = () => guardWith([stayInside, noPasswords()], { reads: ['search', 'computer_click'] })
  const stayInside = `
  - id: stay-inside
    type: pre
    tool: computer_type
    when: { args.text: { contains: sudo } }
    then: { effect: deny, message: No administrator. }
`
  const search = (run) => betaTool({ name: 'search', inputSchema: { type: 'object' }, run })
  const scenario = { guard: guard(), options: {}, calls: [{ id: 'c1', tool: 'search', args: {} }] }

  it('content blocks stay blocks and are redacted inside', async () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    const tool = search(() => [{ type: 'text', text: 'found password=one' }, image])
    const [result] = resultsIn(await runner(scenario, [tool]))
    expect(result.content).toEqual([{ type: 'text', text: 'found [REDACTED]' }, image])
    expect(result.is_error).toBeUndefined()
  })

  it('a denial and an error are results marked as errors, and nothing else of them is sent', async () => {
    const thrown = search(() => {
      throw new ToolError([{ type: 'text', text: 'no luck with password=two' }])
    })
    const [result] = resultsIn(await runner(scenario, [thrown]))
    expect(result).toMatchObject({ is_error: true, content: 'Error: no luck with [REDACTED]' })
  })

  it('the tools of a toolset are guarded under the names of toolset and tool', async () => {
    const ran = []
    const toolset = {
      type: 'computer_toolset_20260801',
      run: (_context, { name, input }) => {
        ran.push([name, input])
        return [{ type: 'text', text: 'clicked password=three' }]
      },
    }
    const calls = [
      { id: 'c1', tool: 'click', args: { x: 1 }, toolset_name: 'computer' },
      { id: 'c2', tool: 'type', args: { text: 'sudo reboot' }, toolset_name: 'computer' },
    ]
    const told = toldIn(await runner({ ...scenario, guard: guard(), calls }, [toolset]))
    expect(ran).toEqual([['click', { x: 1 }]])
    expect(told.get('c1')).toContain('clicked [REDACTED]')
    expect(told.get('c2')).toContain('DENIED: No administrator.')
  })

  it('tools of the provider are left to it', () => {
    const elsewhere = { type: 'web_search_20250305', name: 'web_search' }
    expect(new AnthropicAdapter(guard()).guardTools([elsewhere])[0]).toBe(elsewhere)
  })

  it('in a loop of your own a call of a tool that is not there is answered', async () => {
    const told = await playLoop({ ...scenario, tools: {} })
    expect(told.get('c1')).toBe('"Error: there is no tool `search`"')
  })
})
