// Proves that a backtracking engine searches a whole text in linear time, whatever the text.
//
// The proof counts, for every node of the pattern, how often one text position can be visited there, over all
// starts of the search and all paths. Write `arrivals` for that number.
// 1. Consuming one character maps arrivals at i to arrivals at i + 1, so the number stays.
// 2. A loop over a set S that is entered at i runs through the S-run that contains i. If the character d places
//    before every entry is outside S, all entries into one run lie within d + 1 places, so no position is run over
//    more than arrivals × (d + 1) times, and no more exits than that are tried at one position.
// 3. A pattern tied to the start of the text is entered once in all, and stays so past a loop that can be left in
//    one place only.
// 4. A loop at the head of the pattern needs to be entered at the start of a run only: that start finds whatever a
//    start inside the run would. The native matcher sees to it.
// The sum over all nodes bounds the work per character. Whatever does not fit these rules is not proven.
import {
  type CharSet,
  anyChar,
  areDisjoint,
  asciiWordChars,
  complementOf,
  intersectionOf,
  isSubset,
  lineFeed,
  noChar,
  notAsciiWordChars,
  rangesOf,
  unionOf,
} from './char-set.js'
import {
  type Assertion,
  type ChoiceNode,
  type LookNode,
  type PatternNode,
  type RepeatNode,
  type SetNode,
  widthOf,
} from './syntax-tree.js'
import { unicodeNotWordChars, unicodeWordChars } from './unicode-words.js'
import { countComparisons } from './word-tree.js'

export interface SetLoop extends RepeatNode {
  readonly body: SetNode
}

export type Proof = { readonly safe: true; readonly headLoop: SetLoop | undefined } | { readonly safe: false }

const maxVisitsPerCharacter = 96
const maxProofSteps = 20_000
const maxUnrolled = 64
const lookBack = 4

export function proveLinear(tree: PatternNode): Proof {
  const quick: ProofState = { visits: undefined, sum: 0, headLoop: undefined, steps: 0 }
  if (!walk({ proof: quick, rest: 'always-matches' }, tree, patternStart)) return { safe: false }
  if (quick.sum <= maxVisitsPerCharacter) return { safe: true, headLoop: quick.headLoop }
  // Not all nodes can be visited at the same position. Finding out which ones can is worth it only now.
  const visits: Visit[] = []
  walk(
    { proof: { visits, sum: 0, headLoop: undefined, steps: 0 }, rest: 'always-matches' },
    tree,
    patternStart,
  )
  return worstVisits(visits) <= maxVisitsPerCharacter
    ? { safe: true, headLoop: quick.headLoop }
    : { safe: false }
}

interface ProofState {
  readonly visits: Visit[] | undefined
  sum: number
  headLoop: SetLoop | undefined
  steps: number
}

interface Visit {
  /** What the character before the visited position can be. */
  readonly after: CharSet
  readonly count: number
}

/** What is known between two nodes. */
interface Frontier {
  /** How many paths can arrive at one text position. */
  readonly arrivals: number
  /** How many paths can arrive here in the whole text. */
  readonly total: number
  readonly before: Before | undefined
  /** An assertion about the previous and the next character that waits for the next one to be known. */
  readonly boundary: Boundary | undefined
  readonly place: 'pattern-start' | 'branch-start' | 'inside'
  /** The loop just left: if what follows cannot be in its set, only the end of the run leads on. */
  readonly exit: { readonly set: CharSet; readonly total: number } | undefined
}

interface Boundary {
  /** Whether the two characters differ in being part of a word. */
  readonly sides: 'differ' | 'alike'
  readonly words: CharSet
  readonly notWords: CharSet
}

/** What the preceding character can be, and the one before it, and so on; anything where the list ends. */
interface Before {
  readonly set: CharSet
  readonly earlier: Before | undefined
}

const patternStart: Frontier = {
  arrivals: 1,
  total: Infinity,
  before: undefined,
  boundary: undefined,
  place: 'pattern-start',
  exit: undefined,
}

