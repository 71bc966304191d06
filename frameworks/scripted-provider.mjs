// @ts-check
// A model provider on this machine: the SDKs of OpenAI, Anthropic and Google reach it by their environment variables. Its model
// makes the given calls in its first reply and is done in its second, so that a program runs as it stands in the documentation.
import { createServer } from 'node:http'
import { messageOf, streamOf } from './messages-api.mjs'

/** @typedef {{ tool: string, args: object }} Call */

/**
 * @param {readonly Call[]} calls
 * @returns {Promise<{ environment: Record<string, string>, close: () => Promise<void> }>}
 */
export async function startProvider(calls) {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => (body += part))
    request.on('end', () => answer(request.url ?? '', body === '' ? {} : JSON.parse(body), response))
  })

  /** @param {string} url @param {any} asked @param {import('node:http').ServerResponse} response */
  function answer(url, asked, response) {
    const api = apis.find(({ path }) => path.test(url))
    if (api === undefined) {
      response.writeHead(404).end('{}')
      return
    }
    // Some SDKs ask for a title of the conversation first, and offer no tools with that.
    const isFirst = (asked.tools ?? []).length > 0 && !api.hasResults(asked)
    const { plain, streamed } = api.reply(isFirst ? calls : [])
    const isStream = asked.stream === true || url.includes('streamGenerateContent')
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
    response.end(isStream ? streamed() : JSON.stringify(plain))
  }

  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)))
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())
  const url = `http://127.0.0.1:${address.port}`
  return {
    environment: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'none',
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: url,
      GOOGLE_GENAI_API_KEY: 'none',
      // Nothing here may reach beyond this machine.
      OPENAI_AGENTS_DISABLE_TRACING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      npm_config_offline: 'true',
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** @param {readonly object[]} events */
const dataOf = (events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')

/** @type {readonly { path: RegExp, hasResults: (asked: any) => boolean, reply: (calls: readonly Call[]) => { plain: object, streamed: () => string } }[]} */
const apis = [
  {
    path: /\/messages(\?|$)/,
    hasResults: ({ messages }) => JSON.stringify(messages).includes('"tool_result"'),
    reply: (calls) => {
      const uses = calls.map(({ tool, args }, index) => ({
        type: 'tool_use',
        id: `use-${index}`,
        name: tool,
        input: args,
      }))
      const plain = messageOf(uses.length > 0 ? uses : [{ type: 'text', text: 'done' }])
      return { plain, streamed: () => streamOf(plain) }
    },
  },
  {
    path: /\/chat\/completions$/,
    hasResults: ({ messages }) => messages.some((/** @type {any} */ { role }) => role === 'tool'),
    reply: (calls) => {
      const content = calls.length > 0 ? null : 'done'
      const functions = calls.map(({ tool, args }, index) => ({
        index,
        id: `call-${index}`,
        type: 'function',
        function: { name: tool, arguments: JSON.stringify(args) },
      }))
      const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: functions }) }
      const end = { index: 0, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }
      const about = { id: 'reply', created: 1, model: 'scripted' }
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
      return {
        plain: { ...about, object: 'chat.completion', choices: [{ ...end, message }], usage },
        streamed: () =>
          dataOf([
            ...(calls.length > 0 ? functions : [undefined]).map((call) => ({
              ...about,
              object: 'chat.completion.chunk',
              choices: [
                {
                  index: 0,
                  delta: { role: 'assistant', content, ...(call && { tool_calls: [call] }) },
                  finish_reason: null,
                },
              ],
            })),
            { ...about, object: 'chat.completion.chunk', choices: [{ ...end, delta: {} }] },
            { ...about, object: 'chat.completion.chunk', choices: [], usage },
          ]) + 'data: [DONE]\n\n',
      }
    },
  },
  {
    path: /\/responses$/,
    hasResults: ({ input }) => JSON.stringify(input).includes('"function_call_output"'),
    reply: (calls) => {
      const output =
        calls.length > 0
          ? calls.map(({ tool, args }, index) => ({
              type: 'function_call',
              id: `item-${index}`,
              call_id: `call-${index}`,
              name: tool,
              arguments: JSON.stringify(args),
              status: 'completed',
            }))
          : [
              {
                type: 'message',
                id: 'item-0',
                role: 'assistant',
                status: 'completed',
                content: [{ type: 'output_text', text: 'done', annotations: [] }],
              },
            ]
      const usage = {
        input_tokens: 1,
        output_tokens: 1,
        total_tokens: 2,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      }
      const plain = {
        id: 'response',
        object: 'response',
        created_at: 1,
        model: 'scripted',
        status: 'completed',
        output,
        usage,
      }
      return {
        plain,
        streamed: () =>
          dataOf([
            { type: 'response.created', response: { ...plain, status: 'in_progress', output: [] } },
            ...output.flatMap((item, index) => [
              {
                type: 'response.output_item.added',
                output_index: index,
                item: { ...item, status: 'in_progress' },
              },
              { type: 'response.output_item.done', output_index: index, item },
            ]),
            { type: 'response.completed', response: plain },
          ]),
      }
    },
  },
  {
    path: /:(g|streamG)enerateContent/,
    hasResults: ({ contents }) => JSON.stringify(contents).includes('"functionResponse"'),
    reply: (calls) => {
      const parts =
        calls.length > 0
          ? calls.map(({ tool, args }) => ({ functionCall: { name: tool, args } }))
          : [{ text: 'done' }]
      const plain = {
        candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts } }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      }
      return { plain, streamed: () => dataOf([plain]) }
    },
  },
]
