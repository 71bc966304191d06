// One call that must be denied, through each framework as it is installed in the user's project. Where the framework can be
// run without a model of somebody else, a scripted one runs it; elsewhere the adapter's own probe has to do.
import { AnthropicAdapter } from '../adapters/anthropic/index.js'
import { ClaudeAgentSDKAdapter } from '../adapters/claude-agent-sdk/index.js'
import { GenkitAdapter } from '../adapters/genkit/index.js'
import { GoogleADKAdapter } from '../adapters/google-adk/index.js'
import { LangChainAdapter, type ToolMessageClass } from '../adapters/langchain/index.js'
import { MastraAdapter } from '../adapters/mastra/index.js'
import { MCPAdapter, type MCPProtocolServer } from '../adapters/mcp/index.js'
import { OpenAIAdapter } from '../adapters/openai/index.js'
import { OpenAIAgentsAdapter, type OpenAIAgentsTool } from '../adapters/openai-agents/index.js'
import { StrandsAdapter } from '../adapters/strands/index.js'
import { VercelAIAdapter } from '../adapters/vercel-ai/index.js'
import { Edictum } from '../edictum.js'
import type { CallGuard } from '../guard/passage.js'
import { probeWiring, type SelfTest } from '../guard/self-test.js'
import type { ProjectPackage } from './project-package.js'

export interface FrameworkProbe {
  /** All of them are needed. */
  readonly packages: readonly string[]
  probe(found: readonly ProjectPackage[]): Promise<SelfTest>
}

type Wire = (guard: CallGuard, handler: () => string) => Promise<unknown>

/** The modules of a package the probe is made of are whatever the installed version has. */
type Modules = readonly Readonly<Record<string, never>>[]

export const frameworkProbes: readonly FrameworkProbe[] = [
  real(['ai'], ['.'], ([ai]) => async (guard, handler) => {
    const { generateText, jsonSchema, tool } = ai as unknown as VercelAI
    const probe = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => handler() })
    const tools = new VercelAIAdapter(guard).guardTools({ probe })
    await generateText({ model: scriptedModel(ai), prompt: 'go', tools, maxRetries: 0 })
  }),
  real(['langchain'], ['.'], ([langchain]) => async (guard, handler) => {
    const { createAgent, createMiddleware, fakeModel, tool, ToolMessage } = langchain as unknown as LangChain
    const schema = { type: 'object', properties: {} }
    const probe = tool(handler, { name: 'probe', description: 'probe', schema })
    const model = fakeModel()
      .respondWithTools([{ name: 'probe', args: {}, id: 'doctor' }])
      .respond(new Error('the probe is over'))
    const middleware = [createMiddleware(new LangChainAdapter(guard, { ToolMessage }).asMiddleware())]
    await createAgent({ model, tools: [probe], middleware }).invoke({ messages: 'go' })
  }),
  real(
    ['@modelcontextprotocol/sdk'],
    ['./server/index.js', './client/index.js', './inMemory.js', './types.js'],
    (modules) => mcpWire(modules, ({ CallToolRequestSchema }) => CallToolRequestSchema),
  ),
  real(['@modelcontextprotocol/server', '@modelcontextprotocol/client'], ['.'], (modules) =>
    mcpWire(modules, () => 'tools/call'),
  ),
  real(['@openai/agents'], ['.'], ([agents]) => async (guard, handler) => {
    const { RunContext, tool } = agents as unknown as OpenAIAgents
    const parameters = { type: 'object', properties: {}, required: [], additionalProperties: true }
    const probe = tool({ name: 'probe', description: 'probe', strict: false, parameters, execute: handler })
    await new OpenAIAgentsAdapter(guard).guardTool(probe).invoke(new RunContext(), '{}')
  }),
  own(['openai'], (guard) => new OpenAIAdapter(guard)),
  own(['@anthropic-ai/sdk'], (guard) => new AnthropicAdapter(guard)),
  own(['@anthropic-ai/claude-agent-sdk'], (guard) => new ClaudeAgentSDKAdapter(guard)),
  own(['@google/adk'], (guard) => new GoogleADKAdapter(guard)),
  own(['@mastra/core'], (guard) => new MastraAdapter(guard)),
  own(['@strands-agents/sdk'], (guard) => new StrandsAdapter(guard)),
  own(['genkit'], (guard) => new GenkitAdapter(guard)),
]

