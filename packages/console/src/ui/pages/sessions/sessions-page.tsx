import type { ReactNode } from 'react'
import type { SessionList } from '../../../protocol/agent-sessions.js'
import { useResource } from '../../data/use-resource.js'
import { Moment } from '../../parts/moment.js'
import { Page } from '../../parts/page.js'
import { Empty, Loaded } from '../../parts/states.js'
import { SessionTable } from './session-table.js'

export function SessionsPage(): ReactNode {
  const sessions = useResource<SessionList>('/api/edictum/v1/agent-sessions', ['events'])
  return (
    <Page title="Sessions">
      <Loaded resource={sessions} what="sessions">
        {({ sessions: list, counted_since: since }) =>
          list.length === 0 ? (
            <Empty title="No session yet.">Sessions appear with the first call of an agent.</Empty>
          ) : (
            <>
              <SessionTable sessions={list} label="Sessions, last heard of first" />
              {since !== null && (
                <p className="muted">
                  Counted from the newest 20,000 events, since <Moment at={since} />.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
