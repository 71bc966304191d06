// The smallest change to a call that would turn its verdict: found by walking the reasons, and tried before it is shown.
import { decisionOf } from '../policy/decision.js'
import type { EvaluationResult } from '../policy/evaluation.js'
import type { ConditionExplanation, LeafExplanation } from '../policy/explanation.js'
import type { CallJudge, EvaluateCall } from './call-judge.js'
import { type LeafValue, valueFor } from './leaf-value.js'
import { withValue } from './changed-call.js'

export interface LeafChange {
  readonly contractId: string
  readonly selector: string
  readonly operator: string
  readonly operand: unknown
  /** What the leaf has to become. */
  readonly becomes: boolean
  /** What the selector finds now; absent when it finds nothing. */
  readonly from?: unknown
  /** A value that makes it so, where one can be named. */
  readonly to?: LeafValue
}

export type NearestCall =
  /** Tried: this call is decided the other way. */
  | { readonly kind: 'found'; readonly changes: readonly LeafChange[]; readonly call: EvaluateCall }
  /** What would have to change, but no value that does it could be named. */
  | {
      readonly kind: 'described'
      readonly changes: readonly LeafChange[]
      readonly sandboxes: readonly string[]
    }
  /** Nothing in the call decides. */
  | { readonly kind: 'none' }

/** A call that turns has few changes; one that needs more teaches nothing. */
const mostRounds = 8
const mostContracts = 25

/**
 * A refused call would be let through; one that only contracts on watch object to, they would let through; one that nothing
 * objects to would be refused, or objected to where nothing but such contracts is about it.
 */
export function findNearestCall(judge: CallJudge, call: EvaluateCall): NearestCall {
  const result = evaluate(judge, call)
  const standing = standingOf(result)
  if (standing !== 'free') return search(judge, call, (answer) => stopAll(answer, standing))
  const preconditions = result.contracts.filter(({ contractType }) => contractType === 'precondition')
  const nearest = [false, true].map((isObserved) => {
    const candidates = preconditions
      .filter(({ observed }) => observed === isObserved)
      .slice(0, mostContracts)
      .map(({ contractId }) => search(judge, call, (answer) => fireOne(answer, contractId)))
    return (
      shortest(candidates.filter(({ kind }) => kind === 'found')) ??
      shortest(candidates.filter(({ kind }) => kind === 'described'))
    )
  })
  return nearest.find((found) => found !== undefined) ?? { kind: 'none' }
}

function shortest(found: readonly NearestCall[]): NearestCall | undefined {
  const length = (one: NearestCall) => (one.kind === 'none' ? Infinity : one.changes.length)
  return found.toSorted((left, right) => length(left) - length(right))[0]
}

type Step = (result: EvaluationResult) => {
  readonly changes: readonly LeafChange[]
  readonly sandboxes: readonly string[]
}

/** After each change more of the conditions may be reached, so the reasons are asked for again. */
function search(judge: CallJudge, call: EvaluateCall, step: Step): NearestCall {
  const before = standingOf(evaluate(judge, call))
  const changes = new Map<string, LeafChange>()
  let changed = call
  for (let round = 0; round < mostRounds; round++) {
    const result = evaluate(judge, changed)
    if (standingOf(result) !== before) return { kind: 'found', changes: [...changes.values()], call: changed }
    const { changes: next, sandboxes } = step(result)
    if (next.length === 0 && sandboxes.length === 0) return { kind: 'none' }
    const after =
      sandboxes.length === 0 && next.every(({ to }) => to !== undefined) ? apply(changed, next) : undefined
    for (const change of next) changes.set(change.selector, { ...change, ...firstValue(changes, change) })
    if (after === undefined) return { kind: 'described', changes: [...changes.values()], sandboxes }
    changed = after
  }
  return { kind: 'described', changes: [...changes.values()], sandboxes: [] }
}

/** What the call as it was given holds, also where a value was tried before. */
function firstValue(
  changes: ReadonlyMap<string, LeafChange>,
  { selector }: LeafChange,
): Pick<LeafChange, 'from'> | undefined {
  const known = changes.get(selector)
  return known !== undefined && 'from' in known ? { from: known.from } : undefined
}

function apply(call: EvaluateCall, changes: readonly LeafChange[]): EvaluateCall | undefined {
  let changed: EvaluateCall | undefined = call
  for (const { selector, to } of changes)
    if (changed !== undefined && to !== undefined) changed = withValue(changed, selector, to)
  return changed
}

function evaluate(judge: CallJudge, { tool, args = {}, ...context }: EvaluateCall): EvaluationResult {
  return judge.evaluate(tool, args, context)
}

/** `watched`: it runs, because what would stop it only observes. */
type Standing = 'refused' | 'watched' | 'free'

function standingOf(result: EvaluationResult): Standing {
  const { verdict } = decisionOf(result)
  if (verdict === 'deny' || verdict === 'approve') return 'refused'
  return verdict === 'would_deny' ? 'watched' : 'free'
}

function stopAll(result: EvaluationResult, standing: Exclude<Standing, 'free'>): ReturnType<Step> {
  const firing = new Set(
    result.contracts
      .filter(
        ({ passed, observed, contractType }) =>
          !passed && observed === (standing === 'watched') && contractType !== 'postcondition',
      )
      .map(({ contractId }) => contractId),
  )
  const explained = result.explain().filter(({ contractId }) => firing.has(contractId))
  const limits = [...firing].filter((id) => !explained.some(({ contractId }) => contractId === id))
  return {
    changes: explained.flatMap(({ contractId, when }) =>
      when === undefined ? [] : (leavesToTurn(when, false) ?? []).map((leaf) => changeOf(leaf, contractId)),
    ),
    sandboxes: [
      ...explained.filter(({ when }) => when === undefined).map(({ contractId }) => contractId),
      ...limits,
    ],
  }
}

function fireOne(result: EvaluationResult, id: string): ReturnType<Step> {
  const when = result.explain().find(({ contractId }) => contractId === id)?.when
  const leaves = when === undefined ? [] : (leavesToTurn(when, true) ?? [])
  return { changes: leaves.map((leaf) => changeOf(leaf, id)), sandboxes: [] }
}

type Turn = { readonly leaf: LeafExplanation; readonly becomes: boolean }

/** The fewest leaves that must turn for the condition to be `wanted`; what was not reached is hoped for. */
function leavesToTurn(node: ConditionExplanation, wanted: boolean): readonly Turn[] | undefined {
  switch (node.kind) {
    case 'leaf': {
      if (node.outcome === 'not-reached') return []
      const isTrue = node.outcome !== 'not-matched'
      return isTrue === wanted ? [] : [{ leaf: node, becomes: wanted }]
    }
    case 'not':
      return leavesToTurn(node.condition, !wanted)
    case 'all':
    case 'any': {
      const turns = node.conditions.map((child) => leavesToTurn(child, wanted) ?? [])
      const needsEvery = (node.kind === 'all') === wanted
      if (needsEvery) return turns.flat()
      // One that was reached: of the others nothing is known yet.
      const reached = turns.filter((_, index) => node.conditions[index]?.outcome !== 'not-reached')
      return reached.toSorted((left, right) => left.length - right.length)[0]
    }
    default:
      return node satisfies never
  }
}

function changeOf({ leaf, becomes }: Turn, contractId: string): LeafChange {
  const { selector, operator, operand } = leaf
  const to = valueFor(leaf, becomes)
  return {
    contractId,
    selector,
    operator,
    operand,
    becomes,
    ...('value' in leaf ? { from: leaf.value } : {}),
    ...(to === undefined ? {} : { to }),
  }
}
