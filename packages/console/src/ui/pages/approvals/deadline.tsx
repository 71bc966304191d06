import { type ReactNode, useEffect } from 'react'
import type { Approval } from '../../../protocol/approvals.js'
import { useNow } from '../../parts/moment.js'
import { formatDuration, formatTime } from '../../parts/time-words.js'

/** How long there is left to decide, and what happens when nobody does. */
export function Deadline({ approval, onOver }: { approval: Approval; onOver: () => void }): ReactNode {
  const left = Date.parse(approval.expires_at) - useNow(1_000)
  // Every second from then on: the clock of the server decides when it is over.
  useEffect(() => {
    if (left <= 0) onOver()
  }, [left, onOver])
  const share = left / (approval.timeout_seconds * 1_000)
  return (
    <p className="deadline" data-urgency={share < 0.2 ? 'high' : share < 0.6 ? 'some' : 'low'}>
      <strong>{left > 0 ? `${formatDuration(left)} left` : 'Out of time'}</strong>
      {'. '}
      {approval.timeout_effect === 'allow' ? (
        <strong>The call runs if nobody decides</strong>
      ) : (
        'The call is denied if nobody decides'
      )}{' '}
      before {formatTime(Date.parse(approval.expires_at))}.
    </p>
  )
}
