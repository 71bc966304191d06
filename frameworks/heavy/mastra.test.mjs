// @ts-check
// Mastra itself, the last version that declares Node 20 and the newest, with a scripted model.
import { Agent } from 'mastra-1/agent'
import { Mastra } from 'mastra-1/mastra'
import { InMemoryStore } from 'mastra-1/storage'
import { createTool } from 'mastra-1/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { MastraAdapter } from '../../packages/edictum/dist/adapters/mastra/index.js'
import { answerApproval, Edictum } from '../../packages/edictum/dist/index.js'
import { actionsOf, askBefore, describeFramework, guardWith, inTheCall, noDotenv } from '../suite.mjs'

const versions = [
  {
    name: 'Mastra 0.24',
    alias: 'mastra-0',
    agents: await import('mastra-0/agent'),
    tools: await import('mastra-0/tools'),
  },
  {
    name: 'Mastra 1.71',
    alias: 'mastra-1',
    agents: await import('mastra-1/agent'),
    tools: await import('mastra-1/tools'),
  },
]

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

/** Makes the calls in its first step and answers in its second; keeps what it was sent. */
const scripted = (calls, prompts) => {
  const step = (prompt) => {
    prompts.push(prompt)
    const isFirst = prompts.length === 1
    const content = isFirst
      ? calls.map(({ id, tool, args }) => ({
          type: 'tool-call',
          toolCallId: id,
          toolName: tool,
          input: JSON.stringify(args),
        }))
      : [{ type: 'text', text: 'done' }]
    return { content, finishReason: isFirst ? 'tool-calls' : 'stop', usage, warnings: [] }
  }
  return {
    specificationVersion: 'v2',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: async ({ prompt }) => step(prompt),
    doStream: async ({ prompt }) => {
      const { content, finishReason } = step(prompt)
      const parts = content.flatMap((part) =>
        part.type === 'text'
          ? [
              { type: 'text-start', id: '1' },
              { type: 'text-delta', id: '1', delta: part.text },
              { type: 'text-end', id: '1' },
            ]
          : [part],
      )
      return {
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: 'stream-start', warnings: [] })
            for (const part of parts) controller.enqueue(part)
            controller.enqueue({ type: 'finish', finishReason, usage })
            controller.close()
          },
        }),
      }
    },
  }
}

const toldIn = (prompts) =>
  new Map(
    prompts[1]
      .filter(({ role }) => role === 'tool')
      .flatMap(({ content }) => content)
      .map(({ toolCallId, output }) => [toolCallId, JSON.stringify(output)]),
  )

for (const { name, alias, agents, tools: sdk } of versions) {
  const isOld = alias === 'mastra-0'

  /** `execute(args, signal)` in the signature of the version. */
  const toolOf = (id, execute, inputSchema = z.looseObject({})) =>
    sdk.createTool({
      id,
      description: 'scripted',
      inputSchema,
      execute: isOld
        ? async ({ context }, { abortSignal }) => execute(context, abortSignal)
        : async (input, { abortSignal }) => execute(input, abortSignal),
    })

  const run = async ({ guard, options, calls, signal }, tools) => {
    const prompts = []
    const agent = new agents.Agent({
      id: 'agent',
      name: 'agent',
      instructions: 'scripted',
      model: scripted(calls, prompts),
      tools: new MastraAdapter(guard, options).guardTools(tools),
    })
    await agent.generate('go', { maxSteps: 2, abortSignal: signal })
    return toldIn(prompts)
  }

  const play = async (scenario) =>
    run(
      scenario,
      Object.fromEntries(
        Object.entries(scenario.tools).map(([tool, execute]) => [
          tool,
          toolOf(tool, (args, signal) => execute(args, { signal })),
        ]),
      ),
    )

  describeFramework(name, {
    package: alias,
    adapter: 'mastra',
    approvals: isOld ? inTheCall.approvals : 'in the call, or by `suspend`',
    play,
    limits: {
      'arguments that are no object never run, and are on record': isOld
        ? 'Mastra 0.24 itself refuses them by the schema, before anybody is asked'
        : 'Mastra 1.x makes an object of a list before anybody is asked; that object is judged and on record',
    },
    selfTest: () => new MastraAdapter(new Edictum()).selfTest(),
  })

  describe(`${name}, beside the common behaviours`, () => {
    const scenario = (args = {}, options = {}) => ({
      guard: guardWith([noDotenv()], { reads: ['read_file'] }),
      options,
      calls: [{ id: 'c1', tool: 'read_file', args }],
    })

    it('arguments that look like the other version’s are judged as what the tool gets', async () => {
      const seen = []
      const tools = { read_file: toolOf('read_file', (args) => void seen.push(args)) }
      const disguised = { path: '.env', context: { path: 'a.md' }, runtimeContext: { get: 'x' } }
      expect((await run(scenario(disguised), tools)).get('c1')).toContain('DENIED: Not that file.')
      expect(seen).toEqual([])
    })

    it('a tool is known by the name the agent gives it', async () => {
      const tools = { read_file: toolOf('another-id', () => 'text') }
      expect((await run(scenario({ path: '.env' }), tools)).get('c1')).toContain('DENIED: Not that file.')
    })

    it('who calls is told to the resolvers', async () => {
      const contexts = []
      const options = { sessionId: (context) => void contexts.push(context) }
      await run(scenario({}, options), { read_file: toolOf('read_file', () => 'text') })
      expect(contexts).toMatchObject([{ toolName: 'read_file', toolCallId: 'c1' }])
      expect(typeof contexts[0].requestContext.get).toBe('function')
    })

    it('arguments the schema refuses end in a failure on record', async () => {
      const asked = scenario()
      const tool = toolOf('read_file', () => 'text', z.object({ id: z.string() }))
      const { read_file } = new MastraAdapter(asked.guard).guardTools({ read_file: tool })
      const first = isOld ? { context: { id: 7 }, runtimeContext: new Map() } : { id: 7 }
      expect(await read_file.execute(first, {})).toMatchObject({ error: true })
      expect(actionsOf(asked.guard)).toEqual(['call_allowed', 'call_failed'])
    })

    it('a guarded tool is still a tool of Mastra', () => {
      const tool = toolOf('read_file', () => 'text')
      const { read_file } = new MastraAdapter(scenario().guard).guardTools({ read_file: tool })
      expect(read_file).toBeInstanceOf(sdk.Tool)
      expect(read_file.inputSchema).toBe(tool.inputSchema)
    })
  })
}

