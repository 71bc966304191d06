// Calls that were made, judged again by a draft: what would be different.
import { type Diagnostic, EdictumConfigError } from 'edictum'
import { type RecordedCall as Call, Replay as Replayer, type ReplayGroup as Group } from 'edictum/history'
import { judgeOnly } from './evaluate.js'

export interface RecordedCall extends Call {
  readonly agentId: string
  readonly timestamp: string
}

export type ReplayGroup = Group<RecordedCall>

export type Replay =
  | {
      readonly ok: true
      readonly replayed: number
      readonly changed: number
      readonly groups: readonly ReplayGroup[]
      readonly failures: number
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] }

export function replayCalls(text: string, calls: readonly RecordedCall[]): Replay {
  try {
    const replay = new Replayer<RecordedCall>(judgeOnly(text).guard)
    for (const call of calls) replay.add(call)
    const { replayed, changed, groups, failures } = replay
    return { ok: true, replayed, changed, groups: groups.filter(({ isChange }) => isChange), failures }
  } catch (error) {
    if (error instanceof EdictumConfigError) return { ok: false, diagnostics: error.diagnostics }
    throw error
  }
}
