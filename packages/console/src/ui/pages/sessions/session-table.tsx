import type { ReactNode } from 'react'
import type { SessionRow } from '../../../protocol/agent-sessions.js'
import { Link } from '../../navigation/router.js'
import { Badge } from '../../parts/badge.js'
import { Ago } from '../../parts/moment.js'
import { Table } from '../../parts/table.js'
import { formatDuration } from '../../parts/time-words.js'
import { UntrustedText } from '../../parts/untrusted-text.js'

/** An agent that asks and asks and gets nothing done. */
const fewestAttempts = 5
const stuckRatio = 3

export function SessionTable({
  sessions,
  label,
}: {
  sessions: readonly SessionRow[]
  label: string
}): ReactNode {
  return (
    <Table
      label={label}
      headings={[
        'Session',
        'Agent',
        'Environment',
        'Attempts',
        'Ran',
        'Denied',
        'Failed',
        'Lasted',
        'Heard of',
      ]}
    >
      {sessions.map((session) => (
        <tr key={`${session.session_id}\n${session.agent_id}\n${session.env}`}>
          <td>
            <Link to={`/sessions/${encodeURIComponent(session.session_id)}`}>
              <UntrustedText text={session.session_id} most={80} />
            </Link>
          </td>
          <td>
            <UntrustedText text={session.agent_id} most={60} />
          </td>
          <td>{session.env}</td>
          <td>{session.attempts}</td>
          <td>
            {session.executions} {isStuck(session) && <Badge tone="bad">stuck?</Badge>}
          </td>
          <td>{session.denied}</td>
          <td>{session.failed}</td>
          <td>{formatDuration(Date.parse(session.last_at) - Date.parse(session.first_at))}</td>
          <td>
            <Ago at={session.last_at} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

function isStuck({ attempts, executions }: SessionRow): boolean {
  return attempts >= fewestAttempts && attempts >= stuckRatio * Math.max(1, executions)
}
