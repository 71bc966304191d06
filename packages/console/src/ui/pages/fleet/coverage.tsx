// How much of what agents do is under contracts.
import type { ReactNode } from 'react'
import { withQuery } from '../../data/request.js'
import { useResource } from '../../data/use-resource.js'
import { Link } from '../../navigation/router.js'
import { Badge } from '../../parts/badge.js'
import { Loaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { UntrustedText } from '../../parts/untrusted-text.js'

interface FleetCoverage {
  readonly agents: readonly {
    readonly agent_id: string
    readonly environment: string
    readonly total_tools: number
    readonly enforced: number
    readonly observed: number
    readonly ungoverned: number
    readonly coverage_pct: number
  }[]
  readonly fleet_summary: {
    readonly ungoverned_tools: readonly { readonly tool_name: string; readonly agent_count: number }[]
  }
}

export function Coverage(): ReactNode {
  const coverage = useResource<FleetCoverage>('/api/v1/agents/fleet-coverage?since=24h', ['agents'])
  return (
    <section aria-labelledby="coverage">
      <h2 id="coverage">What is under contracts</h2>
      <Loaded resource={coverage} what="the coverage">
        {({ agents, fleet_summary: { ungoverned_tools: tools } }) =>
          agents.length === 0 ? (
            <p className="muted">No agent called a tool in the last 24 hours.</p>
          ) : (
            <>
              {tools.length > 0 && (
                <p>
                  <Badge tone="bad">No contract known here looks at</Badge>{' '}
                  {tools.slice(0, 20).map(({ tool_name: tool, agent_count: count }, index) => (
                    <span key={tool}>
                      {index > 0 && ', '}
                      <Link to={withQuery('/decisions', { tool_name: tool, since: '24h' })}>
                        <UntrustedText text={tool} most={60} />
                      </Link>{' '}
                      <span className="muted">
                        ({count} {count === 1 ? 'agent' : 'agents'})
                      </span>
                    </span>
                  ))}
                </p>
              )}
              <Table
                label="Tools under contracts, last 24 hours"
                headings={[
                  'Agent',
                  'Environment',
                  'Tools',
                  'Enforced',
                  'Observed',
                  'Nothing',
                  'Under contracts',
                ]}
              >
                {agents.map((agent) => (
                  <tr key={`${agent.agent_id}\n${agent.environment}`}>
                    <td>
                      <UntrustedText text={agent.agent_id} most={80} />
                    </td>
                    <td>
                      <UntrustedText text={agent.environment} most={40} />
                    </td>
                    <td>{agent.total_tools}</td>
                    <td>{agent.enforced}</td>
                    <td>{agent.observed}</td>
                    <td>{agent.ungoverned}</td>
                    <td>{agent.coverage_pct} %</td>
                  </tr>
                ))}
              </Table>
            </>
          )
        }
      </Loaded>
    </section>
  )
}