/** A probe that runs the installed package; `doors` are loaded from each. */
function real(
  packages: readonly string[],
  doors: readonly string[],
  wireWith: (modules: Modules) => Wire,
): FrameworkProbe {
  return {
    packages,
    probe: async (found) => {
      const modules = await Promise.all(
        found.flatMap((one) => doors.map(async (door) => (await one.load(door)) as Modules[number])),
      )
      return probeWiring(wireWith(modules))
    },
  }
}

/** A probe of the adapter alone. */
function own(
  packages: readonly string[],
  adapterWith: (guard: Edictum) => { selfTest(): Promise<SelfTest> },
): FrameworkProbe {
  return {
    packages,
    probe: async () => {
      const { ok, detail } = await adapterWith(new Edictum()).selfTest()
      return { ok, detail: `${detail} (tried with the adapter alone)` }
    },
  }
}

interface VercelAI {
  generateText(options: object): Promise<unknown>
  jsonSchema(schema: object): unknown
  tool<Tool>(tool: Tool): Tool
}

/** Makes the one call. What models look like to the SDK is numbered; it takes its own number and older ones. */
function scriptedModel(ai: object | undefined): object {
  const isFive = ai !== undefined && !('ToolLoopAgent' in ai)
  const reason = 'tool-calls'
  const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 }
  return {
    specificationVersion: isFive ? 'v2' : 'v3',
    provider: 'edictum',
    modelId: 'probe',
    supportedUrls: {},
    doGenerate: async () => ({
      content: [{ type: 'tool-call', toolCallId: 'doctor', toolName: 'probe', input: '{}' }],
      finishReason: isFive ? reason : { unified: reason, raw: reason },
      usage: isFive
        ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
        : { inputTokens: tokens, outputTokens: tokens },
      warnings: [],
    }),
  }
}

interface LangChain {
  createAgent(options: object): { invoke(input: object): Promise<unknown> }
  createMiddleware(middleware: object): object
  fakeModel(): FakeModel
  tool(run: () => string, options: object): object
  readonly ToolMessage: ToolMessageClass
}

interface FakeModel {
  respondWithTools(calls: readonly object[]): FakeModel
  respond(reply: object): FakeModel
}

interface OpenAIAgents {
  readonly RunContext: new () => object
  tool(options: object): OpenAIAgentsTool & { invoke(context: object, input: string): Promise<unknown> }
}

interface Mcp {
  readonly Server: new (
    identity: object,
    options: object,
  ) => MCPProtocolServer & { connect(transport: object): Promise<void> }
  readonly Client: new (identity: object) => {
    connect(transport: object): Promise<void>
    callTool(call: object): Promise<unknown>
    close(): Promise<void>
  }
  readonly InMemoryTransport: { createLinkedPair(): readonly [object, object] }
}

function mcpWire(modules: Modules, callToolOf: (sdk: Readonly<Record<string, unknown>>) => unknown): Wire {
  const sdk = Object.assign({}, ...modules) as Readonly<Record<string, unknown>>
  const { Server, Client, InMemoryTransport } = sdk as unknown as Mcp
  return async (guard, handler) => {
    const identity = { name: 'doctor', version: '1' }
    const server = new MCPAdapter(guard).guardServer(new Server(identity, { capabilities: { tools: {} } }))
    const answer = async (): Promise<object> => ({ content: [{ type: 'text', text: handler() }] })
    server.setRequestHandler(callToolOf(sdk) as never, answer as never)
    const client = new Client(identity)
    const [near, far] = InMemoryTransport.createLinkedPair()
    await Promise.all([server.connect(far), client.connect(near)])
    await client.callTool({ name: 'probe', arguments: {} })
    await client.close()
  }
}
