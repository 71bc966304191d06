// One session: what was tried, what ran, what was denied, and everything in its order.
import type { ReactNode } from 'react'
import type { SessionCounts } from '../../../protocol/agent-sessions.js'
import type { DecisionPage } from '../../../protocol/decisions.js'
import type { NearLimits } from '../../../protocol/session-limits.js'
import { withQuery } from '../../data/request.js'
import { useResource } from '../../data/use-resource.js'
import { Link } from '../../navigation/router.js'
import { Page } from '../../parts/page.js'
import { Loaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { UntrustedText } from '../../parts/untrusted-text.js'
import { DecisionTable } from '../decisions/decision-table.js'
import { LimitMeter } from './limit-meter.js'
import { SessionTable } from './session-table.js'

export function SessionPage({ id }: { id: string }): ReactNode {
  const counts = useResource<SessionCounts>(`/api/edictum/v1/agent-sessions/${encodeURIComponent(id)}`, [
    'events',
  ])
  const limits = useResource<NearLimits>(withQuery('/api/edictum/v1/session-limits', { session_id: id }), [
    'events',
  ])
  const timeline = useResource<DecisionPage>(
    withQuery('/api/edictum/v1/decisions', { session_id: id, limit: 200 }),
    ['events'],
  )
  return (
    <Page title="Session">
      <p>
        <Link to="/sessions">All sessions</Link>
      </p>
      <Loaded resource={counts} what="the session">
        {({ sessions, tools }) => (
          <>
            <SessionTable sessions={sessions} label="Counts" />
            <h2>Against its limits</h2>
            <Loaded resource={limits} what="the limits">
              {({ sessions: compared }) => <Limits compared={compared} />}
            </Loaded>
            <h2>By tool</h2>
            <Table label="By tool" headings={['Tool', 'Attempts', 'Ran', 'Denied']}>
              {tools.map((tool) => (
                <tr key={tool.tool_name}>
                  <td>
                    <UntrustedText text={tool.tool_name} most={80} />
                  </td>
                  <td>{tool.attempts}</td>
                  <td>{tool.executions}</td>
                  <td>{tool.denied}</td>
                </tr>
              ))}
            </Table>
          </>
        )}
      </Loaded>
      <h2>What happened, newest first</h2>
      <Loaded resource={timeline} what="the timeline">
        {({ decisions, next_cursor: next }) => (
          <>
            <DecisionTable decisions={decisions} label="What happened, newest first" />
            {next !== null && (
              <p>
                <Link to={withQuery('/decisions', { session_id: id, before: next })}>Older</Link>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Limits({ compared }: { compared: NearLimits['sessions'] }): ReactNode {
  return compared.map(({ agent_id: agent, env, contract_version: version, counters }) => (
    <div key={`${agent}\n${env}`}>
      {version === null ? (
        <p className="muted">
          The limits of <UntrustedText text={agent} most={60} /> are not known: the version of the contracts
          it runs under is not stored here.
        </p>
      ) : (
        <>
          <p>
            <UntrustedText text={agent} most={60} /> under{' '}
            <Link to={`/contracts/${encodeURIComponent(version.name)}/edit/${version.version}`}>
              {version.name}, version {version.version}
            </Link>
          </p>
          {counters.map((counter) => (
            <LimitMeter key={`${counter.limit_name} ${counter.tool_name}`} counter={counter} />
          ))}
        </>
      )}
    </div>
  ))
}
