// Flattens a tree into places: the spots of the pattern that consume one character, and the ways from each to the
// next. Everything that consumes nothing (choices, loops, assertions) disappears into those ways.
import type { CharSet } from './char-set.js'
import type { Assertion, PatternNode, RepeatNode } from './syntax-tree.js'

export interface Program {
  /** By place, in the order of the pattern. */
  readonly sets: readonly CharSet[]
  readonly edges: readonly (readonly Edge[])[]
  readonly startEdges: readonly Edge[]
  readonly small: boolean
}

/** A way on, to a place or to the end of the match. In lists the preferred way comes first. */
export interface Edge {
  readonly to: number
  /** Bits of the assertions that have to hold in between. */
  readonly guard: number
}

export const matchEnd = -1

export const guardBits: Readonly<Record<Assertion, number>> = {
  'text-start': 1,
  'line-start': 2,
  'text-end': 4,
  'line-end': 8,
  'final-end': 16,
  'word-boundary': 32,
  'no-word-boundary': 64,
  'ascii-word-boundary': 128,
  'no-ascii-word-boundary': 256,
}

const maxStates = 8_000
const maxPlaces = 3_200
const maxEdges = 40_000

const smallPlaces = 32
const smallAssertions = 3

/** Whether a pattern is so small, with its repetitions written out, that every step of the way accepts it. */
export function isSmall(tree: PatternNode): boolean {
  const size = sizeOf(tree)
  return size.places <= smallPlaces && size.assertions <= smallAssertions
}

interface Size {
  readonly places: number
  readonly assertions: number
}

const endlessSize: Size = { places: Infinity, assertions: Infinity }

function sizeOf(node: PatternNode): Size {
  switch (node.kind) {
    case 'set':
      return { places: 1, assertions: 0 }
    case 'assert':
      return { places: 0, assertions: 1 }
    case 'look':
      return endlessSize
    case 'sequence':
      return sumOfSizes(node.items)
    case 'choice':
      return sumOfSizes(node.branches)
    case 'repeat': {
      const copies = Math.max(1, node.max === Infinity ? node.min : node.max)
      const { places, assertions } = sizeOf(node.body)
      return { places: copies * places, assertions: copies * assertions }
    }
    default:
      return node satisfies never
  }
}

function sumOfSizes(nodes: readonly PatternNode[]): Size {
  let places = 0
  let assertions = 0
  for (const node of nodes) {
    if (node.kind === 'set') {
      places++
      continue
    }
    const size = sizeOf(node)
    places += size.places
    assertions += size.assertions
  }
  // What consumes nothing is written out as well.
  return { places: Math.max(1, places), assertions }
}

/** Undefined when the pattern looks around or grows too large when its repetitions are written out. */
export function compileProgram(tree: PatternNode): Program | undefined {
  const draft: Draft = { states: [{ kind: 'end' }], sets: [] }
  const start = emit(draft, tree, 0)
  const edges = start === undefined ? undefined : edgesOfPlaces(draft)
  if (start === undefined || !edges) return undefined
  return { sets: draft.sets.toReversed(), edges, startEdges: edgesFrom(draft, start), small: isSmall(tree) }
}

type State =
  | { readonly kind: 'consume'; readonly place: number; readonly next: number }
  | { readonly kind: 'split'; readonly first: number; readonly second: number; readonly exit?: number }
  | { readonly kind: 'guard'; readonly guard: number; readonly next: number }
  | { readonly kind: 'end' }

interface Draft {
  readonly states: State[]
  /** Places from the last to the first, since states are added from the end of the pattern. */
  readonly sets: CharSet[]
}

