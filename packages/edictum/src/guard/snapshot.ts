// Step 1: the call as it will be judged and run, frozen, with who it is made for and how much it can change.
import { messageOf } from '../internal/message-of.js'
import { randomId } from '../internal/platform.js'
import { bashCommandOf, filePathOf, type ToolEnvelope } from '../policy/envelope.js'
import type { CallRequest } from './call-request.js'
import { checkToolName } from './envelope.js'
import { frozenCopy, noFields } from './frozen-data.js'
import { denialOf } from './gates.js'
import type { GuardParts, GuardState } from './guard-parts.js'
import type { CallSnapshot } from './guarded-call.js'
import { snapshotPrincipal } from './principal.js'
import { checkSessionId } from './session-id.js'
import { classifySideEffect } from './side-effect.js'

/** @throws EdictumConfigError for a request that is no call: a bad name or id, data that cannot be copied. */
export function snapshot(parts: GuardParts, state: GuardState, request: CallRequest): CallSnapshot {
  const { toolName, options } = request
  const sessionId = options.sessionId === undefined ? parts.sessionId : checkSessionId(options.sessionId)
  checkToolName(toolName)
  const args = frozenCopy(request.args, 'arguments')
  const { principal, obstacle } = principalOf(parts, request, args)
  const { descriptor } = state.policy.planFor(toolName)
  const bashCommand = bashCommandOf(toolName, args)
  const envelope: ToolEnvelope = Object.freeze({
    toolName,
    args,
    callId: options.callId ?? randomId(),
    runId: sessionId,
    callIndex: options.callIndex ?? 0,
    parentCallId: options.parentCallId ?? null,
    sideEffect: classifySideEffect(options.sideEffect, bashCommand, descriptor),
    idempotent: descriptor?.idempotent ?? false,
    environment: options.environment ?? parts.environment,
    timestamp: parts.clock.now(),
    caller: options.caller ?? '',
    toolUseId: options.toolUseId ?? null,
    principal,
    bashCommand,
    filePath: filePathOf(toolName, args),
    metadata: options.metadata === undefined ? noFields : frozenCopy(options.metadata, 'metadata'),
  })
  const { gates, signal, pausing } = options
  // A gate refuses in every mode, so what it found counts before what only an enforcing guard refuses.
  const found = gates?.obstacle === undefined ? obstacle : denialOf(gates.obstacle)
  return { envelope, sessionId, signal, obstacle: found, gates, pausing }
}

/** When nobody can say who the call is made for, it is denied, and on record. */
function principalOf(
  parts: GuardParts,
  { toolName, options }: CallRequest,
  args: Readonly<Record<string, unknown>>,
): Pick<CallSnapshot, 'obstacle'> & Pick<CallSnapshot['envelope'], 'principal'> {
  if (options.principal !== undefined)
    return { principal: snapshotPrincipal(options.principal), obstacle: undefined }
  try {
    return { principal: parts.principalFor(toolName, args), obstacle: undefined }
  } catch (error) {
    const reason = `The principal could not be resolved: ${messageOf(error)}`
    return {
      principal: null,
      obstacle: { source: 'principal_error', name: null, reason, policyError: true },
    }
  }
}
