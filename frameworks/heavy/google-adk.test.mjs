// @ts-check
// Google ADK itself, with a scripted model. It runs the calls of one step one after another.
import { BaseLlm, BasePlugin, FunctionTool, InMemoryRunner, LlmAgent, setLogLevel } from '@google/adk'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { GoogleADKAdapter } from '../../packages/edictum/dist/adapters/google-adk/index.js'
import { Edictum } from '../../packages/edictum/dist/index.js'
import { actionsOf, describeFramework, guardWith, inTheCall, noDotenv, noPasswords } from '../suite.mjs'

setLogLevel(3)

/** Makes the calls in its first turn and answers in its second; keeps what it was sent. */
class ScriptedModel extends BaseLlm {
  requests = []

  constructor(calls) {
    super({ model: 'scripted' })
    this.calls = calls
  }

  async *generateContentAsync({ contents }) {
    this.requests.push(structuredClone(contents))
    const parts =
      this.requests.length === 1
        ? this.calls.map(({ id, tool, args }) => ({ functionCall: { id, name: tool, args } }))
        : [{ text: 'done' }]
    yield { content: { role: 'model', parts }, turnComplete: true }
  }

  async connect() {
    throw new Error('not scripted')
  }
}

const toolOf = (name, execute) =>
  new FunctionTool({ name, description: 'scripted', parameters: z.looseObject({}), execute })

const run = async ({ guard, options, calls, signal }, tools, { plugins = [], callbacks = {} } = {}) => {
  const model = new ScriptedModel(calls)
  const agent = new LlmAgent({ name: 'agent', model, tools, ...callbacks })
  const plugin = new GoogleADKAdapter(guard, options).asPlugin(BasePlugin)
  const runner = new InMemoryRunner({ agent, appName: 'app', plugins: [plugin, ...plugins] })
  const { id } = await runner.sessionService.createSession({ appName: 'app', userId: 'ada' })
  const newMessage = { role: 'user', parts: [{ text: 'go' }] }
  const events = []
  for await (const event of runner.runAsync({
    userId: 'ada',
    sessionId: id,
    newMessage,
    abortSignal: signal,
  }))
    events.push(event)
  const answered = events
    .flatMap(({ content }) => content?.parts ?? [])
    .filter((part) => part.functionResponse)
  const sent = (model.requests[1] ?? []).flatMap(({ parts }) => parts).filter((part) => part.functionResponse)
  expect(sent.map((part) => part.functionResponse.response)).toEqual(
    answered.map((part) => part.functionResponse.response),
  )
  return new Map(
    answered.map(({ functionResponse: { id: callId, response } }) => [callId, JSON.stringify(response)]),
  )
}

const play = async (scenario) =>
  run(
    scenario,
    Object.entries(scenario.tools).map(([name, execute]) =>
      toolOf(name, async (args, context) => execute(args, { signal: context.abortSignal })),
    ),
  )

describeFramework('Google ADK', {
  package: '@google/adk',
  adapter: 'google-adk',
  ...inTheCall,
  play,
  selfTest: () => new GoogleADKAdapter(new Edictum()).selfTest(),
  limits: {
    'a tool may be called constructor': 'ADK itself refuses a tool of that name as a duplicate',
  },
})

describe('@google/adk, beside the common behaviours', () => {
  const scenario = (args = {}, options = {}) => ({
    guard: guardWith([noDotenv(), noPasswords()], { reads: ['read_file'] }),
    options,
    calls: [{ id: 'c1', tool: 'read_file', args }],
  })

  it('a denial is an answer with an error', async () => {
    const told = await run(scenario({ path: '.env' }), [toolOf('read_file', () => 'text')])
    expect(told.get('c1')).toBe('{"error":"DENIED: Not that file."}')
  })

  it('arguments that a later callback changes are judged as what the tool gets', async () => {
    let runs = 0
    const beforeToolCallback = ({ args }) => {
      args.path = '.env'
      return undefined
    }
    const told = await run(scenario({ path: 'a.md' }), [toolOf('read_file', () => ++runs)], {
      callbacks: { beforeToolCallback },
    })
    expect(runs).toBe(0)
    expect(told.get('c1')).toContain('DENIED: Not that file.')
  })

  it('other plugins see results and errors redacted', async () => {
    const seen = []
    class Watcher extends BasePlugin {
      async afterToolCallback({ result }) {
        seen.push(JSON.stringify(result))
      }

      async onToolErrorCallback({ error }) {
        seen.push(error.message)
      }
    }
    const options = { plugins: [new Watcher('watcher')] }
    const fail = () => {
      throw new Error('password=two')
    }
    await run(scenario(), [toolOf('read_file', () => ({ text: 'password=one' }))], options)
    await run(scenario(), [toolOf('read_file', fail)], options)
    expect(seen.join(' ')).toContain('[REDACTED]')
    expect(seen.join(' ')).not.toContain('password=')
  })

  it('an answer with an error is a failure on record', async () => {
    const asked = scenario()
    await run(asked, [toolOf('read_file', () => ({ error: 'no such file' }))])
    expect(actionsOf(asked.guard)).toEqual(['call_allowed', 'call_failed'])
  })

  it('a tool that cannot be guarded does not run', async () => {
    let runs = 0
    const told = await run(scenario(), [Object.freeze(toolOf('read_file', () => ++runs))])
    expect(runs).toBe(0)
    expect(told.get('c1')).toContain('DENIED: the tool read_file cannot be guarded')
  })

  it('a tool that two runners share is judged once, by the guard of the runner', async () => {
    const tool = toolOf('read_file', () => 'text')
    const [one, other] = [scenario(), scenario()]
    await run(one, [tool])
    await run(other, [tool])
    for (const { guard } of [one, other]) expect(actionsOf(guard)).toEqual(['call_allowed', 'call_executed'])
  })

  it('user, session and agent are told to the resolvers and kept with the call', async () => {
    const users = []
    const asked = scenario(
      {},
      { principal: ({ userId, sessionId }) => void users.push([userId, typeof sessionId]) },
    )
    await run(asked, [toolOf('read_file', () => 'text')])
    expect(users).toEqual([['ada', 'string']])
  })
})
