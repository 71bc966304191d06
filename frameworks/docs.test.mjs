// @ts-check
// The programs in the documentation that need a framework (```js framework), run with the framework itself. Those that ask a
// provider for a model get one that is scripted.
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { placeOf, promisesOf, readDocuments, tryBlock } from '../scripts/documentation.mjs'
import { startProvider } from './scripted-provider.mjs'

const here = 'frameworks/node_modules'
const heavy = 'frameworks/heavy/node_modules'
const readDotenv = { tool: 'read_file', args: { path: '.env' } }

/**
 * What the programs of a page import, where that is here, and which calls the model wants to make that each of them asks.
 * @type {Record<string, { packages: Record<string, string>, turns?: { tool: string, args: object }[][] }>}
 */
const pages = {
  'anthropic.md': { packages: { '@anthropic-ai/sdk': `${here}/anthropic-1` }, turns: [[readDotenv]] },
  'claude-agent-sdk.md': {
    packages: {
      '@anthropic-ai/claude-agent-sdk': `${heavy}/@anthropic-ai/claude-agent-sdk`,
      zod: `${heavy}/zod`,
    },
    turns: [
      [
        { tool: 'Read', args: { file_path: '.env' } },
        { tool: 'mcp__greetings__greet', args: { name: 'Ada' } },
      ],
    ],
  },
  'genkit.md': { packages: { genkit: `${heavy}/genkit` } },
  'google-adk.md': {
    packages: { '@google/adk': `${heavy}/@google/adk`, zod: `${heavy}/zod` },
    turns: [[readDotenv]],
  },
  'langchain.md': {
    packages: {
      '@langchain/langgraph': `${here}/@langchain/langgraph`,
      langchain: `${here}/langchain`,
      zod: `${here}/zod`,
    },
  },
  'mastra.md': {
    packages: { '@mastra/core': `${heavy}/mastra-1`, zod: `${heavy}/zod` },
    turns: [[readDotenv], [{ tool: 'deploy', args: { service: 'web' } }]],
  },
  'mcp.md': {
    packages: {
      '@modelcontextprotocol/sdk': `${here}/@modelcontextprotocol/sdk`,
      '@modelcontextprotocol/server-filesystem': `${here}/@modelcontextprotocol/server-filesystem`,
      zod: `${here}/zod`,
      '.bin': `${here}/.bin`,
    },
  },
  'openai-agents.md': {
    packages: { '@openai/agents': `${here}/@openai/agents`, zod: `${here}/zod` },
    turns: [[{ tool: 'delete_record', args: { id: 'r-17' } }]],
  },
  'openai.md': { packages: { openai: `${here}/openai-7` }, turns: [[readDotenv]] },
  'strands.md': {
    packages: { '@strands-agents/sdk': `${here}/strands-1.19`, zod: `${here}/zod` },
    turns: [[readDotenv]],
  },
  'vercel-ai.md': { packages: { ai: `${here}/ai-6`, zod: `${here}/zod` } },
}

const documents = await readDocuments()
const programs = documents.flatMap((document) =>
  document.page.blocks
    .filter(({ words }) => words.includes('framework'))
    .map((block, position) => {
      const { packages, turns = [] } = pages[basename(document.file)] ?? { packages: {} }
      return { place: placeOf(document, block), document, block, packages, calls: turns[position] ?? [] }
    }),
)

// On a machine that is busy with other tests some of these frameworks take their time to load.
describe('the documentation of frameworks', { timeout: 180_000 }, () => {
  it('shows a program for each of them', () => {
    expect(new Set(programs.map(({ document }) => basename(document.file)))).toEqual(
      new Set(Object.keys(pages)),
    )
  })

  it.each(programs)('does what it says in $place', async ({ document, block, packages, calls }) => {
    expect(promisesOf(block)).not.toEqual([])
    const provider = await startProvider(calls)
    try {
      const { environment } = provider
      expect(await tryBlock(document, block, { packages, environment })).toBe('')
    } finally {
      await provider.close()
    }
  })
})
