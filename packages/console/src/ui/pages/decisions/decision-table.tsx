import type { ReactNode } from 'react'
import type { DecisionRow } from '../../../protocol/decisions.js'
import { Link } from '../../navigation/router.js'
import { Badge } from '../../parts/badge.js'
import { Moment } from '../../parts/moment.js'
import { Table } from '../../parts/table.js'
import { UntrustedText } from '../../parts/untrusted-text.js'
import { actionName, actionTone } from './action-words.js'

export function DecisionTable({
  decisions,
  label,
}: {
  decisions: readonly DecisionRow[]
  label: string
}): ReactNode {
  return (
    <Table label={label} headings={['Time', 'What', 'Tool', 'Contract and reason', 'Agent']} onPhone="lines">
      {decisions.map((decision) => (
        <tr key={decision.id}>
          <td>
            <Link to={`/decisions/${decision.id}`}>
              <Moment at={decision.at} />
            </Link>
          </td>
          <td>
            <ActionBadge action={decision.action} />{' '}
            {decision.mode === 'observe' && <Badge tone="dull">observe</Badge>}
          </td>
          <td>
            <UntrustedText text={decision.tool_name} most={80} />
          </td>
          <td>
            {decision.contract !== null && (
              <strong>
                <UntrustedText text={decision.contract} most={80} />{' '}
              </strong>
            )}
            {decision.reason !== null && <UntrustedText text={decision.reason} most={140} />}
          </td>
          <td>
            <UntrustedText text={decision.agent_id} most={60} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

export function ActionBadge({ action }: { action: string }): ReactNode {
  return (
    <Badge tone={actionTone(action)}>
      <UntrustedText text={actionName(action)} most={40} />
    </Badge>
  )
}
