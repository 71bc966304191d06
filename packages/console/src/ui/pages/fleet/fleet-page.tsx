// Every agent: what it is to run, what it runs, and whether that is the same.
import type { ReactNode } from 'react'
import { withQuery } from '../../data/request.js'
import { useResource } from '../../data/use-resource.js'
import { Link } from '../../navigation/router.js'
import { Badge, type Tone } from '../../parts/badge.js'
import { Ago } from '../../parts/moment.js'
import { Page } from '../../parts/page.js'
import { Empty, Loaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { UntrustedText } from '../../parts/untrusted-text.js'
import { AssignmentRules } from './assignment-rules.js'
import { Coverage } from './coverage.js'

interface Agent {
  readonly agent_id: string
  readonly env: string
  readonly bundle_name: string | null
  readonly policy_version: string | null
  readonly status: 'current' | 'drift' | 'unknown'
  readonly connected: boolean
  readonly last_seen_at: string
  readonly claimed_env: string | null
}

const states: Record<Agent['status'], readonly [string, Tone]> = {
  current: ['as deployed', 'good'],
  drift: ['other contracts than deployed', 'bad'],
  unknown: ['unknown', 'dull'],
}

export function FleetPage(): ReactNode {
  const fleet = useResource<{ readonly agents: readonly Agent[] }>('/api/v1/agents/status', ['agents'])
  return (
    <Page title="Fleet">
      <Loaded resource={fleet} what="the fleet">
        {({ agents }) =>
          agents.length === 0 ? (
            <Empty title="No agent has been heard of.">
              Make an API key under <Link to="/keys">Keys</Link> and give it to an agent.
            </Empty>
          ) : (
            <Table
              label="Agents"
              headings={['Agent', 'Environment', 'Bundle', 'Runs', 'State', 'Stream', 'Heard of']}
            >
              {agents.map((agent) => (
                <AgentRow key={`${agent.agent_id}\n${agent.env}`} agent={agent} />
              ))}
            </Table>
          )
        }
      </Loaded>
      <Coverage />
      <AssignmentRules />
    </Page>
  )
}

function AgentRow({ agent }: { agent: Agent }): ReactNode {
  const [state, tone] = states[agent.status]
  return (
    <tr>
      <td>
        <Link to={withQuery('/decisions', { agent_id: agent.agent_id })}>
          <UntrustedText text={agent.agent_id} most={80} />
        </Link>
      </td>
      <td>
        {agent.env}
        {agent.claimed_env !== null && agent.claimed_env !== agent.env && (
          <p>
            <Badge tone="bad">
              believes to be in <UntrustedText text={agent.claimed_env} most={40} />
            </Badge>
          </p>
        )}
      </td>
      <td>
        {agent.bundle_name === null ? (
          'its own'
        ) : (
          <Link to={`/contracts/${encodeURIComponent(agent.bundle_name)}`}>{agent.bundle_name}</Link>
        )}
      </td>
      <td>
        <code>
          <UntrustedText text={agent.policy_version?.slice(0, 12) ?? 'unknown'} />
        </code>
      </td>
      <td>
        <Badge tone={tone}>{state}</Badge>
      </td>
      <td>{agent.connected ? 'connected' : 'no'}</td>
      <td>
        <Ago at={agent.last_seen_at} />
      </td>
    </tr>
  )
}
