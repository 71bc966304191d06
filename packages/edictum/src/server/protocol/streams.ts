// What a server tells our own client over its stream: `GET /api/edictum/v1/stream?bundle_name=N&policy_version=H&tags=JSON`.
//
//   event: bundle_updated      BundleNotice: fetch the bundle; it may be another one than before
//   event: approval_decided    ApprovalNotice: an approval this agent asked for is no longer pending
//
// On connect comes a notice about the agent's bundle, unless `policy_version` is its hash. Lines that begin with a colon only
// keep the connection open. A stream never ends by itself; when it breaks, wait a little, with some randomness, and come back.

export const bundleUpdatedEvent = 'bundle_updated'
export const approvalDecidedEvent = 'approval_decided'

export interface ApprovalNotice {
  readonly approval_id: string
  readonly status: string
}
