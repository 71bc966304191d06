// @ts-check
// The Vercel AI SDK itself, in every version we support, with its own mock model.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { VercelAIAdapter } from '../packages/edictum/dist/adapters/vercel-ai/index.js'
import { Edictum } from '../packages/edictum/dist/index.js'
import { describeFramework, guardWith, inTheCall, noPasswords, refusalsStayInside } from './suite.mjs'

const versions = [
  {
    name: 'ai 5',
    alias: 'ai-5',
    sdk: await import('ai-5'),
    model: (await import('ai-5/test')).MockLanguageModelV2,
  },
  {
    name: 'ai 6',
    alias: 'ai-6',
    sdk: await import('ai-6'),
    model: (await import('ai-6/test')).MockLanguageModelV3,
  },
  {
    name: 'ai 7',
    alias: 'ai-7',
    sdk: await import('ai-7'),
    model: (await import('ai-7/test')).MockLanguageModelV4,
  },
]

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

for (const { name, alias, sdk, model: Model } of versions) {
  const flatUsage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  const used = name === 'ai 5' ? flatUsage : usage
  const finish = (reason) => (name === 'ai 5' ? reason : { unified: reason, raw: reason })

  /** A model that makes the calls in its first step and answers in its second. */
  const scripted = (calls, prompts) =>
    new Model({
      doGenerate: async ({ prompt }) => {
        prompts.push(prompt)
        const content =
          prompts.length === 1
            ? calls.map(({ id, tool, args }) => ({
                type: 'tool-call',
                toolCallId: id,
                toolName: tool,
                input: JSON.stringify(args),
              }))
            : [{ type: 'text', text: 'done' }]
        const finishReason = finish(prompts.length === 1 ? 'tool-calls' : 'stop')
        return { content, finishReason, usage: used, warnings: [] }
      },
    })

  const toolSet = (tools) =>
    Object.fromEntries(
      Object.entries(tools).map(([toolName, run]) => [
        toolName,
        sdk.tool({
          // Without a check of its own, so that whatever the model sends gets as far as the guard.
          inputSchema: sdk.jsonSchema({ type: 'object' }),
          execute: async (args, { abortSignal }) => run(args, { signal: abortSignal }),
        }),
      ]),
    )

  const play = async ({ guard, tools, calls, options, signal }) => {
    const prompts = []
    await sdk.generateText({
      model: scripted(calls, prompts),
      prompt: 'go',
      tools: new VercelAIAdapter(guard, options).guardTools(toolSet(tools)),
      stopWhen: sdk.stepCountIs(2),
      abortSignal: signal,
      maxRetries: 0,
    })
    const parts = prompts[1].filter(({ role }) => role === 'tool').flatMap(({ content }) => content)
    return new Map(parts.map(({ toolCallId, output }) => [toolCallId, JSON.stringify(output)]))
  }

  describeFramework(`Vercel ${name}`, {
    package: alias,
    adapter: 'vercel-ai',
    // Version 5 has no pause of its own.
    ...(name === 'ai 5' ? inTheCall : refusalsStayInside),
    play,
    selfTest: () => new VercelAIAdapter(new Edictum()).selfTest(),
  })

  describe(`${name}, beside the common behaviours`, () => {
    const guard = () => guardWith([noPasswords()], { reads: ['search'] })

    it('a generator tool is drained, and only what contracts have seen is passed on', async () => {
      const prompts = []
      const search = sdk.tool({
        inputSchema: z.looseObject({}),
        async *execute() {
          yield 'half: password=one'
          yield 'whole: password=two'
        },
      })
      const result = sdk.generateText({
        model: scripted([{ id: 'c1', tool: 'search', args: {} }], prompts),
        prompt: 'go',
        tools: new VercelAIAdapter(guard()).guardTools({ search }),
        stopWhen: sdk.stepCountIs(2),
      })
      const seen = JSON.stringify([prompts, (await result).steps])
      expect(seen).toContain('whole: [REDACTED]')
      expect(seen).not.toContain('password=')
    })

    it('a tool without `execute` is left to whoever runs it', () => {
      const elsewhere = sdk.tool({ inputSchema: z.looseObject({}) })
      expect(new VercelAIAdapter(guard()).guardTools({ elsewhere }).elsewhere).toBe(elsewhere)
    })
  })
}