const nothingBefore = listBefore(Array.from({ length: lookBack }, () => noChar))

interface Walk {
  readonly proof: ProofState
  /** Whether everything after the node matches at once, so that reaching it ends the search. */
  readonly rest: 'always-matches' | 'may-fail'
}

/** What is known after the node, or undefined when the rules do not cover it. */
function walk(context: Walk, node: PatternNode, from: Frontier): Frontier | undefined {
  const { proof } = context
  if (++proof.steps > maxProofSteps) return undefined
  switch (node.kind) {
    case 'set':
      count(proof, from.before, from.arrivals * costOf(node.set))
      return consume(from, node.set)
    case 'sequence':
      return walkSequence(context, node.items, from)
    case 'choice':
      return walkChoice(context, node, from)
    case 'repeat':
      return isSetLoop(node) ? walkSetLoop(context, node, from) : walkRepeat(context, node, from)
    case 'assert': {
      count(proof, from.before, from.arrivals)
      const inside: Frontier = { ...from, place: 'inside' }
      if (node.assertion === 'text-start')
        return { ...inside, before: nothingBefore, ...(from.place !== 'inside' && { arrivals: 1, total: 1 }) }
      if (node.assertion === 'line-start') return { ...inside, before: narrow(from.before, lineFeed) }
      const boundary = boundaryOf(node.assertion)
      return boundary ? { ...inside, boundary } : inside
    }
    case 'look':
      return node.direction === 'ahead' ? walkLookAhead(proof, node, from) : walkLookBehind(proof, node, from)
    default:
      return node satisfies never
  }
}

function boundaryOf(assertion: Assertion): Boundary | undefined {
  switch (assertion) {
    case 'word-boundary':
      return { sides: 'differ', words: unicodeWordChars(), notWords: unicodeNotWordChars() }
    case 'no-word-boundary':
      return { sides: 'alike', words: unicodeWordChars(), notWords: unicodeNotWordChars() }
    case 'ascii-word-boundary':
      return { sides: 'differ', words: asciiWordChars, notWords: notAsciiWordChars }
    case 'no-ascii-word-boundary':
      return { sides: 'alike', words: asciiWordChars, notWords: notAsciiWordChars }
    default:
      return undefined
  }
}

function isSetLoop(node: RepeatNode): node is SetLoop {
  return node.body.kind === 'set'
}

function count(proof: ProofState, before: Before | undefined, visits: number): void {
  proof.sum += visits
  proof.visits?.push({ after: before?.set ?? anyChar, count: visits })
}

/** On texts beyond Latin-1, looking a character up among all letters takes several times as long as comparing it. */
function costOf(set: CharSet): number {
  return set.length > 1_000 ? 2 : 1
}

function consume(from: Frontier, set: CharSet): Frontier {
  const once = from.exit && areDisjoint(from.exit.set, set) ? from.exit.total : Infinity
  const total = Math.min(from.total, once)
  return {
    arrivals: Math.min(from.arrivals, total),
    total,
    before: { set, earlier: knownBefore(from, set) },
    boundary: undefined,
    place: 'inside',
    exit: undefined,
  }
}

/** What precedes, given that the next character is in `next`. */
function knownBefore(from: Frontier, next: CharSet): Before | undefined {
  if (!from.boundary) return from.before
  const { sides, words, notWords } = from.boundary
  const nextIsWord = isSubset(next, words)
  if (!nextIsWord && !areDisjoint(next, words)) return from.before
  return narrow(from.before, nextIsWord === (sides === 'differ') ? notWords : words)
}

function narrow(before: Before | undefined, set: CharSet): Before {
  return { set: intersectionOf(before?.set ?? anyChar, set), earlier: before?.earlier }
}

function listBefore(sets: readonly CharSet[]): Before | undefined {
  return sets.reduceRight<Before | undefined>((earlier, set) => ({ set, earlier }), undefined)
}

