// The inbox: what waits for a person, the most urgent first, and below it what has been decided.
import { type ReactNode, useRef, useState } from 'react'
import type { Approval, ApprovalList } from '../../../protocol/approvals.js'
import { withQuery } from '../../data/request.js'
import { useResource } from '../../data/use-resource.js'
import { Link, useQueryValues } from '../../navigation/router.js'
import { Badge } from '../../parts/badge.js'
import { Moment } from '../../parts/moment.js'
import { Page } from '../../parts/page.js'
import { Pager } from '../../parts/pager.js'
import { Empty, Loaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { UntrustedText } from '../../parts/untrusted-text.js'
import { ApprovalDetails } from './approval-details.js'
import { Deadline } from './deadline.js'
import { DecideForm } from './decide-form.js'
import { statusNames, statusTones } from './status-words.js'

export function ApprovalsPage(): ReactNode {
  const pending = useResource<ApprovalList>('/api/edictum/v1/approvals?status=pending', ['approvals'])
  const [news, setNews] = useState('')
  const status = useRef<HTMLParagraphElement>(null)
  const onDecided = ({ status: decided, tool_name: tool }: Approval): void => {
    setNews(`${statusNames[decided]}: ${tool.slice(0, 100)}`)
    // The form that had the focus is gone.
    status.current?.focus()
  }
  return (
    <Page title="Approvals">
      <p ref={status} role="status" tabIndex={-1} className="news">
        {news}
      </p>
      <section aria-labelledby="waiting">
        <h2 id="waiting">Waiting for a decision</h2>
        <Loaded resource={pending} what="approvals">
          {(list) =>
            list.approvals.length === 0 ? (
              <Empty title="Nothing waits for you.">
                Calls appear here when a contract says <code>effect: approve</code> and an agent makes such a
                call.
              </Empty>
            ) : (
              <>
                {list.pending > list.approvals.length && (
                  <p>
                    The {list.approvals.length} that end first, of {list.pending}.
                  </p>
                )}
                <ul className="cards">
                  {list.approvals.map((approval) => (
                    <li key={approval.id}>
                      <Waiting approval={approval} onDecided={onDecided} onOver={pending.reload} />
                    </li>
                  ))}
                </ul>
              </>
            )
          }
        </Loaded>
      </section>
      <Settled />
    </Page>
  )
}

function Waiting({
  approval,
  onDecided,
  onOver,
}: {
  approval: Approval
  onDecided: (approval: Approval) => void
  onOver: () => void
}): ReactNode {
  return (
    <article className="card" aria-label={`${approval.tool_name.slice(0, 100)}, waiting`}>
      <h3>
        <Link to={`/approvals/${approval.id}`}>
          <UntrustedText text={approval.tool_name} />
        </Link>
      </h3>
      <Deadline approval={approval} onOver={onOver} />
      <ApprovalDetails approval={approval} />
      <DecideForm approval={approval} onDecided={onDecided} />
    </article>
  )
}

function Settled(): ReactNode {
  const [query] = useQueryValues()
  const cursor = query.get('before') ?? ''
  const path = withQuery('/api/edictum/v1/approvals', { status: 'settled', limit: 25, cursor })
  const settled = useResource<ApprovalList>(path, ['approvals'])
  return (
    <section aria-labelledby="settled">
      <h2 id="settled">Settled</h2>
      <Loaded resource={settled} what="what was decided">
        {({ approvals, next_cursor: next }) =>
          approvals.length === 0 ? (
            <Empty title="Nothing has been decided yet.">
              Every decision is kept here, with who made it.
            </Empty>
          ) : (
            <>
              <Table label="Settled" headings={['Asked', 'Call', 'Agent', 'What became of it', 'By', 'When']}>
                {approvals.map((approval) => (
                  <SettledRow key={approval.id} approval={approval} />
                ))}
              </Table>
              <Pager next={next} />
            </>
          )
        }
      </Loaded>
    </section>
  )
}

function SettledRow({ approval }: { approval: Approval }): ReactNode {
  return (
    <tr>
      <td>
        <Moment at={approval.created_at} />
      </td>
      <td>
        <Link to={`/approvals/${approval.id}`}>
          <UntrustedText text={approval.tool_name} most={60} />
        </Link>
      </td>
      <td>
        <UntrustedText text={approval.agent_id} most={60} />
      </td>
      <td>
        <Badge tone={statusTones[approval.status]}>{statusNames[approval.status]}</Badge>
      </td>
      <td>
        <UntrustedText text={approval.decided_by ?? ''} most={60} />
      </td>
      <td>{approval.decided_at !== null && <Moment at={approval.decided_at} />}</td>
    </tr>
  )
}
