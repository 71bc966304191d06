import type { ReactNode } from 'react'
import type { Decision } from '../../../protocol/decisions.js'
import { Badge, type Tone } from '../../parts/badge.js'
import { formatShort } from '../../parts/time-words.js'
import { describePath, measurePath, steps, type StepState } from './call-path.js'

const stateNames: Record<StepState, readonly [string, Tone]> = {
  passed: ['passed', 'good'],
  stopped: ['stopped here', 'bad'],
  'not-reached': ['not reached', 'dull'],
  'not-needed': ['not needed', 'dull'],
  open: ['no word yet', 'open'],
}

/** Deduced from the events of the call, so it says no more than they do. */
export function CallPath({ decision }: { decision: Decision }): ReactNode {
  const events = decision.related.map(({ action, decision_source: decisionSource, at }) => ({
    action,
    decisionSource,
    at: Date.parse(at),
  }))
  const states = describePath(events)
  const times = measurePath(events)
  return (
    <section aria-labelledby="path">
      <h2 id="path">The way through the guard</h2>
      <ol className="path">
        {steps.map(([name, meaning]) => {
          const [state, tone] = stateNames[states[name]]
          return (
            <li key={name}>
              <strong>{name}</strong> <Badge tone={tone}>{state}</Badge>{' '}
              {times[name] !== undefined && <strong>{formatShort(times[name])} </strong>}
              <span className="muted">{meaning}</span>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
