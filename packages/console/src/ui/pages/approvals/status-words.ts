import type { Approval, ApprovalStatus } from '../../../protocol/approvals.js'

export const statusNames: Record<ApprovalStatus, string> = {
  pending: 'Waiting',
  approved: 'Approved',
  denied: 'Denied',
  timeout: 'Nobody decided',
  cancelled: 'Withdrawn',
}

export const statusTones: Record<ApprovalStatus, 'good' | 'bad' | 'open' | 'dull'> = {
  pending: 'open',
  approved: 'good',
  denied: 'bad',
  timeout: 'dull',
  cancelled: 'dull',
}

/** What became of the call, in a sentence. */
export function describeEnd({ status, timeout_effect: effect, decided_by: by }: Approval): string {
  switch (status) {
    case 'pending':
      return 'Waits for a decision.'
    case 'approved':
      return `Approved by ${by ?? 'somebody'}; the call was allowed to run.`
    case 'denied':
      return `Denied by ${by ?? 'somebody'}; the call did not run.`
    case 'timeout':
      return `Nobody decided in time; the call was ${effect === 'allow' ? 'allowed to run' : 'denied'}.`
    case 'cancelled':
      return 'The agent stopped waiting before anybody decided.'
  }
}
