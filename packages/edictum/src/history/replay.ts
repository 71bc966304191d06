// Calls that were made, judged again by other contracts: what would be different, grouped, with examples.
import { EdictumConfigError } from '../contracts/config-error.js'
import type { CallJudge } from '../guard/call-judge.js'
import { decisionOf } from '../policy/decision.js'
import type { ContractResult } from '../policy/evaluation.js'
import type { RecordedCall, RecordedVerdict } from './recorded-call.js'

/** Whether a call that ended one way and would now end another counts as changed. */
export type ChangeRule = (before: RecordedVerdict, after: RecordedVerdict) => boolean

/** Calls of one tool that would be decided differently for the same reason. */
export interface ReplayGroup<Call extends RecordedCall = RecordedCall> {
  readonly tool: string
  readonly before: RecordedVerdict
  readonly after: RecordedVerdict
  /** The contract that decides now; null when none does. */
  readonly contract: string | null
  readonly previousContract: string | null
  readonly isChange: boolean
  /** Calls, however many events each of them has. */
  readonly count: number
  readonly examples: readonly Call[]
}

export interface ReplayedCall {
  readonly after: RecordedVerdict
  readonly decidedBy: ContractResult | null
  readonly isChange: boolean
}

const mostExamples = 3

type Growing<Call extends RecordedCall> = Omit<ReplayGroup<Call>, 'count' | 'examples'> & {
  count: number
  readonly examples: Call[]
}

/** The call would run where it did not, or the other way round, or a person would be asked who was not. */
export const endsDifferently: ChangeRule = (before, after) => {
  const runs = (verdict: RecordedVerdict) => (verdict === 'would_deny' ? 'allow' : verdict)
  return runs(before) !== runs(after)
}

/**
 * The contracts would say no where they said yes, or the other way round, enforced or not. Asking a person is a no, unless
 * a person was asked.
 */
export const decidesDifferently: ChangeRule = (before, after) => {
  if (before === 'approve') return after === 'deny'
  const saidNo = before === 'deny' || before === 'would_deny'
  const saysNo =
    after === 'deny' || after === 'approve' || (after === 'would_deny' && before === 'would_deny')
  return saidNo !== saysNo
}

/** Replays call after call, so that a log of any length can be put through it. */
export class Replay<Call extends RecordedCall = RecordedCall> {
  readonly #judge: CallJudge
  readonly #isChange: ChangeRule
  readonly #groups = new Map<string, Growing<Call>>()
  readonly #grouped = new Set<string>()
  #replayed = 0
  #changed = 0
  #failures = 0

  constructor(judge: CallJudge, isChange: ChangeRule = endsDifferently) {
    this.#judge = judge
    this.#isChange = isChange
  }

  get replayed(): number {
    return this.#replayed
  }

  get changed(): number {
    return this.#changed
  }

  /** What was recorded need not be a call that can be judged: arguments may have been cut or masked. */
  get failures(): number {
    return this.#failures
  }

  /** Those that count as changed first, the largest first. */
  get groups(): readonly ReplayGroup<Call>[] {
    return [...this.#groups.values()].toSorted(
      (left, right) => Number(right.isChange) - Number(left.isChange) || right.count - left.count,
    )
  }

  /** Undefined when the call could not be judged. */
  add(call: Call): ReplayedCall | undefined {
    const replayed = this.#judgeAgain(call)
    if (replayed === undefined) {
      this.#failures++
      return undefined
    }
    this.#replayed++
    if (replayed.isChange) this.#changed++
    if (replayed.after !== call.verdict) this.#addToGroup(call, replayed)
    return replayed
  }

  #judgeAgain(call: Call): ReplayedCall | undefined {
    const { toolName, args, environment, principal, session } = call
    try {
      const context = { environment, principal, ...(session === undefined ? {} : { session }) }
      const { verdict, decidedBy } = decisionOf(this.#judge.evaluate(toolName, args, context))
      const after =
        verdict === 'deny' || verdict === 'approve' || verdict === 'would_deny' ? verdict : 'allow'
      return { after, decidedBy, isChange: this.#isChange(call.verdict, after) }
    } catch (error) {
      if (!(error instanceof EdictumConfigError)) throw error
      return undefined
    }
  }

  #addToGroup(call: Call, { after, decidedBy, isChange }: ReplayedCall): void {
    const { toolName: tool, verdict: before, decidedBy: previousContract, callId } = call
    const contract = decidedBy?.contractId ?? null
    const name = JSON.stringify([tool, before, after, contract, previousContract])
    if (callId !== null) {
      const member = JSON.stringify([callId, before, after, contract])
      if (this.#grouped.has(member)) return
      this.#grouped.add(member)
    }
    let group = this.#groups.get(name)
    if (group === undefined) {
      group = { tool, before, after, contract, previousContract, isChange, count: 0, examples: [] }
      this.#groups.set(name, group)
    }
    group.count++
    if (group.examples.length < mostExamples) group.examples.push(call)
  }
}
