import { describe, expect, it } from 'vitest'

import { outcomeToModelContent } from './model-content.js'
import {
  outcomeBlocksTool,
  outcomeIsError,
  outcomeIsRetryable,
  type ToolDenied,
  type ToolOutcome,
} from './outcome.js'
import {
  anthropicToolCalls,
  anthropicToolMessage,
  openAiToolCalls,
  openAiToolMessages,
  toolMessages,
} from './provider-messages.js'

const of = { callId: 'c1', toolName: 'read_file' }
const denied = (reason: ToolDenied['reason'], details = ''): ToolDenied => ({
  kind: 'denied',
  ...of,
  reason,
  details,
})

/** Each row: an outcome, the JSON the model sees, and whether it is an error, retryable, blocking. */
const rows: readonly (readonly [string, ToolOutcome, string, string])[] = [
  [
    'a result',
    { kind: 'executed', ...of, output: { lines: 3, note: 'ü' }, elapsedMs: 1, wasCoerced: false },
    '{"lines":3,"note":"ü"}',
    '',
  ],
  [
    'a timeout',
    { kind: 'timeout', ...of, deadlineS: 12.5, elapsedMs: 45_000, retryable: true },
    '{"status":"error","error":"Tool read_file did not finish in time.","timed_out":true,"retryable":true}',
    'error retryable',
  ],
  [
    'a timeout not to be repeated',
    { kind: 'timeout', ...of, deadlineS: 12.5, elapsedMs: 45_000, retryable: false },
    '{"status":"error","error":"Tool read_file did not finish in time.","timed_out":true,"retryable":false}',
    'error blocks',
  ],
  [
    'a failure',
    { kind: 'failure', ...of, error: 'no such file', retryable: true, elapsedMs: 2 },
    '{"status":"error","error":"no such file","retryable":true}',
    'error retryable',
  ],
  [
    'a failure for good',
    { kind: 'failure', ...of, error: 'no such file', retryable: false, elapsedMs: 2 },
    '{"status":"error","error":"no such file","retryable":false}',
    'error blocks',
  ],
  ['a duplicate', denied('duplicate', 'why'), '{"warning":"duplicate_tool_call","skipped":true}', ''],
  ['a blocked tool', denied('blocked', 'why'), '{"warning":"non_retryable_tool_failure","skipped":true}', ''],
  [
    'wrong arguments',
    denied('validation', 'path must be string'),
    '{"error":"argument_validation_failed","details":"path must be string",' +
      '"hint":"Correct the arguments to fit the tool\'s schema and call it again."}',
    '',
  ],
  [
    'the end of the turn',
    denied('deadline', 'why'),
    '{"error":"Turn deadline expired; cannot execute tool.","timed_out":true}',
    '',
  ],
  ['a contract', denied('pre_hook', 'Ask first.'), '{"error":"Blocked: Ask first.","blocked":true}', ''],
  ['a refusal without words', denied('pre_hook'), '{"error":"Blocked: pre_hook","blocked":true}', ''],
  ['a person', denied('write_denied', 'not now'), '{"error":"Blocked: not now","blocked":true}', ''],
  ['a spent allowance', denied('budget'), '{"error":"Blocked: budget","blocked":true}', ''],
  ['a cancelled turn', denied('cancelled'), '{"error":"Blocked: cancelled","blocked":true}', ''],
  [
    'an artifact',
    { kind: 'artifact', ...of, artifactId: 'art_1', summary: 'first lines', sizeBytes: 20_000 },
    '{"artifact_reference":"art_1","summary":"first lines","hint":"Output too large to show. ' +
      'Use read_file with path \\"artifact://art_1\\" to read it in pages."}',
    '',
  ],
]

describe('what the model is told', () => {
  it.each(rows)('of %s', (_, outcome, content) => {
    expect(outcomeToModelContent(outcome)).toBe(content)
  })

  it.each(rows)('agrees with what code is told of %s', (_, outcome, __, predicates) => {
    const said = [
      outcomeIsError(outcome) && 'error',
      outcomeIsRetryable(outcome) && 'retryable',
      outcomeBlocksTool(outcome) && 'blocks',
    ]
    expect(said.filter(Boolean).join(' ')).toBe(predicates)
  })
})

describe('provider messages', () => {
  const outcomes = rows.map(([, outcome]) => outcome)

  it('answer every call by its id, for OpenAI', () => {
    const messages = openAiToolMessages(outcomes)
    expect(messages).toHaveLength(outcomes.length)
    expect(messages[0]).toEqual({ role: 'tool', tool_call_id: 'c1', content: '{"lines":3,"note":"ü"}' })
  })

  it('answer all calls in one message and mark errors, for Anthropic', () => {
    const { role, content } = anthropicToolMessage(outcomes)
    expect(role).toBe('user')
    expect(content[0]).toEqual({
      type: 'tool_result',
      tool_use_id: 'c1',
      content: '{"lines":3,"note":"ü"}',
      is_error: false,
    })
    expect(content.map((block) => block.is_error)).toEqual(
      outcomes.map(({ kind }) => ['timeout', 'failure', 'denied'].includes(kind)),
    )
  })

  it('have four plain fields for everybody else', () => {
    expect(toolMessages(outcomes.slice(5, 6))).toEqual([
      { ...of, content: '{"warning":"duplicate_tool_call","skipped":true}', isError: true },
    ])
  })

  it('are read from a message with tool calls, for OpenAI', () => {
    expect(
      openAiToolCalls({
        tool_calls: [
          { id: 'a', function: { name: 'read', arguments: '{"x":1}' } },
          { id: 'b', custom: { name: 'shell', input: 'ls' } },
        ],
      }),
    ).toEqual([
      { id: 'a', name: 'read', arguments: '{"x":1}' },
      { id: 'b', name: 'shell', arguments: { input: 'ls' } },
    ])
    expect(openAiToolCalls({ tool_calls: null })).toEqual([])
  })

  it('are read from a message with blocks, for Anthropic', () => {
    const blocks = [
      { type: 'text', text: 'let me see' },
      { type: 'tool_use', id: 'a', name: 'read', input: { x: 1 } },
    ]
    expect(anthropicToolCalls({ content: blocks })).toEqual([{ id: 'a', name: 'read', arguments: { x: 1 } }])
    expect(anthropicToolCalls({ content: 'done' })).toEqual([])
  })
})
