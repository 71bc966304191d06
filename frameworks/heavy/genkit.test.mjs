// @ts-check
// Genkit itself, with a scripted model.
import { generateMiddleware, genkit, z } from 'genkit/beta'
import { logger } from 'genkit/logging'
import { describe, expect, it } from 'vitest'
import { GenkitAdapter } from '../../packages/edictum/dist/adapters/genkit/index.js'
import { Edictum } from '../../packages/edictum/dist/index.js'
import { actionsOf, describeFramework, guardWith, inTheCall, noPasswords } from '../suite.mjs'

logger.setLogLevel('error')

/** A model that makes the calls in its first turn and answers in its second; keeps what it was sent. */
const scripted = (ai, calls, requests) =>
  ai.defineModel({ name: 'scripted', supports: { tools: true, multiturn: true } }, async ({ messages }) => {
    requests.push(structuredClone(messages))
    const content =
      requests.length === 1
        ? calls.map(({ id, tool, args }) => ({ toolRequest: { ref: id, name: tool, input: args } }))
        : [{ text: 'done' }]
    return { message: { role: 'model', content }, finishReason: 'stop' }
  })

const responsesIn = (messages) =>
  messages
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content.map((part) => part.toolResponse))

const run = async ({ guard, options, calls, signal }, define, settings = {}) => {
  const ai = genkit({})
  const requests = []
  const model = scripted(ai, calls, requests)
  const guarded = new GenkitAdapter(guard, options).middleware(generateMiddleware)
  const tools = define(ai)
  const generated = await ai.generate({
    model,
    prompt: 'go',
    tools,
    use: [guarded()],
    abortSignal: signal,
    ...settings,
  })
  const answers = requests[1] === undefined ? [] : responsesIn(requests[1])
  return {
    ai,
    model,
    tools,
    guarded,
    requests,
    generated,
    told: new Map(answers.map(({ ref, output }) => [ref, JSON.stringify(output)])),
  }
}

const toolOf = (ai, name, execute) =>
  ai.defineTool({ name, description: 'scripted', inputSchema: z.object({}).passthrough() }, execute)

const play = async (scenario) => {
  const { told } = await run(scenario, (ai) =>
    Object.entries(scenario.tools).map(([name, execute]) =>
      toolOf(ai, name, async (args, { abortSignal }) => execute(args, { signal: abortSignal })),
    ),
  )
  return told
}

describeFramework('Genkit', {
  package: 'genkit',
  adapter: 'genkit',
  ...inTheCall,
  play,
  selfTest: () => new GenkitAdapter(new Edictum()).selfTest(),
  limits: {
    'a tool may be called constructor': 'Genkit itself refuses a tool of that name as a duplicate',
  },
})

describe('genkit, beside the common behaviours', () => {
  const scenario = (options = {}) => ({
    guard: guardWith([noPasswords()], { reads: ['search'] }),
    options,
    calls: [{ id: 'c1', tool: 'search', args: {} }],
  })

  it('the parts of a multipart answer are redacted too', async () => {
    const { requests } = await run(scenario(), (ai) => [
      ai.defineTool({ name: 'search', description: 'scripted', multipart: true }, async () => ({
        output: { found: 'password=one' },
        content: [{ text: 'password=two' }],
      })),
    ])
    expect(responsesIn(requests[1])).toMatchObject([
      { output: { found: '[REDACTED]' }, content: [{ text: '[REDACTED]' }] },
    ])
  })

  it('a tool that interrupts the generation is judged again when it goes on', async () => {
    const asked = scenario()
    const { ai, model, tools, guarded, generated, requests } = await run(asked, (given) => [
      toolOf(given, 'search', async (_args, { interrupt, resumed }) =>
        resumed ? 'password=three' : interrupt({ question: 'sure?' }),
      ),
    ])
    expect(generated.finishReason).toBe('interrupted')
    const [part] = generated.interrupts
    await ai.generate({
      model,
      tools,
      use: [guarded()],
      messages: generated.messages,
      resume: { restart: [tools[0].restart(part, true)] },
    })
    expect(JSON.stringify(responsesIn(requests[1]))).toContain('[REDACTED]')
  })

  it('the context of a generation tells sessions apart', async () => {
    const contexts = []
    const options = { sessionId: ({ context }) => void contexts.push(context) }
    await run(scenario(options), (ai) => [toolOf(ai, 'search', async () => 'found')], {
      context: { auth: { uid: 'ada' } },
    })
    expect(contexts).toEqual([{ auth: { uid: 'ada' } }])
  })

  it('two guards are not taken for each other', async () => {
    const [one, other] = [scenario(), scenario()]
    const second = new GenkitAdapter(other.guard).middleware(generateMiddleware)
    const ai = genkit({})
    const requests = []
    const model = scripted(ai, one.calls, requests)
    const first = new GenkitAdapter(one.guard).middleware(generateMiddleware)
    const tools = [toolOf(ai, 'search', async () => 'found')]
    await ai.generate({ model, prompt: 'go', tools, use: [first(), second()] })
    for (const { guard } of [one, other]) expect(actionsOf(guard)).toEqual(['call_allowed', 'call_executed'])
  })
})
