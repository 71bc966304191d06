// Stored events in the shapes the two published generations read.
import type { StoredEvent } from '../store/events.js'
import { toLaterAction } from './event-words.js'

type Fields = Readonly<Record<string, unknown>>

const headFields = new Set(['call_id', 'agent_id', 'tool_name', 'verdict', 'action', 'mode', 'timestamp'])

/** Six fields and everything else under `payload`. */
export function toNestedEvent(event: StoredEvent): object {
  const content = JSON.parse(event.content) as Fields
  const payload =
    typeof content['payload'] === 'object' && content['payload'] !== null
      ? content['payload']
      : Object.fromEntries(Object.entries(content).filter(([name]) => !headFields.has(name)))
  return {
    id: String(event.sequence),
    call_id: content['call_id'] ?? '',
    agent_id: event.agentId,
    tool_name: event.toolName,
    verdict: event.action,
    mode: event.mode,
    timestamp: content['timestamp'],
    payload,
    env: event.env,
    created_at: new Date(event.receivedAt).toISOString(),
  }
}

/** One flat record, in the later words. */
export function toFlatEvent(event: StoredEvent): object {
  const { payload, verdict: _, ...head } = JSON.parse(event.content) as Fields
  const nested = typeof payload === 'object' && payload !== null ? payload : {}
  return {
    ...nested,
    ...head,
    id: String(event.sequence),
    agent_id: event.agentId,
    tool_name: event.toolName,
    action: toLaterAction(event.action),
    mode: event.mode,
    env: event.env,
    received_at: new Date(event.receivedAt).toISOString(),
  }
}
