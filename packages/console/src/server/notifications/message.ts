// What is said through a channel, in the form the other side understands.
import { createHmac } from 'node:crypto'
import type { StoredApproval } from '../../store/approvals.js'
import type { Channel } from '../../store/notifications.js'

export interface ChannelConfig {
  readonly url: string
  /** Signs what is sent. */
  readonly secret?: string
}

export interface Message {
  readonly event: 'approval_requested' | 'approval_decided' | 'test'
  readonly fields: Readonly<Record<string, unknown>>
  /** For people. */
  readonly text: string
}

export function describeApproval(
  approval: StoredApproval,
  place: { readonly tenantId: string; readonly baseUrl: string },
): Message {
  const { id, agentId, toolName, message, env, status, decidedBy, decisionReason } = approval
  const url = `${place.baseUrl}/approvals/${id}`
  if (status === 'pending')
    return {
      event: 'approval_requested',
      fields: {
        approval_id: id,
        agent_id: agentId,
        tool_name: toolName,
        tool_args: JSON.parse(approval.toolArgs) as unknown,
        args_hash: approval.argsHash,
        message,
        env,
        timeout_seconds: approval.timeoutSeconds,
        timeout_effect: approval.timeoutEffect,
        tenant_id: place.tenantId,
        contract_name: approval.contractName,
        url,
      },
      text: `${agentId} (${env}) asks to run ${toolName}: ${message}\n${url}`,
    }
  return {
    event: 'approval_decided',
    fields: {
      approval_id: id,
      agent_id: agentId,
      tool_name: toolName,
      env,
      status,
      decided_by: decidedBy,
      reason: decisionReason,
      url,
    },
    text: `${toolName} of ${agentId} (${env}): ${status}${decidedBy === null ? '' : ` by ${decidedBy}`}\n${url}`,
  }
}

export function writeBody(type: Channel['type'], { event, fields, text }: Message): string {
  return type === 'slack'
    ? JSON.stringify({ text: escapeSlack(text).slice(0, 3_000) })
    : JSON.stringify({ event, ...fields })
}

/** With the time in what is signed, so that a message overheard cannot be sent again later. */
export function signatureHeaders(
  { secret }: ChannelConfig,
  { body, id, now }: { readonly body: string; readonly id: string; readonly now: number },
): Readonly<Record<string, string>> {
  const time = Math.floor(now / 1_000)
  const identity = { 'X-Edictum-Delivery': id }
  if (secret === undefined) return identity
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  return { ...identity, 'X-Edictum-Signature': `t=${time},v1=${signature}` }
}

/** Else an agent's words could name people or hide a link. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
