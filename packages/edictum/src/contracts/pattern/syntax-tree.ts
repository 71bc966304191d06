// What a pattern means, once flags, groups and escapes are resolved: six kinds of node and no dialect left.
import type { CharSet } from './char-set.js'

export type PatternNode = SetNode | SequenceNode | ChoiceNode | RepeatNode | AssertNode | LookNode

/** One character out of a set. */
export interface SetNode {
  readonly kind: 'set'
  readonly set: CharSet
}

export interface SequenceNode {
  readonly kind: 'sequence'
  readonly items: readonly PatternNode[]
}

/** The first branch that lets the whole pattern match wins. */
export interface ChoiceNode {
  readonly kind: 'choice'
  readonly branches: readonly PatternNode[]
}

export interface RepeatNode {
  readonly kind: 'repeat'
  readonly body: PatternNode
  readonly min: number
  /** `Infinity` when there is no upper bound. */
  readonly max: number
  readonly preference: 'longest' | 'shortest'
}

export interface AssertNode {
  readonly kind: 'assert'
  readonly assertion: Assertion
}

/** `final-end` is the end of the text or the place before a line feed that ends it. */
export type Assertion =
  'text-start' | 'line-start' | 'text-end' | 'line-end' | 'final-end' | WordAssertion | AsciiWordAssertion

export type WordAssertion = 'word-boundary' | 'no-word-boundary'
export type AsciiWordAssertion = 'ascii-word-boundary' | 'no-ascii-word-boundary'

export function isWordAssertion(assertion: Assertion): assertion is WordAssertion {
  return assertion === 'word-boundary' || assertion === 'no-word-boundary'
}

export interface LookNode {
  readonly kind: 'look'
  readonly direction: 'ahead' | 'behind'
  readonly expectation: 'match' | 'no-match'
  readonly body: PatternNode
  /** Where it stands in the source, for the message when it cannot be run. */
  readonly offset: number
}

export const emptyNode: SequenceNode = { kind: 'sequence', items: [] }

export interface Width {
  readonly min: number
  readonly max: number
}

/** How many characters a node consumes. */
export function widthOf(node: PatternNode): Width {
  switch (node.kind) {
    case 'set':
      return { min: 1, max: 1 }
    case 'assert':
    case 'look':
      return { min: 0, max: 0 }
    case 'sequence': {
      let min = 0
      let max = 0
      for (const item of node.items) {
        const width = widthOf(item)
        min += width.min
        max += width.max
      }
      return { min, max }
    }
    case 'choice': {
      const widths = node.branches.map(widthOf)
      return { min: Math.min(...widths.map((w) => w.min)), max: Math.max(...widths.map((w) => w.max)) }
    }
    case 'repeat': {
      const body = widthOf(node.body)
      return { min: body.min * node.min, max: body.max === 0 ? 0 : body.max * node.max }
    }
    default:
      return node satisfies never
  }
}

/** The first look-around in reading order, if there is one. */
export function findLook(node: PatternNode): LookNode | undefined {
  switch (node.kind) {
    case 'look':
      return node
    case 'set':
    case 'assert':
      return undefined
    case 'repeat':
      return findLook(node.body)
    case 'sequence':
      return firstLookOf(node.items)
    case 'choice':
      return firstLookOf(node.branches)
    default:
      return node satisfies never
  }
}

function firstLookOf(nodes: readonly PatternNode[]): LookNode | undefined {
  for (const node of nodes) {
    const found = findLook(node)
    if (found) return found
  }
  return undefined
}
