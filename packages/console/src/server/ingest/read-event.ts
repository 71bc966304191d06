// One event of a batch, in whichever of the shapes in use: six fields and a payload, one flat record, or the line of a log.
import { hash } from 'node:crypto'
import { canonicalJson } from '../../store/canonical-json.js'
import type { NewEvent } from '../../store/events.js'
import { matchesAgent } from '../auth/agent-pattern.js'
import { toOurAction } from '../event-words.js'

export interface EventSender {
  readonly env: string
  /** For events that do not say whose they are. */
  readonly agentId: string
  readonly agentPattern: string | null
}

/** Why an event is not taken. */
export class EventFault extends Error {
  override readonly name = 'EventFault'
}

const longestName = 10_000
const longestContent = 1_048_576
const timeForm = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?$/i

/** @throws EventFault */
export function readEvent(event: unknown, sender: EventSender): NewEvent {
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    throw new EventFault('is not an object')
  const fields = event as Readonly<Record<string, unknown>>
  const payload = isObject(fields['payload']) ? fields['payload'] : {}
  const agentId = optionalText(fields, 'agent_id') ?? sender.agentId
  if (!matchesAgent(sender.agentPattern, agentId))
    throw new EventFault('agent_id is not one this key belongs to')
  const action =
    optionalText(fields, 'action') ?? optionalText(fields, 'verdict') ?? optionalText(fields, 'decision')
  if (action === undefined) throw new EventFault('action is missing')
  const toolName = optionalText(fields, 'tool_name')
  if (toolName === undefined) throw new EventFault('tool_name is missing')
  const content = writeContent(event)
  return {
    // Two machines may write the same line at the same time; who sent it is part of what it says.
    contentHash: hash('sha256', `${sender.env}\n${agentId}\n${content}`, 'base64url'),
    occurredAt: readTime(fields['timestamp']),
    agentId,
    sessionId: optionalText(fields, 'session_id') ?? null,
    toolName,
    action: toOurAction(action),
    mode: optionalText(fields, 'mode') ?? 'enforce',
    contract: optionalText(fields, 'decision_name') ?? optionalText(payload, 'decision_name') ?? '',
    policyVersion: optionalText(fields, 'policy_version') ?? optionalText(payload, 'policy_version') ?? null,
    content,
  }
}

function writeContent(event: object): string {
  let content
  try {
    content = canonicalJson(event)
  } catch {
    throw new EventFault('is nested too deep')
  }
  if (content.length > longestContent) throw new EventFault(`has more than ${longestContent} characters`)
  return content
}

/** Undefined for what is absent: some clients write null, some an empty text. */
function optionalText(fields: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw new EventFault(`${name} is not a text`)
  if (value.length > longestName) throw new EventFault(`${name} has more than ${longestName} characters`)
  // PostgreSQL has no texts with this character; the content keeps it.
  return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}

function readTime(value: unknown): number {
  if (typeof value !== 'string') throw new EventFault('timestamp is missing')
  const time = timeForm.test(value) ? Date.parse(toReadableTime(value)) : Number.NaN
  if (!Number.isFinite(time) || time < 0) throw new EventFault('timestamp is not a time in ISO 8601')
  return time
}

/** Without an offset a time would be read in the server's own zone. */
function toReadableTime(value: string): string {
  const text = value.replace(' ', 'T').replace(',', '.')
  return /(Z|[+-]\d\d(:?\d\d)?)$/i.test(text.slice(10)) ? text : `${text}Z`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
