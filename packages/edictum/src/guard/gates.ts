// Gates that a face of the guard puts between its steps: admission, time and consent of its own. Each may refuse, in every
// mode; none can let through what the guard refuses.
import type { ToolEnvelope } from '../policy/envelope.js'
import type { Denial, Refused } from './denial.js'
import type { AuditOutcome } from './ports/audit-event.js'
import type { Judgement } from './judge.js'

export interface CallGates {
  /** A reason to refuse that is known already. The attempt is counted, and its limit speaks first. */
  readonly obstacle?: GateDenial | undefined
  /** Waits for somebody between the attempt limit and the contracts: refuses, or says with which arguments to go on. */
  readonly enter?: (() => Promise<GateEntry>) | undefined
  /** Whether `consent` may take time: then the execution slot is not held meanwhile. */
  readonly mayWait: boolean
  /** After every contract agreed, before a person is asked on behalf of one. */
  consent(
    envelope: ToolEnvelope,
    needsApproval: boolean,
  ): GateDenial | undefined | Promise<GateDenial | undefined>
  /** How long an approval may be waited for at most. */
  approvalWaitMs(): number
  /** With the slot in hand: the last word before the tool runs. */
  depart(): GateDenial | undefined
  /** How the refusal is called on record. */
  outcomeOf(refused: Refused): AuditOutcome
}

/** Why a gate refused: a short name for code, and what the agent may be told. */
export interface GateDenial {
  readonly gate: string
  readonly reason: string
}

export type GateEntry =
  | { readonly kind: 'entered'; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly denial: GateDenial }

export const gateSource = 'harness:'

export function denialOf({ gate, reason }: GateDenial): Denial {
  return { source: `${gateSource}${gate}`, name: null, reason, isBinding: true }
}

/** For a call that is refused before the contracts are asked, so that it is counted and on record like any other. */
export function closedGates(obstacle: GateDenial): CallGates {
  return {
    obstacle,
    mayWait: false,
    consent: () => obstacle,
    approvalWaitMs: () => 0,
    depart: () => obstacle,
    outcomeOf: () => ({ kind: 'denied', reason: obstacle.gate }),
  }
}

/** What becomes of a tool's ending before the call is counted and recorded. */
export type Conclude = (judged: JudgedEnding) => Conclusion | Promise<Conclusion>

export interface JudgedEnding {
  readonly judgement: Judgement
  /** As the agent may see it. */
  readonly shown: unknown
  /** As it may be kept: masked also where the agent's copy is left alone. */
  readonly stored: unknown
  readonly isSuppressed: boolean
  readonly warnings: readonly string[]
}

export interface Conclusion {
  readonly outcome: AuditOutcome
  /** Why a success is none after all: the call counts as failed. */
  readonly fault?: string
}