function walkSequence(context: Walk, items: readonly PatternNode[], from: Frontier): Frontier | undefined {
  const mayFail: Walk = context.rest === 'may-fail' ? context : { proof: context.proof, rest: 'may-fail' }
  let lastThatMayFail = items.length - 1
  while (lastThatMayFail >= 0 && alwaysMatches(items[lastThatMayFail])) lastThatMayFail--
  let frontier: Frontier | undefined = from
  for (const [index, item] of items.entries()) {
    frontier = walk(index < lastThatMayFail ? mayFail : context, item, frontier)
    if (!frontier) return undefined
  }
  return frontier
}

function walkChoice(context: Walk, node: ChoiceNode, from: Frontier): Frontier | undefined {
  const { proof } = context
  const start: Frontier = from.place === 'pattern-start' ? { ...from, place: 'branch-start' } : from
  const comparisons = countComparisons(node)
  const branchProof = comparisons === undefined ? proof : { ...proof, visits: undefined }
  const ends: Frontier[] = []
  for (const branch of node.branches) {
    const end = walk({ proof: branchProof, rest: context.rest }, branch, start)
    if (!end) return undefined
    ends.push(end)
  }
  const merged = mergeFrontiers(ends)
  if (comparisons === undefined) return merged
  // A tree of words: an arrival finds at most one word of each length, and pays for the way to it alone.
  count(proof, from.before, from.arrivals * comparisons)
  const { min, max } = widthOf(node)
  return { ...merged, arrivals: Math.min(merged.arrivals, from.arrivals * (max - min + 1)) }
}

function alwaysMatches(node: PatternNode | undefined): boolean {
  return node?.kind === 'repeat' && node.min === 0
}

function walkSetLoop({ proof, rest }: Walk, node: SetLoop, from: Frontier): Frontier | undefined {
  const { min, max } = node
  const { set } = node.body
  const before = knownBefore(from, set)
  const entriesPerRun = distanceToOutside(before, set) + 1
  let runs = Math.min(from.arrivals * Math.min(entriesPerRun, max), from.total)
  let exits = Math.min(from.arrivals * Math.min(entriesPerRun, max - min + 1), from.total)
  if (max === Infinity && rest === 'always-matches') {
    runs = Math.min(from.arrivals * Math.min(entriesPerRun, min), from.total)
    exits = from.arrivals
  } else if (runs === Infinity && from.place === 'pattern-start') {
    proof.headLoop = node
    runs = min
    exits = 1
  }
  if (runs === Infinity) return undefined
  count(
    proof,
    { set: unionOf(set, before?.set ?? anyChar), earlier: undefined },
    Math.max(runs, from.arrivals) * costOf(set),
  )
  return {
    arrivals: exits,
    total: min === max ? from.total : from.total * (max - min + 1),
    before: beforeAfterLoop(node, before),
    boundary: undefined,
    place: 'inside',
    exit: { set, total: from.total },
  }
}

/** How many characters lie between this place and the nearest earlier one that is certainly outside the set. */
function distanceToOutside(before: Before | undefined, set: CharSet): number {
  let distance = 0
  for (let place = before; place && distance < lookBack; place = place.earlier) {
    if (areDisjoint(place.set, set)) return distance
    distance++
  }
  return Infinity
}

function beforeAfterLoop({ body, min, max }: SetLoop, before: Before | undefined): Before | undefined {
  if (min === max) {
    let after = before
    for (let copy = 0; copy < Math.min(min, lookBack); copy++) after = { set: body.set, earlier: after }
    return after
  }
  // Beyond the copies that must be there, a character is in the set or one that came before the loop.
  const sets = Array.from({ length: Math.min(min, lookBack) }, () => body.set)
  let known = body.set
  for (let place = before; place && sets.length < lookBack; place = place.earlier) {
    known = unionOf(known, place.set)
    sets.push(known)
  }
  return listBefore(sets)
}