/** Adds the states of a node that is followed by the state `next`, and returns the one to enter by. */
function emit(draft: Draft, node: PatternNode, next: number): number | undefined {
  if (draft.states.length > maxStates || draft.sets.length > maxPlaces) return undefined
  switch (node.kind) {
    case 'set':
      draft.sets.push(node.set)
      return addState(draft, { kind: 'consume', place: draft.sets.length - 1, next })
    case 'sequence': {
      let entry: number | undefined = next
      for (const item of node.items.toReversed()) {
        entry = emit(draft, item, entry)
        if (entry === undefined) return undefined
      }
      return entry
    }
    case 'choice': {
      let entry: number | undefined
      for (const branch of node.branches.toReversed()) {
        const first = emit(draft, branch, next)
        if (first === undefined) return undefined
        entry = entry === undefined ? first : addState(draft, { kind: 'split', first, second: entry })
      }
      return entry
    }
    case 'repeat':
      return node.max === Infinity ? emitLoop(draft, node, next) : emitOptional(draft, node, next)
    case 'assert':
      return addState(draft, { kind: 'guard', guard: guardBits[node.assertion], next })
    case 'look':
      return undefined
    default:
      return node satisfies never
  }
}

function addState(draft: Draft, state: State): number {
  return draft.states.push(state) - 1
}

function emitLoop(draft: Draft, node: RepeatNode, next: number): number | undefined {
  const loop = addState(draft, { kind: 'end' })
  const body = emit(draft, node.body, loop)
  if (body === undefined) return undefined
  draft.states[loop] = { ...splitFor(node, body, next), exit: next }
  return node.min === 0 ? loop : emitCopies(draft, { body: node.body, count: node.min - 1 }, body)
}

function emitOptional(draft: Draft, node: RepeatNode, next: number): number | undefined {
  let entry = next
  for (let copy = node.min; copy < node.max; copy++) {
    const body = emit(draft, node.body, entry)
    if (body === undefined) return undefined
    if (body === entry) break
    entry = addState(draft, splitFor(node, body, next))
  }
  return emitCopies(draft, { body: node.body, count: node.min }, entry)
}

function emitCopies(
  draft: Draft,
  { body, count }: { readonly body: PatternNode; readonly count: number },
  next: number,
): number | undefined {
  let entry = next
  for (let copy = 0; copy < count; copy++) {
    const earlier = emit(draft, body, entry)
    if (earlier === undefined) return undefined
    if (earlier === entry) break
    entry = earlier
  }
  return entry
}

function splitFor(node: RepeatNode, body: number, next: number): State & { readonly kind: 'split' } {
  return node.preference === 'longest'
    ? { kind: 'split', first: body, second: next }
    : { kind: 'split', first: next, second: body }
}

function edgesOfPlaces(draft: Draft): readonly (readonly Edge[])[] | undefined {
  const known = new Map<number, readonly Edge[]>()
  const edges: (readonly Edge[])[] = []
  let count = 0
  for (const state of draft.states.toReversed()) {
    if (state.kind !== 'consume') continue
    const ways = known.get(state.next) ?? edgesFrom(draft, state.next)
    known.set(state.next, ways)
    edges[draft.sets.length - 1 - state.place] = ways
    count += ways.length
    if (count > maxEdges) return undefined
  }
  return edges
}

function edgesFrom(draft: Draft, start: number): readonly Edge[] {
  const edges: Edge[] = []
  const seen = new Map<number, number[]>()
  const pending: { readonly at: number; readonly guard: number }[] = [{ at: start, guard: 0 }]
  for (let top = pending.pop(); top; top = pending.pop()) {
    const { at, guard } = top
    const earlier = seen.get(at)
    const state = draft.states[at]
    // A visit under the same or a weaker condition came first and is preferred wherever this one would do.
    if (earlier?.some((weaker) => (weaker & ~guard) === 0)) {
      // Back at a loop without having consumed anything: the loop ends here, before other ways through its body.
      if (state?.kind === 'split' && state.exit !== undefined) pending.push({ at: state.exit, guard })
      continue
    }
    if (earlier) earlier.push(guard)
    else seen.set(at, [guard])
    if (state?.kind === 'split') pending.push({ at: state.second, guard }, { at: state.first, guard })
    else if (state?.kind === 'guard') pending.push({ at: state.next, guard: guard | state.guard })
    else edges.push({ to: state?.kind === 'consume' ? draft.sets.length - 1 - state.place : matchEnd, guard })
  }
  return edges
}
