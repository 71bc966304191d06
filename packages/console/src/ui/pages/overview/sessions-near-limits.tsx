import type { ReactNode } from 'react'
import type { NearLimits } from '../../../protocol/session-limits.js'
import { useResource } from '../../data/use-resource.js'
import { Link } from '../../navigation/router.js'
import { Ago } from '../../parts/moment.js'
import { Loaded } from '../../parts/states.js'
import { UntrustedText } from '../../parts/untrusted-text.js'
import { LimitMeter } from '../sessions/limit-meter.js'

export function SessionsNearLimits(): ReactNode {
  const near = useResource<NearLimits>('/api/edictum/v1/session-limits', ['events'])
  return (
    <section className="card" aria-label="Sessions near their limits">
      <h2>Sessions near their limits</h2>
      <Loaded resource={near} what="sessions">
        {({ sessions, near_from: from }) =>
          sessions.length === 0 ? (
            <p className="muted">None has used {100 * from} % of a limit.</p>
          ) : (
            <ul className="plain">
              {sessions.map((session) => (
                <li key={`${session.session_id}\n${session.agent_id}\n${session.env}`}>
                  <Link to={`/sessions/${encodeURIComponent(session.session_id)}`}>
                    <UntrustedText text={session.session_id} most={80} />
                  </Link>{' '}
                  <span className="muted">
                    <UntrustedText text={session.agent_id} most={60} />, <Ago at={session.last_at} />
                  </span>
                  {session.counters
                    .filter(({ count, limit }) => count >= from * limit)
                    .map((counter) => (
                      <LimitMeter key={`${counter.limit_name} ${counter.tool_name}`} counter={counter} />
                    ))}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  )
}