/** A repeated group: bounded ones are unrolled, unbounded ones are never proven. */
function walkRepeat({ proof }: Walk, node: RepeatNode, from: Frontier): Frontier | undefined {
  // Engines differ in how often they go through a body that may match nothing.
  if (node.max > maxUnrolled || widthOf(node.body).min === 0) return undefined
  const ends: Frontier[] = []
  let frontier: Frontier = { ...from, place: 'inside' }
  for (let copy = 0; copy < node.max; copy++) {
    if (copy >= node.min) ends.push(frontier)
    const next = walk({ proof, rest: 'may-fail' }, node.body, frontier)
    if (!next) return undefined
    frontier = next
  }
  ends.push(frontier)
  return mergeFrontiers(ends)
}

function walkLookAhead(proof: ProofState, node: LookNode, from: Frontier): Frontier | undefined {
  const inside: Frontier = { ...from, place: 'inside' }
  // A look-ahead that matches does not end the search: its loops are paid for at every arrival.
  return walk({ proof, rest: 'may-fail' }, node.body, inside) && inside
}

function walkLookBehind(proof: ProofState, node: LookNode, from: Frontier): Frontier | undefined {
  const work = from.arrivals * countPaths(node.body) * (1 + widthOf(node.body).max)
  if (work > maxVisitsPerCharacter) return undefined
  count(proof, from.before, work)
  const inside: Frontier = { ...from, place: 'inside' }
  if (node.body.kind !== 'set') return inside
  const { set } = node.body
  return { ...inside, before: narrow(from.before, node.expectation === 'match' ? set : complementOf(set)) }
}

function countPaths(node: PatternNode): number {
  switch (node.kind) {
    case 'set':
    case 'assert':
      return 1
    case 'look':
      return Infinity
    case 'sequence':
      return node.items.reduce((paths, item) => paths * countPaths(item), 1)
    case 'choice':
      return node.branches.reduce((paths, branch) => paths + countPaths(branch), 0)
    case 'repeat':
      return node.max > maxUnrolled ? Infinity : countPaths(node.body) ** node.max * (node.max - node.min + 1)
    default:
      return node satisfies never
  }
}

function mergeFrontiers(ends: readonly Frontier[]): Frontier {
  const [first] = ends
  if (first && ends.length === 1) return first
  let total = 0
  for (const end of ends) total += end.total
  return {
    // Branches that end in different characters cannot arrive at the same position.
    arrivals: worstVisits(ends.map((end) => ({ after: end.before?.set ?? anyChar, count: end.arrivals }))),
    total,
    before: mergeBefore(ends.map((end) => end.before)),
    boundary: undefined,
    place: 'inside',
    exit: undefined,
  }
}

function mergeBefore(lists: readonly (Before | undefined)[]): Before | undefined {
  const sets: CharSet[] = []
  let places = lists
  while (sets.length < lookBack) {
    let union: CharSet = noChar
    for (const place of places) union = unionOf(union, place?.set ?? anyChar)
    if (union === anyChar) break
    sets.push(union)
    places = places.map((place) => place?.earlier)
  }
  return listBefore(sets)
}

/** The greatest sum of visits that one preceding character allows. */
function worstVisits(visits: readonly Visit[]): number {
  // The same few sets come back, and some of them have hundreds of ranges.
  const countOf = new Map<CharSet, number>()
  for (const visit of visits) countOf.set(visit.after, (countOf.get(visit.after) ?? 0) + visit.count)
  const changes = new Map<number, number>()
  let always = 0
  for (const [after, visitCount] of countOf) {
    // No character before it: that is the start of the text, where nothing else is excluded.
    if (after.length === 0) always += visitCount
    if (countOf.size === 1) return visitCount
    for (const [low, high] of rangesOf(after)) {
      changes.set(low, (changes.get(low) ?? 0) + visitCount)
      changes.set(high + 1, (changes.get(high + 1) ?? 0) - visitCount)
    }
  }
  let worst = 0
  let current = 0
  for (const [, change] of [...changes].toSorted((a, b) => a[0] - b[0])) {
    current += change
    worst = Math.max(worst, current)
  }
  return always + worst
}
