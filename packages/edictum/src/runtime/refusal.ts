// What a refusal of the guard is to the model.
import type { Refused } from '../guard/denial.js'
import { gateSource } from '../guard/gates.js'
import { cut } from '../policy/redaction/redaction-policy.js'
import type { DenialPolicy, DenialReason } from './outcome.js'

/** The gate of calls to tools that do not exist; the one refusal that is a failure. */
export const unknownToolGate = 'unknown_tool'

export function isUnknownTool({ decisionSource }: Refused): boolean {
  return decisionSource === `${gateSource}${unknownToolGate}`
}

/** Gates of the runtime speak for themselves; whatever the contracts refuse is a pre-tool refusal. */
export function reasonOf({ decisionSource, lacksConsent }: Refused): DenialReason {
  if (decisionSource?.startsWith(gateSource) === true)
    return decisionSource.slice(gateSource.length) as DenialReason
  if (decisionSource === 'cancelled') return 'cancelled'
  return lacksConsent ? 'write_denied' : 'pre_hook'
}

const longestDetails = 2_000

/** What went wrong while judging is for the record, not for the model. */
export function detailsOf({ policyError, reason }: Refused): string {
  return policyError ? 'The call could not be judged, so it was not run.' : cut(reason, longestDetails)
}

/** Undefined when no contract stands behind the refusal. */
export function policyOf(refused: Refused): DenialPolicy | undefined {
  const { decisionSource: source, decisionName: contractId, tags, policyVersion } = refused
  if (source === null || source === 'cancelled' || source.startsWith(gateSource)) return undefined
  return Object.freeze({ source, contractId, tags, policyVersion })
}
