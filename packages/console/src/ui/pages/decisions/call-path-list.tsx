import type { ReactNode } from 'react'
import type { Decision } from '../../../protocol/decisions.js'
import { Badge, type Tone } from '../../parts/badge.js'
import { formatPrecise, formatWhole } from '../../parts/time-words.js'
import { describePath, measurePath, steps, type StepState, type StepTime } from './call-path.js'

const stateNames: Record<StepState, readonly [string, Tone]> = {
  passed: ['passed', 'good'],
  stopped: ['stopped here', 'bad'],
  'not-reached': ['not reached', 'dull'],
  'not-needed': ['not needed', 'dull'],
  open: ['no word yet', 'open'],
}

const sources: Record<StepTime['how'], string> = {
  waited: 'waited',
  ran: 'tool ran',
  'between-events': 'between two events',
  'judged-again': 'judged again here',
}

/** Deduced from the events of the call, so it says no more than they do. */
export function CallPath({
  decision,
  judgedInMs,
}: {
  decision: Decision
  judgedInMs: number | null
}): ReactNode {
  const events = decision.related.map(({ action, decision_source: decisionSource, at }) => ({
    action,
    decisionSource,
    at: Date.parse(at),
  }))
  const states = describePath(events)
  const times = measurePath(events, { ...decision.timing, judgedInMs })
  return (
    <section aria-labelledby="path">
      <h2 id="path">The way through the guard</h2>
      <ol className="path">
        {steps.map(([name, meaning]) => {
          const [state, tone] = stateNames[states[name]]
          return (
            <li key={name}>
              <div>
                <strong>{name}</strong>{' '}
                <span>
                  <Badge tone={tone}>{state}</Badge>
                </span>{' '}
                <Time time={times[name]} state={states[name]} /> <span className="muted">{meaning}</span>
              </div>
            </li>
          )
        })}
      </ol>
      <p className="muted">
        A step without a time waited for nobody, or the agent does not report it. Deciding is pure computation
        and not timed by the agent: its time is that of judging the call again.
      </p>
    </section>
  )
}

function Time({ time, state }: { time: StepTime | undefined; state: StepState }): ReactNode {
  if (time === undefined || state === 'not-reached' || state === 'not-needed') return <span />
  return (
    <span>
      <strong>{time.how === 'ran' ? formatWhole(time.ms) : formatPrecise(time.ms)}</strong>{' '}
      {sources[time.how]}
    </span>
  )
}
