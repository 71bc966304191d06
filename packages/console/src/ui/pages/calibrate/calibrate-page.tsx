// Observe, calibrate, enforce: how much sessions do, and limits that leave them alone.
import type { ReactNode } from 'react'
import type { CalibratedCount, Calibration } from '../../../protocol/calibration.js'
import { withQuery } from '../../data/request.js'
import { useResource } from '../../data/use-resource.js'
import { useMay } from '../../data/use-visitor.js'
import { Link, useQueryValues } from '../../navigation/router.js'
import { Bars } from '../../parts/bars.js'
import { Field } from '../../parts/field.js'
import { Moment } from '../../parts/moment.js'
import { Page } from '../../parts/page.js'
import { Empty, Loaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { UntrustedText } from '../../parts/untrusted-text.js'
import { calibrationQuery } from './calibration-query.js'
import { EnvironmentChoice } from './environment-choice.js'

const periods = [
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
] as const

export function CalibratePage(): ReactNode {
  const [query, setQuery] = useQueryValues()
  const { path, values } = calibrationQuery(query)
  const calibration = useResource<Calibration>(path)
  const mayPublish = useMay('publish')
  return (
    <Page
      title="Calibrate"
      actions={
        mayPublish &&
        typeof calibration.value?.draft === 'string' && (
          <Link to={withQuery('/contracts-new', { draft: 'calibrated', ...values })} className="button">
            Make a draft of these limits
          </Link>
        )
      }
    >
      <p className="muted">
        What sessions do while nothing stops them, and limits above that: half as much again as all but one in
        a hundred.
      </p>
      <div className="filter-row">
        <Field label="Sessions">
          {(control) => (
            <select
              {...control}
              value={values.mode}
              onChange={({ target }) => setQuery({ mode: target.value })}
            >
              <option value="observe">In observe mode</option>
              <option value="any">All</option>
            </select>
          )}
        </Field>
        <Field label="Time">
          {(control) => (
            <select
              {...control}
              value={values.since}
              onChange={({ target }) => setQuery({ since: target.value })}
            >
              {periods.map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <EnvironmentChoice value={values.env} onChange={(env) => setQuery({ env })} />
        <Field label="Agent" hint="Its whole name; empty for all.">
          {(control) => (
            <input
              {...control}
              defaultValue={values.agent_id}
              onChange={({ target }) => setQuery({ agent_id: target.value })}
            />
          )}
        </Field>
      </div>
      <Loaded resource={calibration} what="what sessions do">
        {(shown) =>
          shown.sessions === 0 ? <NothingYet mode={values.mode} /> : <Content calibration={shown} />
        }
      </Loaded>
    </Page>
  )
}

function NothingYet({ mode }: { mode: string }): ReactNode {
  return mode === 'observe' ? (
    <Empty title="No session ran in observe mode in this time.">
      Deploy a bundle with <code>mode: observe</code> under <code>defaults</code>, or start a guard with that
      mode, let agents work for a while, and come back. Or look at all sessions: limits that are in force
      already make them look smaller than they would be.
    </Empty>
  ) : (
    <Empty title="No session ran in this time.">
      Sessions appear with the first call of an agent. Choose a longer time, or another agent.
    </Empty>
  )
}

function Content({ calibration }: { calibration: Calibration }): ReactNode {
  const { sessions, executions, attempts, tools, counted_since: since } = calibration
  return (
    <>
      <p>
        {sessions.toLocaleString('en')} {sessions === 1 ? 'session' : 'sessions'}.
        {sessions < 30 && ' Few: let agents work for longer before you enforce limits that rest on them.'}
        {since !== null && (
          <>
            {' '}
            Only what began after <Moment at={since} /> is counted, because more would take too long.
          </>
        )}
      </p>
      <h2>Per session</h2>
      <Counts
        label="Per session"
        first="What"
        rows={[
          { name: 'Calls that ran', sessions, count: executions },
          { name: 'Attempts', sessions, count: attempts },
        ]}
      />
      <h2>Per tool</h2>
      <Counts
        label="Per tool"
        first="Tool"
        rows={tools.map((tool) => ({ name: tool.tool_name, sessions: tool.sessions, count: tool }))}
      />
    </>
  )
}

function Counts({
  label,
  first,
  rows,
}: {
  label: string
  first: string
  rows: readonly { name: string; sessions: number; count: CalibratedCount }[]
}): ReactNode {
  return (
    <Table
      label={label}
      headings={[
        first,
        'Suggested limit',
        'Beyond it',
        'Sessions',
        'Median',
        '90 %',
        '99 %',
        'Most',
        'Spread',
      ]}
    >
      {rows.map(({ name, sessions, count }) => (
        <tr key={name}>
          <td>
            <UntrustedText text={name} most={80} />
          </td>
          <td>
            <strong>{count.suggested_limit}</strong>
          </td>
          <td>{count.beyond === 0 ? 'none' : `${count.beyond} of ${sessions}`}</td>
          <td>{sessions.toLocaleString('en')}</td>
          <td>{count.median}</td>
          <td>{count.p90}</td>
          <td>{count.p99}</td>
          <td>{count.most}</td>
          <td>
            <Bars
              counts={count.histogram.sessions}
              step={count.histogram.step}
              mark={count.suggested_limit}
              label={`Sessions by their count, up to ${count.most}; the line is at ${count.suggested_limit}`}
            />
          </td>
        </tr>
      ))}
    </Table>
  )
}
