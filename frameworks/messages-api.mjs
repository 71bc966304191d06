// @ts-check
// What the Messages API answers, for stand-ins of it.

export const messageOf = (content) => ({
  id: 'message',
  type: 'message',
  role: 'assistant',
  model: 'scripted',
  content,
  stop_reason: content[0].type === 'tool_use' ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
})

/** A message as the server-sent events of a stream. */
export const streamOf = (message) =>
  [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    ...message.content.flatMap((block, index) => [
      {
        type: 'content_block_start',
        index,
        content_block: block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} },
      },
      {
        type: 'content_block_delta',
        index,
        delta:
          block.type === 'text'
            ? { type: 'text_delta', text: block.text }
            : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
      },
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
