// The way of a call through the ten steps of the guard, as far as its events tell.
import type { CallTiming } from '../../../protocol/decisions.js'

export const steps = [
  ['snapshot', 'The call is frozen: name, arguments, principal'],
  ['attempt', 'The attempt is counted against its limit'],
  ['hooks', 'Hooks of the program'],
  ['decide', 'Preconditions, sandbox, session contracts'],
  ['approve', 'A person is asked, if a contract says so'],
  ['reserve', 'The execution is counted against the limits'],
  ['judge', 'The tool ran; did it succeed?'],
  ['inspect', 'Postconditions on what it returned'],
  ['settle', 'The counters are settled'],
  ['record', 'What happened is on record'],
] as const

export type StepName = (typeof steps)[number][0]
/** `open`: no event says so yet. */
export type StepState = 'passed' | 'stopped' | 'not-reached' | 'not-needed' | 'open'

export interface PathEvent {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly action: string
  readonly decisionSource: string | null
}

const stepOfSource: Readonly<Record<string, StepName>> = {
  principal_error: 'snapshot',
  attempt_limit: 'attempt',
  storage_error: 'attempt',
  hook: 'hooks',
  operation_limit: 'reserve',
  audit_error: 'record',
}

export function describePath(events: readonly PathEvent[]): Readonly<Record<StepName, StepState>> {
  const actions = new Set(events.map(({ action }) => action))
  const stop = findStop(events)
  const hasEnded = actions.has('call_executed') || actions.has('call_failed')
  const wasAsked = [...actions].some((action) => action.startsWith('call_approval_'))
  const isAdmitted = hasEnded || actions.has('call_allowed') || actions.has('call_approval_granted')
  const states = {} as Record<StepName, StepState>
  let isBeyondStop = false
  for (const [index, [name]] of steps.entries()) {
    const isBeforeTool = index < 6
    if (name === 'record') states[name] = stop === 'record' ? 'stopped' : 'passed'
    else if (name === stop) states[name] = 'stopped'
    else if (isBeyondStop) states[name] = 'not-reached'
    else if (name === 'approve' && !wasAsked) states[name] = 'not-needed'
    else if (stop !== undefined && isBeforeTool) states[name] = 'passed'
    else states[name] = (isBeforeTool ? isAdmitted : hasEnded) ? 'passed' : 'open'
    isBeyondStop ||= name === stop
  }
  return states
}

function findStop(events: readonly PathEvent[]): StepName | undefined {
  for (const { action, decisionSource } of events) {
    if (action === 'call_approval_denied' || action === 'call_approval_timeout') return 'approve'
    // Whatever denies and is not listed is a contract.
    if (action === 'call_denied') return stepOfSource[decisionSource ?? ''] ?? 'decide'
  }
  return undefined
}

const answers = new Set(['call_approval_granted', 'call_approval_denied', 'call_approval_timeout'])
const admissions = new Set(['call_allowed', 'call_approval_granted'])
const ends = new Set(['call_executed', 'call_failed'])

/** How a time is known: the agent measured its wait or its tool, two events lie that far apart, or it was tried here. */
export interface StepTime {
  readonly ms: number
  readonly how: 'waited' | 'ran' | 'between-events' | 'judged-again'
}

export interface KnownTimes extends CallTiming {
  /** How long judging the call again took; null when it was not. */
  readonly judgedInMs: number | null
}

/** What was measured at the time counts before what two events, or a second try, suggest. */
export function measurePath(
  events: readonly PathEvent[],
  { waits_ms: waits, tool_ms: toolMs, judgedInMs }: KnownTimes,
): Readonly<Partial<Record<StepName, StepTime>>> {
  const times: Partial<Record<StepName, StepTime>> = {}
  if (judgedInMs !== null) times.decide = { ms: judgedInMs, how: 'judged-again' }
  const asked = events.find(({ action }) => action === 'call_approval_requested')
  const answered = events.find(({ action }) => answers.has(action))
  if (asked !== undefined && answered !== undefined)
    times.approve = { ms: answered.at - asked.at, how: 'between-events' }
  // A call that was asked about is admitted when the answer comes.
  const admitted = events.findLast(({ action }) => admissions.has(action))
  const ended = events.find(({ action }) => ends.has(action))
  if (admitted !== undefined && ended !== undefined)
    times.judge = { ms: ended.at - admitted.at, how: 'between-events' }
  if (toolMs !== null) times.judge = { ms: toolMs, how: 'ran' }
  for (const [name] of steps) {
    const ms = waits[name]
    if (ms !== undefined) times[name] = { ms, how: 'waited' }
  }
  return times
}
