// Approvals where the agent's user sits: the MCP client of a server is asked to show the question.
import type { ApprovalBackend, ApprovalDecision } from '../../guard/ports/approval-backend.js'
import { randomId } from '../../internal/platform.js'

/** The part of an SDK's `Server` that asks its client. */
export interface ElicitingServer {
  getClientCapabilities(): { readonly elicitation?: unknown } | undefined
  elicitInput(
    params: {
      mode: 'form'
      message: string
      requestedSchema: { type: 'object'; properties: Record<string, never> }
    },
    options: { timeout: number; signal?: AbortSignal },
  ): Promise<{ readonly action: string }>
}

/** For the option `approvalBackend` of a guard. A client that cannot ask its user gets no approvals. */
export function elicitationApprovals(server: ElicitingServer): ApprovalBackend {
  const answers = new Map<string, Promise<ApprovalDecision>>()
  return {
    // oxlint-disable-next-line max-params -- the port has four
    requestApproval: async (toolName, _args, message, { timeout, signal }) => {
      if (server.getClientCapabilities()?.elicitation === undefined)
        throw new Error('the MCP client cannot ask its user')
      const asked = server.elicitInput(
        {
          mode: 'form',
          message: `${message} (tool: ${toolName})`,
          requestedSchema: { type: 'object', properties: {} },
        },
        { timeout: timeout * 1_000, ...(signal === undefined ? {} : { signal }) },
      )
      const approvalId = randomId()
      const answer = asked.then(({ action }): ApprovalDecision => decisionOf(action))
      // Whoever waits gets the failure; nobody waiting is no reason to end the process.
      answer.catch(() => undefined)
      answers.set(approvalId, answer)
      return { approvalId }
    },
    waitForDecision: async (approvalId) => {
      const answer = answers.get(approvalId)
      answers.delete(approvalId)
      return answer ?? { approved: false, status: 'denied', reason: 'nobody was asked' }
    },
  }
}

function decisionOf(action: string): ApprovalDecision {
  return action === 'accept'
    ? { approved: true, status: 'approved', approver: 'the user of the MCP client' }
    : {
        approved: false,
        status: 'denied',
        reason: action === 'decline' ? 'The user declined.' : 'The user did not answer.',
      }
}
