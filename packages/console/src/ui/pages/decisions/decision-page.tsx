// One decision with everything that is known about it.
import type { ReactNode } from 'react'
import type { TriedJudgement } from '../../../protocol/bundle-check.js'
import type { Decision, DecisionExplanation } from '../../../protocol/decisions.js'
import { useResource } from '../../data/use-resource.js'
import { Link } from '../../navigation/router.js'
import { Badge } from '../../parts/badge.js'
import { ContractConditions } from '../../parts/condition-tree.js'
import { Facts } from '../../parts/facts.js'
import { Moment } from '../../parts/moment.js'
import { Page } from '../../parts/page.js'
import { formatWhole } from '../../parts/time-words.js'
import { Loaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
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
  // Judging a call again takes a moment; everything else is there without it.
  const explaining = useResource<DecisionExplanation>(
    `/api/edictum/v1/decisions/${encodeURIComponent(decision.id)}/explanation`,
  )
  const explanation = explaining.value
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
        <DecisionFacts decision={decision} fields={fields} version={explanation?.contract_version ?? null} />
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
      <ContractsEvaluated
        records={fields.contracts}
        total={fields.contractCount}
        isEnd={fields.toolSuccess !== null}
      />
      <section aria-labelledby="why">
        <h2 id="why">Why: every condition and what it saw</h2>
        <Loaded resource={explaining} what="why">
          {({ contract_version: version, judgement, agrees }) =>
            judgement === null ? (
              <NotExplained version={version} />
            ) : (
              <Explanation judgement={judgement} agrees={agrees} />
            )
          }
        </Loaded>
      </section>
      <Outcome fields={fields} />
      <CallPath decision={decision} judgedInMs={explanation?.judged_in_ms ?? null} />
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

function DecisionFacts({
  decision,
  fields,
  version,
}: {
  decision: Decision
  fields: EventFields
  version: DecisionExplanation['contract_version']
}): ReactNode {
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
          version !== null ? (
            <Link key="v" to={`/contracts/${encodeURIComponent(version.name)}/edit/${version.version}`}>
              {version.name}, version {version.version}
            </Link>
          ) : fields.policyVersion === null ? null : (
            <UntrustedText key="v" text={fields.policyVersion} />
          ),
        ],
        ['Attempts in the session', fields.attempts],
        ['Executions in the session', fields.executions],
      ]}
    />
  )
}

function Explanation({
  judgement,
  agrees,
}: {
  judgement: TriedJudgement
  agrees: DecisionExplanation['agrees']
}): ReactNode {
  return (
    <>
      <p className="muted">
        The call on record, judged again by the version of the contracts it was decided under.
        {agrees === false &&
          ' The result is another one than at the time: what was masked or cut on the way here, or a fact of that moment, made the difference.'}
      </p>
      {judgement.explanations.length === 0 ? (
        <p className="muted">No contract of this version looks at this tool before it runs.</p>
      ) : (
        <Table label="Why" headings={['Contract', 'Result', 'Conditions']}>
          {judgement.explanations.map((contract) => (
            <tr key={contract.contractId}>
              <td>
                <UntrustedText text={contract.contractId} />
              </td>
              <td>
                <Badge tone={contract.outcome === 'not-matched' ? 'good' : 'bad'}>
                  {contract.outcome === 'not-matched' ? 'passed' : 'fired'}
                </Badge>
              </td>
              <td>
                <ContractConditions contract={contract} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  )
}

function NotExplained({ version }: { version: DecisionExplanation['contract_version'] }): ReactNode {
  return version === null ? (
    <p className="muted">
      The contracts this call was decided under are not stored here.{' '}
      <Link to="/contracts-new">Save them</Link> as a bundle, byte by byte as the agent has them, and calls
      like this one are explained.
    </p>
  ) : (
    <p className="muted">What is on record of this call is not enough to judge it again.</p>
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
          ['Took', durationMs === null ? null : formatWhole(durationMs)],
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
