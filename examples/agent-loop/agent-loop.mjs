// A plain provider loop: a scripted model asks for tools, the runtime runs them, and every call ends in one outcome.
// No network, no keys. Each block shows a call, how it ended, and what the model would be told.
import { fileURLToPath } from 'node:url'

import { Edictum } from 'edictum'
import { createArtifactReader, MemoryArtifactStore } from 'edictum/artifacts'
import { openAiToolCalls, openAiToolMessages, ToolRuntime } from 'edictum/runtime'

const guard = Edictum.fromYaml(fileURLToPath(new URL('./contracts.yaml', import.meta.url)))

const artifacts = new MemoryArtifactStore()
const reader = createArtifactReader(artifacts)

const runtime = new ToolRuntime({
  guard,
  artifacts,
  tools: {
    [reader.name]: reader,
    search: {
      parameters: {
        type: 'object',
        properties: { query: { type: 'string' }, limit: { type: 'integer' } },
        required: ['query'],
      },
      execute: ({ query, limit = 3 }) => ({
        query,
        hits: Array.from({ length: limit }, (_, n) => `page ${n + 1}`),
      }),
    },
    export_logs: { execute: () => 'GET /health 200\n'.repeat(2_000) },
    crawl: { timeoutS: 0.05, execute: () => new Promise(() => {}) },
    send_mail: {
      execute: () => {
        throw Object.assign(new Error('550 mailbox unavailable'), { retryable: false })
      },
    },
  },
})

// What a model would answer, step by step.
const script = [
  [
    ['search', '{"query":"refund policy","limit":"2"}'],
    ['search', '{"query":"refund policy","limit":2}'],
    ['search', '{"limit":2}'],
  ],
  [
    ['export_logs', '{}'],
    ['crawl', '{"url":"https://slow.example"}'],
  ],
  [
    ['send_mail', '{"to":"eve@evil.example"}'],
    ['send_mail', '{"to":"ada@example.com"}'],
    ['send_mail', '{"to":"bob@example.com"}'],
    ['delete_everything', '{}'],
  ],
]
let lastId = 0
const askModel = () => {
  const calls = script.shift()
  return calls === undefined
    ? { role: 'assistant', content: 'Done.' }
    : {
        role: 'assistant',
        tool_calls: calls.map(([name, args]) => ({
          id: `call_${++lastId}`,
          type: 'function',
          function: { name, arguments: args },
        })),
      }
}

const shorten = (text) => (text.length > 240 ? `${text.slice(0, 120)} … ${text.slice(-110)}` : text)

const messages = [{ role: 'user', content: 'Find our refund policy and mail it.' }]
const turn = runtime.startTurn({ maxSteps: 10, maxToolCalls: 20 })
while (turn.budget.claimStep()) {
  const reply = askModel(messages)
  messages.push(reply)
  if (!reply.tool_calls) break
  const outcomes = await turn.run(openAiToolCalls(reply))
  const toolMessages = openAiToolMessages(outcomes)
  messages.push(...toolMessages)
  outcomes.forEach((outcome, index) => {
    const { name, arguments: args } = reply.tool_calls[index].function
    const kind = outcome.kind === 'denied' ? `denied (${outcome.reason})` : outcome.kind
    // Ids of artifacts are random, so that nobody can guess one.
    const told = shorten(toolMessages[index].content.replaceAll(/art_[0-9a-f]+/g, 'art_…'))
    console.log(`\n${name} ${args}\n  outcome    ${kind}\n  the model  ${told}`)
  })
}
turn.close()

const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls).length
const answers = messages.filter(({ role }) => role === 'tool').length
console.log(
  `\n${calls} calls, ${answers} tool messages. Blocked for this turn: ${[...turn.state.blockedToolNames].join(', ')}`,
)
