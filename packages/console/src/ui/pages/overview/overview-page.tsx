// What is going on, and what needs somebody.
import { type ReactNode, useMemo } from 'react'
import type { Overview } from '../../../protocol/overview.js'
import { withQuery } from '../../data/request.js'
import { useResource } from '../../data/use-resource.js'
import { Link, useQueryValues } from '../../navigation/router.js'
import { Chart, type ChartSeries } from '../../parts/chart.js'
import { Ago, Moment } from '../../parts/moment.js'
import { Page } from '../../parts/page.js'
import { Loaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { UntrustedText } from '../../parts/untrusted-text.js'
import { FirstSteps } from './first-steps.js'
import { SessionsNearLimits } from './sessions-near-limits.js'

const periods = [
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
] as const

const colours = ['--series-1', '--series-2', '--series-3', '--series-4', '--series-5', '--series-6']

export function OverviewPage(): ReactNode {
  const [query, setQuery] = useQueryValues()
  const since = query.get('since') ?? '24h'
  const overview = useResource<Overview>(withQuery('/api/edictum/v1/overview', { since }), [
    'events',
    'approvals',
  ])
  return (
    <Page
      title="Overview"
      actions={
        <label>
          <span className="visually-hidden">Period</span>
          <select value={since} onChange={({ target }) => setQuery({ since: target.value })}>
            {periods.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
      }
    >
      <Loaded resource={overview} what="the overview">
        {(shown) =>
          shown.agents.length === 0 && shown.totals.decided === 0 ? (
            <FirstSteps />
          ) : (
            <Content overview={shown} since={since} />
          )
        }
      </Loaded>
    </Page>
  )
}

function Content({ overview, since }: { overview: Overview; since: string }): ReactNode {
  const { totals, buckets } = overview
  const times = useMemo(() => buckets.map(({ start }) => Date.parse(start)), [buckets])
  const decided = useMemo<readonly ChartSeries[]>(
    () => [
      { name: 'Allowed', values: buckets.map(({ allowed }) => allowed), colour: '--good' },
      { name: 'Denied', values: buckets.map(({ denied }) => denied), colour: '--bad' },
    ],
    [buckets],
  )
  const byContract = useMemo(() => toChart(overview.denials_by_contract), [overview])
  const byTool = useMemo(() => toChart(overview.denials_by_tool), [overview])
  return (
    <>
      <ul className="numbers">
        <Number name="Waiting for approval" value={overview.pending_approvals} to="/approvals" />
        <Number name="Calls decided" value={totals.decided} to={`/decisions?since=${since}`} />
        <Number name="Denied" value={totals.denied} to={`/decisions?since=${since}&action=call_denied`}>
          {totals.decided > 0 && `${((100 * totals.denied) / totals.decided).toFixed(1)} % of calls`}
        </Number>
        <Number
          name="Would be denied"
          value={totals.would_deny}
          to={`/decisions?since=${since}&action=call_would_deny`}
        />
        <Number name="Failed" value={totals.failed} to={`/decisions?since=${since}&action=call_failed`} />
      </ul>
      <div className="panels">
        <ChartPanel title="Decisions" times={times} series={decided} />
        <ChartPanel title="Denials by contract" times={times} series={byContract} />
        <ChartPanel title="Denials by tool" times={times} series={byTool} />
        <TopDenied overview={overview} />
        <Agents overview={overview} />
        <SessionsNearLimits />
      </div>
    </>
  )
}

function toChart(series: Overview['denials_by_tool']): readonly ChartSeries[] {
  return series.map(({ name, denied }, index) => ({
    name,
    values: denied,
    colour: colours[index % colours.length] ?? '--accent',
  }))
}

function Number({
  name,
  value,
  to,
  children,
}: {
  name: string
  value: number
  to: string
  children?: ReactNode
}): ReactNode {
  return (
    <li>
      <Link to={to} className="card number-card">
        <span>{name}</span>
        <strong>{value.toLocaleString('en')}</strong>
        <span className="muted">{children}</span>
      </Link>
    </li>
  )
}

function ChartPanel({
  title,
  times,
  series,
}: {
  title: string
  times: readonly number[]
  series: readonly ChartSeries[]
}): ReactNode {
  const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      {series.length === 0 ? (
        <p className="muted">None in this period.</p>
      ) : (
        <>
          <Chart times={times} series={series} label={`${title} over time; the sums are in the list below`} />
          <ul className="legend">
            {series.map(({ name, values, colour }) => (
              <li key={name}>
                <span className="swatch" data-colour={colour} aria-hidden="true" />
                <UntrustedText text={name} most={60} />: {total(values).toLocaleString('en')}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

function TopDenied({ overview }: { overview: Overview }): ReactNode {
  return (
    <section className="card" aria-label="Denied most">
      <h2>Denied most</h2>
      {overview.top_denied.length === 0 ? (
        <p className="muted">None in this period.</p>
      ) : (
        <Table label="Denied most" headings={['Tool', 'Contract', 'Denied', 'Last']}>
          {overview.top_denied.map(({ tool_name: tool, contract, events, last_at: last }) => (
            <tr key={`${tool}\n${contract}`}>
              <td>
                <Link to={withQuery('/decisions', { action: 'call_denied', tool_name: tool, contract })}>
                  <UntrustedText text={tool} most={60} />
                </Link>
              </td>
              <td>
                <UntrustedText text={contract === '' ? 'no contract' : contract} most={60} />
              </td>
              <td>{events.toLocaleString('en')}</td>
              <td>
                <Moment at={last} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}

function Agents({ overview }: { overview: Overview }): ReactNode {
  return (
    <section className="card" aria-label="Agents last heard of">
      <h2>Agents last heard of</h2>
      <Table label="Agents last heard of" headings={['Agent', 'Environment', 'Contracts', 'Heard of']}>
        {overview.agents.map(({ agent_id: agent, env, policy_version: version, last_seen_at: seen }) => (
          <tr key={`${agent}\n${env}`}>
            <td>
              <Link to={withQuery('/decisions', { agent_id: agent })}>
                <UntrustedText text={agent} most={60} />
              </Link>
            </td>
            <td>
              <UntrustedText text={env} most={40} />
            </td>
            <td>
              <code>{version === null ? 'unknown' : <UntrustedText text={version.slice(0, 12)} />}</code>
            </td>
            <td>
              <Ago at={seen} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}
