// Lines of an audit log → recorded calls. Lines belong together: a call that was asked about, or that only ended later, is
// the same call, so a reader remembers what it has seen.
import type { SessionCounts } from '../guard/call-judge.js'
import { faultInToolName } from '../policy/envelope.js'
import type { RecordedCall, RecordedVerdict } from './recorded-call.js'

/** One line of a log that says how a call was decided or how it ended. */
export interface RecordedEvent extends RecordedCall {
  readonly action: string
  readonly sessionId: string
  /** It only tells how a call went on that contracts would have denied; that was compared already. */
  readonly isFollowUp: boolean
  /** Executed with success. */
  readonly isExecution: boolean
  /** The number of the attempt in its session, 0 where the record has none. */
  readonly attempt: number
  /** Whether something in the arguments was masked or cut, so that a contract may see less than it saw then. */
  readonly isMasked: boolean
}

export type AuditLine =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'skipped'; readonly why: SkipReason }
  | { readonly kind: 'unreadable'; readonly problem: string }
  | { readonly kind: 'blank' }

export type SkipReason =
  /** It says nothing about a decision of contracts, or only asks. */
  | 'no-decision'
  /** Written by a candidate beside the contracts in force. */
  | 'candidate'
  /** Denied by a hook, by code, or because something was broken. */
  | 'decided-elsewhere'
  /** No tool can have this name. */
  | 'invalid-tool-name'

/** Both vocabularies. An event that only asks for a person decides nothing yet. */
const verdicts: Readonly<Record<string, RecordedVerdict>> = {
  call_allowed: 'allow',
  call_executed: 'allow',
  call_failed: 'allow',
  call_approval_granted: 'allow',
  call_denied: 'deny',
  call_blocked: 'deny',
  call_approval_denied: 'deny',
  call_approval_blocked: 'deny',
  call_would_deny: 'would_deny',
  call_would_block: 'would_deny',
}

const questions = new Set(['call_approval_requested', 'call_asked'])
const ends = new Set(['call_executed', 'call_failed'])

/** Who denies on behalf of a bundle; records of other implementations may not say. */
const contractSources = new Set<unknown>([
  undefined,
  null,
  '',
  'yaml_precondition',
  'yaml_sandbox',
  'yaml_session',
  'attempt_limit',
  'operation_limit',
])

type Fields = Readonly<Record<string, unknown>>

export class AuditLogReader {
  readonly #asked = new Set<string>()
  readonly #observed = new Set<string>()
  readonly #sessions = new Map<string, SessionCounts>()
  readonly #executions = new Map<string, Map<string, number>>()

  read(line: string): AuditLine {
    if (line.trim() === '') return { kind: 'blank' }
    const fields = parse(line)
    if (typeof fields === 'string') return { kind: 'unreadable', problem: fields }
    const action = textIn(fields, 'action') ?? ''
    const callId = textIn(fields, 'call_id') ?? null
    if (questions.has(action) && callId !== null) this.#asked.add(callId)
    const verdict = Object.hasOwn(verdicts, action) ? verdicts[action] : undefined
    if (verdict === undefined) return { kind: 'skipped', why: 'no-decision' }
    const toolName = fields['tool_name']
    if (typeof toolName !== 'string' || faultInToolName(toolName) !== undefined)
      return { kind: 'skipped', why: 'invalid-tool-name' }
    const decidedBy = textIn(fields, 'decision_name') ?? null
    if (decidedBy?.endsWith(':candidate') === true) return { kind: 'skipped', why: 'candidate' }
    const isDenial = verdict === 'deny' && !action.startsWith('call_approval')
    if (isDenial && !contractSources.has(fields['decision_source']))
      return { kind: 'skipped', why: 'decided-elsewhere' }
    return { kind: 'event', event: this.#event(fields, { action, callId, toolName, verdict, decidedBy }) }
  }

  #event(
    fields: Fields,
    known: Pick<RecordedEvent, 'action' | 'callId' | 'toolName' | 'verdict' | 'decidedBy'>,
  ): RecordedEvent {
    const { action, callId, toolName } = known
    const wasAsked = callId !== null && this.#asked.has(callId)
    const wasObserved = callId !== null && this.#observed.has(callId)
    if (callId !== null && known.verdict === 'would_deny') this.#observed.add(callId)
    const sessionId = textIn(fields, 'session_id') ?? ''
    const session = this.#sessionBefore(fields, known, sessionId)
    const isExecution = action === 'call_executed' && fields['tool_success'] !== false
    if (isExecution) this.#count(sessionId, toolName)
    const args = objectIn(fields, 'tool_args') ?? {}
    return {
      ...known,
      verdict: wasAsked && known.verdict === 'allow' ? 'approve' : known.verdict,
      args,
      environment: textIn(fields, 'environment') ?? 'production',
      principal: objectIn(fields, 'principal') ?? null,
      sessionId,
      isFollowUp: wasObserved && known.verdict === 'allow',
      isExecution,
      attempt: numberIn(fields, 'session_attempt_count'),
      isMasked: /\[REDACTED|"_redacted"/.test(JSON.stringify(args)),
      ...(session === undefined ? {} : { session }),
    }
  }

  /** The end of a call is recorded with the counters after it; what counts is what they were when it was decided. */
  #sessionBefore(
    fields: Fields,
    { action, callId, toolName }: Pick<RecordedEvent, 'action' | 'callId' | 'toolName'>,
    sessionId: string,
  ): SessionCounts | undefined {
    const known = callId === null ? undefined : this.#sessions.get(callId)
    if (ends.has(action)) {
      if (callId !== null) this.#sessions.delete(callId)
      return known
    }
    const attempt = numberIn(fields, 'session_attempt_count')
    if (known !== undefined || attempt < 1) return known
    const session = {
      attempts: attempt - 1,
      toolCalls: numberIn(fields, 'session_execution_count'),
      callsPerTool: { [toolName]: this.#executions.get(sessionId)?.get(toolName) ?? 0 },
    }
    if (callId !== null && action !== 'call_denied') this.#sessions.set(callId, session)
    return session
  }

  #count(sessionId: string, toolName: string): void {
    let tools = this.#executions.get(sessionId)
    if (tools === undefined) this.#executions.set(sessionId, (tools = new Map()))
    tools.set(toolName, (tools.get(toolName) ?? 0) + 1)
  }
}

function parse(line: string): Fields | string {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return 'not JSON'
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : 'not a JSON object'
}

function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function numberIn(fields: Fields, name: string): number {
  const value = fields[name]
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}

function objectIn(fields: Fields, name: string): Fields | undefined {
  const value = fields[name]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}
