// Why a contract did or did not fire: its condition tree with what every leaf saw. For people and for tools that show it.
import { messageOf } from '../internal/message-of.js'
import type { Condition, Leaf } from '../contracts/bundle.js'
import { contractTypeNames, fire, type JudgedContract } from './compiled-contract.js'
import { compileLeaf } from './conditions/condition.js'
import type { PolicyError, Truth } from './conditions/operators.js'
import type { Scene } from './conditions/scene.js'
import { compileSelector } from './conditions/selectors.js'
import type { PolicyOptions } from './policy.js'
import { detectorsFiring } from './redaction/detect-in-value.js'
import { detectorSet } from './redaction/detectors/detector-set.js'
import { redactValue } from './redaction/redact-value.js'

export type ConditionOutcome = 'matched' | 'not-matched' | 'policy-error' | 'not-reached'

export type ConditionExplanation =
  | {
      readonly kind: 'all' | 'any'
      readonly outcome: ConditionOutcome
      readonly conditions: readonly ConditionExplanation[]
    }
  | { readonly kind: 'not'; readonly outcome: ConditionOutcome; readonly condition: ConditionExplanation }
  | LeafExplanation

export interface LeafExplanation {
  readonly kind: 'leaf'
  readonly outcome: ConditionOutcome
  readonly selector: string
  readonly operator: string
  readonly operand: unknown
  /** What the selector found, with secrets masked; absent when it found nothing. */
  readonly value?: unknown
  /** Which detectors found something; only with `detects`. */
  readonly detected?: readonly string[]
  /** Why it could not be decided. */
  readonly detail?: string
}

export interface ContractExplanation {
  readonly contractId: string
  readonly contractType: 'precondition' | 'postcondition' | 'sandbox'
  readonly outcome: ConditionOutcome
  /** The condition tree; sandbox contracts have none. */
  readonly when?: ConditionExplanation
  readonly detail?: string
}

export function explainContract(
  judged: JudgedContract,
  scene: Scene,
  options: PolicyOptions,
): ContractExplanation {
  const { contract } = judged
  const firing = fire(judged, scene)
  const header = {
    contractId: contract.id,
    contractType: contractTypeNames[contract.type],
    outcome: firing === undefined ? 'not-matched' : firing.kind,
    ...(firing?.kind === 'policy-error' ? { detail: firing.detail } : {}),
  } as const
  if (contract.type === 'sandbox') return header
  return { ...header, when: new Explainer(scene, options).explain(contract.when, 'reached').explanation }
}

interface Explained {
  readonly truth: Truth
  readonly explanation: ConditionExplanation
}

/** Walks the tree in evaluation order; what evaluation would not look at any more is shown as not reached. */
class Explainer {
  readonly #scene: Scene
  readonly #options: PolicyOptions

  constructor(scene: Scene, options: PolicyOptions) {
    this.#scene = scene
    this.#options = options
  }

  explain(condition: Condition, reach: 'reached' | 'not-reached'): Explained {
    switch (condition.kind) {
      case 'leaf':
        return this.#leaf(condition, reach)
      case 'not': {
        const { truth, explanation } = this.explain(condition.condition, reach)
        const negated = typeof truth === 'boolean' ? !truth : truth
        return {
          truth: negated,
          explanation: { kind: 'not', outcome: outcomeOf(negated, reach), condition: explanation },
        }
      }
      case 'all':
      case 'any':
        return this.#group(condition, reach)
      default:
        return condition satisfies never
    }
  }

  #group(group: Extract<Condition, { kind: 'all' | 'any' }>, reach: 'reached' | 'not-reached'): Explained {
    const neutral = group.kind === 'all'
    let answer: Truth = neutral
    const conditions: ConditionExplanation[] = []
    for (const child of group.conditions) {
      const decided = answer !== neutral
      const { truth, explanation } = this.explain(child, decided ? 'not-reached' : reach)
      if (!decided) answer = truth
      conditions.push(explanation)
    }
    return { truth: answer, explanation: { kind: group.kind, outcome: outcomeOf(answer, reach), conditions } }
  }

  #leaf(leaf: Leaf, reach: 'reached' | 'not-reached'): Explained {
    const { selector, operator, operand } = leaf
    if (reach === 'not-reached') {
      return {
        truth: false,
        explanation: { kind: 'leaf', outcome: 'not-reached', selector, operator, operand },
      }
    }
    const truth = this.#test(leaf)
    const { value, detected } = this.#seenBy(leaf)
    return {
      truth,
      explanation: {
        kind: 'leaf',
        outcome: outcomeOf(truth, reach),
        selector,
        operator,
        operand,
        ...(value === undefined || value === null ? {} : { value }),
        ...(detected === undefined ? {} : { detected }),
        ...(typeof truth === 'boolean' ? {} : { detail: truth.detail }),
      },
    }
  }

  #test(leaf: Leaf): Truth {
    try {
      return compileLeaf(leaf, this.#options.extensions)(this.#scene)
    } catch (error) {
      return policyError(error)
    }
  }

  #seenBy({ selector, operator, operand }: Leaf): Seen {
    try {
      const value = compileSelector(selector, this.#options.extensions.selectors)(this.#scene)
      if (value === undefined || value === null) return {}
      const key = selector.slice(selector.lastIndexOf('.') + 1)
      const show = (shown: unknown) => this.#options.redaction.redactField(key, shown)
      if (operator !== 'detects') return { value: show(value) }
      const detectors = detectorSet(operand as readonly string[])
      // What the detectors found is what must not be shown, also where the general policy would.
      const masked = redactValue(value, (text, field) =>
        detectors.redact(text, detectors.findInField(text, field)),
      )
      return { value: show(masked), detected: detectorsFiring(value, detectors) }
    } catch {
      return {}
    }
  }
}

/** What a leaf was given to judge, as it may be shown. */
interface Seen {
  readonly value?: unknown
  readonly detected?: readonly string[]
}

function policyError(error: unknown): PolicyError {
  return { kind: 'policy-error', detail: messageOf(error) }
}

function outcomeOf(truth: Truth, reach: 'reached' | 'not-reached'): ConditionOutcome {
  if (reach === 'not-reached') return 'not-reached'
  if (typeof truth !== 'boolean') return 'policy-error'
  return truth ? 'matched' : 'not-matched'
}
