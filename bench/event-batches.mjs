// @ts-check
// Batches of events, as agents send them to the console.
import { randomUUID } from 'node:crypto'

export const eventsPerBatch = 1_000

/**
 * Bodies of events as the guard writes them, each different; made beforehand, because making them is not the server's work.
 * @param {number} count
 */
export function makeBatches(count) {
  const run = randomUUID()
  return Array.from({ length: count }, (_, batch) =>
    Buffer.from(
      JSON.stringify({
        events: Array.from({ length: eventsPerBatch }, (_, index) =>
          makeEvent(run, batch * eventsPerBatch + index),
        ),
      }),
    ),
  )
}

/**
 * @param {string} run
 * @param {number} index
 */
function makeEvent(run, index) {
  return {
    schema_version: '0.3.0',
    timestamp: new Date(Date.now() + index).toISOString(),
    run_id: run,
    call_id: `call-${index}`,
    call_index: index,
    parent_call_id: null,
    session_id: `session-${index % 100}`,
    agent_id: `agent-${index % 20}`,
    tool_name: ['read_file', 'write_file', 'deploy'][index % 3],
    tool_args: { path: `reports/${index}.txt`, encoding: 'utf8' },
    side_effect: 'read',
    environment: 'production',
    principal: { user_id: `user-${index % 50}`, role: 'analyst' },
    action: index % 10 === 0 ? 'call_denied' : 'call_allowed',
    decision_source: index % 10 === 0 ? 'yaml_precondition' : null,
    decision_name: index % 10 === 0 ? 'no-secrets' : null,
    reason: null,
    hooks_evaluated: [],
    contracts_evaluated: [
      { name: 'no-secrets', type: 'precondition', passed: true, message: null },
      { name: 'inside-the-project', type: 'sandbox', passed: true, message: null },
    ],
    tool_success: null,
    postconditions_passed: null,
    duration_ms: 0,
    error: null,
    result_summary: null,
    session_attempt_count: index,
    session_execution_count: index,
    mode: 'enforce',
    policy_version: 'a'.repeat(64),
    policy_error: false,
  }
}
