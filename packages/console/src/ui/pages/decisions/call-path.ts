// The way of a call through the ten steps of the guard, as far as its events tell.

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

/** How long the steps took that have an event at both ends, in milliseconds: the question, and the tool. */
export function measurePath(events: readonly PathEvent[]): Readonly<Partial<Record<StepName, number>>> {
  const asked = events.find(({ action }) => action === 'call_approval_requested')
  const answered = events.find(({ action }) => answers.has(action))
  // A call that was asked about is admitted when the answer comes.
  const admitted = events.findLast(({ action }) => admissions.has(action))
  const ended = events.find(({ action }) => ends.has(action))
  return {
    ...(asked === undefined || answered === undefined ? {} : { approve: answered.at - asked.at }),
    ...(admitted === undefined || ended === undefined ? {} : { judge: ended.at - admitted.at }),
  }
}
