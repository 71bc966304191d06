import { type ReactNode, useState } from 'react'
import type { Approval, ApprovalDecide } from '../../../protocol/approvals.js'
import { request } from '../../data/request.js'
import { useAction } from '../../data/use-action.js'
import { useMay } from '../../data/use-visitor.js'
import { ActionButton } from '../../parts/button.js'
import { Field } from '../../parts/field.js'
import { Failure } from '../../parts/states.js'

/** Bound to the arguments that are shown: whoever approves them approves nothing else. */
export function DecideForm({
  approval,
  onDecided,
}: {
  approval: Approval
  onDecided: (approval: Approval) => void
}): ReactNode {
  const mayApprove = useMay('approve')
  const [reason, setReason] = useState('')
  const decide = useAction(
    (decision: ApprovalDecide['decision']) =>
      request<Approval>(`/api/edictum/v1/approvals/${approval.id}/decide`, {
        method: 'POST',
        body: {
          decision,
          args_hash: approval.args_hash,
          ...(reason.trim() === '' ? {} : { reason }),
        } satisfies ApprovalDecide,
      }),
    onDecided,
  )
  if (!mayApprove)
    return <p className="muted">Your role can look, but not decide. Approvers and administrators can.</p>
  return (
    <div className="decide">
      <Field label="Reason" hint="Kept on record; the agent sees it when the call is denied.">
        {(control) => (
          <textarea
            {...control}
            rows={2}
            maxLength={2_000}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        )}
      </Field>
      {decide.failure !== undefined && <Failure failure={decide.failure} />}
      <div className="buttons">
        <ActionButton className="primary" isRunning={decide.isRunning} onClick={() => decide.run('approved')}>
          Approve and run
        </ActionButton>
        <ActionButton className="danger" isRunning={decide.isRunning} onClick={() => decide.run('denied')}>
          Deny
        </ActionButton>
      </div>
    </div>
  )
}
