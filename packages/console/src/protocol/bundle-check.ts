// POST /api/edictum/v1/bundles/check  BundleCheck → BundleFindings: what is wrong with a draft, or what it would decide
// GET  /api/edictum/v1/bundles/schema → the JSON Schema of contracts
import type { ContractExplanation } from './explanations.js'

export interface BundleCheck {
  readonly yaml_content: string
  /** Judged when the draft loads. */
  readonly call?: TriedCall
}

export interface TriedCall {
  readonly tool_name: string
  readonly tool_args: Readonly<Record<string, unknown>>
  readonly environment?: string
  readonly principal?: Readonly<Record<string, unknown>> | null
  readonly output?: unknown
}

/** A draft that does not load is an answer here, not an error: people are still writing it. */
export type BundleFindings =
  | { readonly ok: false; readonly faults: readonly BundleFault[] }
  | {
      readonly ok: true
      readonly name: string
      readonly contracts: readonly { readonly id: string; readonly type: string; readonly mode: string }[]
      readonly judgement: TriedJudgement | null
    }

export interface BundleFault {
  readonly message: string
  readonly line: number | null
  readonly column: number | null
  readonly hint: string | null
}

export interface TriedJudgement {
  readonly verdict: 'allow' | 'deny' | 'approve' | 'warn'
  readonly deciding_contract: string | null
  readonly contracts: readonly {
    readonly id: string
    readonly type: string
    readonly matched: boolean
    readonly effect: string
    readonly message: string | null
    readonly observed: boolean
  }[]
  /** The condition tree of every contract, with what each leaf saw. */
  readonly explanations: readonly ContractExplanation[]
}
