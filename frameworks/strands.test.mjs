// @ts-check
// Strands Agents itself, the newest version for Node 20 and the newest of all, with a scripted model.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { StrandsAdapter } from '../packages/edictum/dist/adapters/strands/index.js'
import { Edictum } from '../packages/edictum/dist/index.js'
import { actionsOf, describeFramework, guardWith, inTheCall, noPasswords } from './suite.mjs'

const versions = [
  { name: 'Strands 1.16', alias: 'strands-1.16', sdk: await import('strands-1.16') },
  { name: 'Strands 1.19', alias: 'strands-1.19', sdk: await import('strands-1.19') },
]

for (const { name, alias, sdk } of versions) {
  /** Makes the calls in its first turn and answers in its second; keeps what it was sent. */
  class ScriptedModel extends sdk.Model {
    requests = []

    constructor(calls) {
      super()
      this.calls = calls
    }

    updateConfig() {}

    getConfig() {
      return { modelId: 'scripted' }
    }

    async *stream(messages) {
      this.requests.push(JSON.parse(JSON.stringify(messages)))
      const calls = this.requests.length === 1 ? this.calls : []
      yield { type: 'modelMessageStartEvent', role: 'assistant' }
      for (const { id, tool, args } of calls) {
        yield {
          type: 'modelContentBlockStartEvent',
          start: { type: 'toolUseStart', name: tool, toolUseId: id },
        }
        yield {
          type: 'modelContentBlockDeltaEvent',
          delta: { type: 'toolUseInputDelta', input: JSON.stringify(args) },
        }
        yield { type: 'modelContentBlockStopEvent' }
      }
      if (calls.length === 0) {
        yield { type: 'modelContentBlockStartEvent' }
        yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text: 'done' } }
        yield { type: 'modelContentBlockStopEvent' }
      }
      yield { type: 'modelMessageStopEvent', stopReason: calls.length > 0 ? 'toolUse' : 'endTurn' }
    }
  }

  const agentWith = ({ guard, options, calls }, tools) => {
    const model = new ScriptedModel(calls)
    const plugins = [new StrandsAdapter(guard, options).plugin(sdk)]
    return { model, agent: new sdk.Agent({ model, tools, plugins, printer: false }) }
  }

  const toolOf = (toolName, callback) =>
    sdk.tool({ name: toolName, description: 'scripted', inputSchema: z.looseObject({}), callback })

  const resultsIn = ({ requests }) =>
    requests[1]
      .at(-1)
      .content.map(({ toolResult }) => toolResult)
      .filter(Boolean)

  const told = (model) =>
    new Map(resultsIn(model).map(({ toolUseId, content }) => [toolUseId, JSON.stringify(content)]))

  const play = async (scenario) => {
    const tools = Object.entries(scenario.tools).map(([toolName, run]) =>
      toolOf(toolName, async (args, context) => run(args, { signal: context.cancelSignal })),
    )
    const { agent, model } = agentWith(scenario, tools)
    await agent.invoke('go', { cancelSignal: scenario.signal })
    return told(model)
  }

  describeFramework(name, {
    package: alias,
    adapter: 'strands',
    ...inTheCall,
    play,
    selfTest: () => new StrandsAdapter(new Edictum()).selfTest(),
  })

  describe(`${name}, beside the common behaviours`, () => {
    const scenario = (calls = [{ id: 'c1', tool: 'search', args: {} }]) => ({
      guard: guardWith([noPasswords()], { reads: ['search'] }),
      options: {},
      calls,
    })

    it('what a tool says on the way is not passed on, and the end of it is redacted', async () => {
      const search = toolOf('search', async function* () {
        yield 'half: password=one'
        return 'whole: password=two'
      })
      const { agent, model } = agentWith(scenario(), [search])
      const seen = []
      for await (const event of agent.stream('go')) seen.push(JSON.stringify(event))
      expect(told(model).get('c1')).toBe('[{"text":"whole: [REDACTED]"}]')
      expect(seen.join('\n')).not.toContain('password=')
    })

    it('the result of a failed tool stays marked as an error', async () => {
      const search = toolOf('search', () => {
        throw new Error('password=three')
      })
      const { agent, model } = agentWith(scenario(), [search])
      await agent.invoke('go')
      expect(resultsIn(model)).toMatchObject([{ status: 'error' }])
      expect(told(model).get('c1')).toContain('[REDACTED]')
    })

    it('a call of a tool that is not there is on record too', async () => {
      const asked = scenario([{ id: 'c1', tool: 'nowhere', args: {} }])
      const { agent, model } = agentWith(asked, [])
      await agent.invoke('go')
      expect(told(model).get('c1')).toContain("Tool 'nowhere' not found")
      expect(actionsOf(asked.guard)).toEqual(['call_allowed', 'call_failed'])
    })

    it('a tool that asks a person through the SDK pauses the run and goes on with the answer', async () => {
      const search = toolOf('search', (_args, context) => `answer: ${context.interrupt({ name: 'sure' })}`)
      const { agent, model } = agentWith(scenario(), [search])
      const paused = await agent.invoke('go')
      expect(paused.stopReason).toBe('interrupt')
      const [{ id: interruptId }] = paused.interrupts
      await agent.invoke([{ interruptResponse: { interruptId, response: 'password=four' } }])
      expect(told(model).get('c1')).toContain('answer: [REDACTED]')
    })

    it('the invocation state tells sessions apart', async () => {
      const states = []
      const options = { sessionId: ({ invocationState }) => void states.push(invocationState.thread) }
      const { agent } = agentWith({ ...scenario(), options }, [toolOf('search', () => 'found')])
      await agent.invoke('go', { invocationState: { thread: 't7' } })
      expect(states).toEqual(['t7'])
    })
  })
}
