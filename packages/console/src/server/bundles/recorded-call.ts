// The call an event tells of, so that it can be judged again.
import type { StoredEvent } from '../../store/events.js'
import { toOurAction } from '../event-words.js'
import type { SimulatedCall } from './evaluate.js'
import type { RecordedCall } from './replay.js'

/** Ends the name of a contract on trial. */
export const candidateSuffix = ':candidate'

type Fields = Readonly<Record<string, unknown>>

/** A field of an event, wherever the published shapes put it. */
export function readField({ content }: Pick<StoredEvent, 'content'>): (name: string) => unknown {
  const fields = JSON.parse(content) as Fields
  const payload = asObject(fields['payload']) ?? {}
  return (name) => fields[name] ?? payload[name]
}

/** As far as it is on record: what was masked stays masked. */
export function toSimulatedCall(event: StoredEvent): SimulatedCall & Pick<RecordedCall, 'principal'> {
  const field = readField(event)
  const environment = field('environment')
  return {
    toolName: event.toolName,
    args: asObject(field('tool_args')) ?? {},
    environment: typeof environment === 'string' ? environment : event.env,
    principal: asObject(field('principal')) ?? null,
  }
}

/** Events that say how a call was decided; what came after that is another event. */
const verdicts: Readonly<Record<string, RecordedCall['verdict']>> = {
  call_allowed: 'allow',
  call_would_deny: 'would_deny',
  call_denied: 'deny',
  call_approval_requested: 'approve',
}

/** How the call was decided; undefined when the event tells of something else. */
export function verdictOf(event: StoredEvent): RecordedCall['verdict'] | undefined {
  return verdicts[toOurAction(event.action)]
}

export function toRecordedCall(event: StoredEvent): RecordedCall | undefined {
  const verdict = verdictOf(event)
  if (verdict === undefined) return undefined
  const field = readField(event)
  const decidedBy = field('decision_name')
  // What a candidate would have said is beside the decision, not the decision.
  if (event.mode === 'observe' && typeof decidedBy === 'string' && decidedBy.endsWith(candidateSuffix))
    return undefined
  const callId = field('call_id')
  return {
    ...toSimulatedCall(event),
    verdict,
    decidedBy: typeof decidedBy === 'string' && decidedBy !== '' ? decidedBy : null,
    agentId: event.agentId,
    timestamp: new Date(event.occurredAt).toISOString(),
    callId: typeof callId === 'string' && callId !== '' ? callId : null,
  }
}

function asObject(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}
