// One decision with everything that is known about it.
import type { ReactNode } from 'react'
import type { Decision } from '../../../protocol/decisions.js'
import { useResource } from '../../data/use-resource.js'
import { Link } from '../../navigation/router.js'
import { Facts } from '../../parts/facts.js'
import { Moment } from '../../parts/moment.js'
import { Page } from '../../parts/page.js'
import { Loaded } from '../../parts/states.js'
import { UntrustedData, UntrustedText } from '../../parts/untrusted-text.js'
import { CallPath } from './call-path-list.js'
import { ContractsEvaluated } from './contracts-evaluated.js'
import { ActionBadge, DecisionTable } from './decision-table.js'
import { readEventFields, type EventFields } from './event-fields.js'

export function DecisionPage({ id }: { id: string }): ReactNode {
  const decision = useResource<Decision>(`/api/edictum/v1/decisions/${encodeURIComponent(id)}`, ['events'])
  return (
    <Page title="Decision">
      <p>
        <Link to="/decisions">All decisions</Link>
      </p>
      <Loaded resource={decision} what="the decision">
        {(shown) => <Opened decision={shown} fields={readEventFields(shown.event)} />}
      </Loaded>
    </Page>
  )
}

function Opened({ decision, fields }: { decision: Decision; fields: EventFields }): ReactNode {
  return (
    <>
      <section className="card" aria-label="Summary">
        <h2>
          <UntrustedText text={decision.tool_name} /> <ActionBadge action={decision.action} />
        </h2>
        {fields.reason !== null && (
          <p className="message">
            <UntrustedText text={fields.reason} most={4_000} />
          </p>
        )}
        <DecisionFacts decision={decision} fields={fields} />
      </section>
      <section aria-labelledby="call">
        <h2 id="call">The call</h2>
        <h3>Arguments, as recorded (secrets are masked by the agent)</h3>
        <UntrustedData value={fields.toolArgs ?? {}} label="Arguments" />
        {fields.principal !== null && (
          <>
            <h3>On whose behalf</h3>
            <UntrustedData value={fields.principal} label="Principal" />
          </>
        )}
      </section>
      <ContractsEvaluated records={fields.contracts} total={fields.contractCount} />
      <Outcome fields={fields} />
      <CallPath decision={decision} />
      <section aria-labelledby="related">
        <h2 id="related">All events of this call</h2>
        <DecisionTable decisions={decision.related} label="Events of this call, oldest first" />
      </section>
      <details>
        <summary>The event as it came</summary>
        <UntrustedData value={decision.event} label="Event" />
      </details>
    </>
  )
}

function DecisionFacts({ decision, fields }: { decision: Decision; fields: EventFields }): ReactNode {
  const { contract, session_id: session } = decision
  return (
    <Facts
      facts={[
        ['When', <Moment key="when" at={decision.at} />],
        ['Received', <Moment key="received" at={decision.received_at} />],
        ['Agent', <Filtered key="agent" name="agent_id" value={decision.agent_id} />],
        [
          'Session',
          session === null ? null : (
            <Link key="session" to={`/sessions/${encodeURIComponent(session)}`}>
              <UntrustedText text={session} />
            </Link>
          ),
        ],
        ['Environment', <UntrustedText key="env" text={decision.env} />],
        ['Contract', contract === null ? null : <Filtered key="contract" name="contract" value={contract} />],
        [
          'Decided by',
          fields.decisionSource === null ? null : <UntrustedText key="s" text={fields.decisionSource} />,
        ],
        ['Mode', <UntrustedText key="mode" text={decision.mode} />],
        [
          'Side effect',
          fields.sideEffect === null ? null : <UntrustedText key="e" text={fields.sideEffect} />,
        ],
        [
          'Contract version',
          fields.policyVersion === null ? null : <UntrustedText key="v" text={fields.policyVersion} />,
        ],
        ['Attempts in the session', fields.attempts],
        ['Executions in the session', fields.executions],
      ]}
    />
  )
}

function Filtered({ name, value }: { name: string; value: string }): ReactNode {
  return (
    <Link to={`/decisions?${new URLSearchParams({ [name]: value }).toString()}`}>
      <UntrustedText text={value} />
    </Link>
  )
}

function Outcome({ fields }: { fields: EventFields }): ReactNode {
  const { toolSuccess, resultSummary, error, durationMs, outcome } = fields
  if (toolSuccess === null && resultSummary === null && error === null && outcome === null) return null
  return (
    <section aria-labelledby="outcome">
      <h2 id="outcome">Outcome</h2>
      <Facts
        facts={[
          ['The tool', toolSuccess === null ? null : toolSuccess ? 'succeeded' : 'failed'],
          ['Took', durationMs === null ? null : `${durationMs} ms`],
          [
            'Postconditions',
            fields.postconditionsPassed === null
              ? null
              : fields.postconditionsPassed
                ? 'passed'
                : 'did not pass',
          ],
        ]}
      />
      {error !== null && <UntrustedData value={error} label="Error" />}
      {resultSummary !== null && <UntrustedData value={resultSummary} label="Result" />}
      {outcome !== null && <UntrustedData value={outcome} label="Typed outcome" />}
    </section>
  )
}
