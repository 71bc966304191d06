// Calls that were made, judged again by a draft: what would be different.
import { type Diagnostic, EdictumConfigError } from 'edictum'
import { judge, judgeOnly } from './evaluate.js'

export type ReplayVerdict = 'allow' | 'deny' | 'approve'

export interface RecordedCall {
  readonly toolName: string
  readonly args: Readonly<Record<string, unknown>>
  readonly environment: string
  readonly principal: Readonly<Record<string, unknown>> | null
  readonly verdict: ReplayVerdict
  readonly decidedBy: string | null
  readonly agentId: string
  readonly timestamp: string
  readonly callId: string | null
}

/** Calls of one tool that would end differently for the same reason. */
export interface ReplayGroup {
  readonly tool: string
  readonly before: ReplayVerdict
  readonly after: ReplayVerdict
  readonly contract: string | null
  readonly previousContract: string | null
  count: number
  readonly examples: RecordedCall[]
}

export type Replay =
  | {
      readonly ok: true
      readonly replayed: number
      readonly changed: number
      readonly groups: readonly ReplayGroup[]
      readonly failures: number
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] }

const mostExamples = 3

export function replayCalls(text: string, calls: readonly RecordedCall[]): Replay {
  try {
    const { guard } = judgeOnly(text)
    const groups = new Map<string, ReplayGroup>()
    let changed = 0
    let failures = 0
    for (const call of calls) {
      let after: ReplayVerdict
      let contract: string | null
      try {
        const judged = judge(guard, call)
        after = judged.verdict === 'warn' ? 'allow' : judged.verdict
        contract = judged.decidingContract
      } catch (error) {
        // What was recorded need not be a call our guard can read: arguments may have been cut or masked.
        if (!(error instanceof EdictumConfigError)) throw error
        failures++
        continue
      }
      if (after === call.verdict) continue
      changed++
      addTo(groups, { call, after, contract })
    }
    const sorted = [...groups.values()].toSorted((left, right) => right.count - left.count)
    return { ok: true, replayed: calls.length - failures, changed, groups: sorted, failures }
  } catch (error) {
    if (error instanceof EdictumConfigError) return { ok: false, diagnostics: error.diagnostics }
    throw error
  }
}

function addTo(
  groups: Map<string, ReplayGroup>,
  { call, after, contract }: { call: RecordedCall; after: ReplayVerdict; contract: string | null },
): void {
  const { toolName: tool, verdict: before, decidedBy: previousContract } = call
  const name = JSON.stringify([tool, before, after, contract, previousContract])
  let group = groups.get(name)
  if (group === undefined) {
    group = { tool, before, after, contract, previousContract, count: 0, examples: [] }
    groups.set(name, group)
  }
  group.count++
  if (group.examples.length < mostExamples) group.examples.push(call)
}
