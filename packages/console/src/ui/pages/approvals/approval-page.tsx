// One approval by itself: where the link in a notification leads.
import { type ReactNode, useState } from 'react'
import type { Approval } from '../../../protocol/approvals.js'
import { useResource } from '../../data/use-resource.js'
import { Link } from '../../navigation/router.js'
import { Badge } from '../../parts/badge.js'
import { Facts } from '../../parts/facts.js'
import { Moment } from '../../parts/moment.js'
import { Page } from '../../parts/page.js'
import { Loaded } from '../../parts/states.js'
import { UntrustedText } from '../../parts/untrusted-text.js'
import { ApprovalDetails } from './approval-details.js'
import { Deadline } from './deadline.js'
import { DecideForm } from './decide-form.js'
import { describeEnd, statusNames, statusTones } from './status-words.js'

export function ApprovalPage({ id }: { id: string }): ReactNode {
  const approval = useResource<Approval>(`/api/edictum/v1/approvals/${encodeURIComponent(id)}`, ['approvals'])
  const [news, setNews] = useState('')
  return (
    <Page title="Approval">
      <p>
        <Link to="/approvals">All approvals</Link>
      </p>
      <p role="status" className="news">
        {news}
      </p>
      <Loaded resource={approval} what="the approval">
        {(shown) => (
          <article className="card">
            <h2>
              <UntrustedText text={shown.tool_name} />{' '}
              <Badge tone={statusTones[shown.status]}>{statusNames[shown.status]}</Badge>
            </h2>
            {shown.status === 'pending' ? (
              <Deadline approval={shown} onOver={approval.reload} />
            ) : (
              <End approval={shown} />
            )}
            <ApprovalDetails approval={shown} />
            {shown.status === 'pending' && (
              <DecideForm
                approval={shown}
                onDecided={({ status }) => setNews(`${statusNames[status]}. The decision is on record.`)}
              />
            )}
          </article>
        )}
      </Loaded>
    </Page>
  )
}

function End({ approval }: { approval: Approval }): ReactNode {
  return (
    <>
      <p>
        <UntrustedText text={describeEnd(approval)} most={500} />
      </p>
      <Facts
        facts={[
          [
            'Reason',
            <UntrustedText key="reason" text={approval.decision_reason ?? 'none given'} most={2_000} />,
          ],
          ['When', approval.decided_at === null ? null : <Moment key="when" at={approval.decided_at} />],
          [
            'Through',
            approval.decided_via === null ? null : <UntrustedText key="via" text={approval.decided_via} />,
          ],
        ]}
      />
    </>
  )
}