describe('Mastra 1.71, approvals that suspend the run', () => {
  const deploying = () => {
    const guard = guardWith([askBefore('deploy')])
    const ran = []
    const prompts = []
    const deploy = createTool({
      id: 'deploy',
      description: 'scripted',
      inputSchema: z.looseObject({}),
      execute: async ({ service }) => ({ deployed: ran.push(service) }),
    })
    const agent = new Agent({
      id: 'agent',
      name: 'agent',
      instructions: 'scripted',
      model: scripted([{ id: 'c1', tool: 'deploy', args: { service: 'web' } }], prompts),
      tools: new MastraAdapter(guard, { approvals: 'suspend' }).guardTools({ deploy }),
    })
    const storage = new InMemoryStore()
    const mastra = new Mastra({ agents: { agent }, storage, logger: false })
    const start = async () => mastra.getAgent('agent').generate('go', { maxSteps: 2 })
    const goOn = async ({ runId }, reply) =>
      mastra.getAgent('agent').resumeGenerate(reply, { runId, toolCallId: 'c1' })
    return { guard, ran, start, goOn, told: () => toldIn(prompts).get('c1') }
  }

  it('the run stops with the question, and goes on with the answer', async () => {
    const { guard, ran, start, goOn, told } = deploying()
    const paused = await start()
    expect(paused.finishReason).toBe('suspended')
    const question = paused.suspendPayload.suspendPayload
    expect(question).toMatchObject({ message: 'Deploy web?', toolArgs: { service: 'web' } })
    expect(ran).toEqual([])
    await goOn(paused, answerApproval(question, { approved: true }))
    expect(ran).toEqual(['web'])
    expect(told()).toContain('deployed')
    expect(actionsOf(guard)).toEqual(['call_approval_requested', 'call_approval_granted', 'call_executed'])
  })

  it('a refusal is told to the model and on record, and a plain yes is none', async () => {
    const refused = deploying()
    const paused = await refused.start()
    const question = paused.suspendPayload.suspendPayload
    await refused.goOn(paused, answerApproval(question, { approved: false, reason: 'Not on a Friday.' }))
    expect(refused.ran).toEqual([])
    expect(refused.told()).toContain('DENIED: Not on a Friday.')
    expect(actionsOf(refused.guard)).toEqual(['call_approval_requested', 'call_approval_denied'])
    const careless = deploying()
    await careless.goOn(await careless.start(), { approved: true })
    expect(careless.ran).toEqual([])
  })

  it('a version that cannot suspend denies', async () => {
    const guard = guardWith([askBefore('deploy')])
    let runs = 0
    const tools = { deploy: { execute: async () => ++runs } }
    const { deploy } = new MastraAdapter(guard, { approvals: 'suspend' }).guardTools(tools)
    await expect(deploy.execute({ service: 'web' }, {})).rejects.toThrow('Approval could not be obtained')
    expect(runs).toBe(0)
    expect(actionsOf(guard)).toEqual(['call_denied'])
  })
})
