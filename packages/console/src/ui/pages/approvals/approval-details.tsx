import type { ReactNode } from 'react'
import type { Approval } from '../../../protocol/approvals.js'
import { Link } from '../../navigation/router.js'
import { Facts } from '../../parts/facts.js'
import { Ago } from '../../parts/moment.js'
import { UntrustedData, UntrustedText } from '../../parts/untrusted-text.js'

/** What exactly is asked, by whom and why. */
export function ApprovalDetails({ approval }: { approval: Approval }): ReactNode {
  const { principal, metadata, session_id: session } = approval
  return (
    <>
      <p className="message">
        <UntrustedText text={approval.message} most={10_000} />
      </p>
      <Facts
        facts={[
          ['Agent', <UntrustedText key="agent" text={approval.agent_id} />],
          ['Environment', <UntrustedText key="env" text={approval.env} />],
          [
            'Contract',
            approval.contract_name === null ? null : <UntrustedText key="c" text={approval.contract_name} />,
          ],
          [
            'Session',
            session === null ? null : (
              <Link key="session" to={`/sessions/${encodeURIComponent(session)}`}>
                <UntrustedText text={session} />
              </Link>
            ),
          ],
          ['Asked', <Ago key="asked" at={approval.created_at} />],
        ]}
      />
      <h3>Arguments, exactly as the call will run</h3>
      <UntrustedData value={approval.tool_args} label="Arguments" />
      {principal !== null && (
        <details>
          <summary>On whose behalf</summary>
          <UntrustedData value={principal} label="Principal" />
        </details>
      )}
      {Object.keys(metadata).length > 0 && (
        <details>
          <summary>More about it</summary>
          <UntrustedData value={metadata} label="Metadata" />
        </details>
      )}
    </>
  )
}
