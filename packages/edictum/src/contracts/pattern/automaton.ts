// The backward half of the search: which places of the pattern can still reach the end of a match from a text
// position, all at once, as bits. The work per character depends on the pattern alone.
import { asciiWordChars, type CharSet, hasCodePoint, rangesOf } from './char-set.js'
import { type Edge, type Program, guardBits, matchEnd } from './program.js'
import type { Assertion } from './syntax-tree.js'
import { isUnicodeWord } from './unicode-words.js'

export interface Automaton {
  readonly program: Program
  readonly wordCount: number
  /** For every class of characters, the places that can consume it. */
  readonly classMasks: Int32Array
  readonly classBounds: Int32Array
  readonly asciiClasses: Uint16Array
  /** The places that can go on to themselves, to the next place, and to the one after it. */
  readonly stays: Int32Array
  readonly steps: Int32Array
  readonly skips: Int32Array
  /** All other ways on. */
  readonly jumps: readonly Jump[]
  readonly startJumps: readonly Jump[]
  readonly usedGuards: number
}

/** Every member can go on if one of the targets can, or if the match may end there. */
interface Jump {
  readonly guard: number
  readonly ends: boolean
  /** Pairs of word index and bits. */
  readonly targets: Int32Array
  readonly members: Int32Array
}

/** Leaves 10,000 characters well below 5 milliseconds. */
const maxWork: Work = { search: 240, replacement: 500 }

/** Undefined when a single character would cost too much. */
export function createAutomaton(program: Program): Automaton | undefined {
  const wordCount = (program.sets.length + 31) >>> 5
  const ways = arrangeEdges(program, wordCount)
  const { search, replacement } = estimateWork(program, ways)
  if (!program.small && (search > maxWork.search || replacement > maxWork.replacement)) return undefined
  const startJumps = jumpsOf(program.startEdges, new Int32Array())
  return {
    program,
    wordCount,
    ...classify(program.sets, wordCount),
    ...ways,
    startJumps,
    usedGuards: [...ways.jumps, ...startJumps].reduce((used, { guard }) => used | guard, 0),
  }
}

type Ways = Pick<Automaton, 'stays' | 'steps' | 'skips' | 'jumps'>

function arrangeEdges(program: Program, wordCount: number): Ways {
  const stays = new Int32Array(wordCount)
  const steps = new Int32Array(wordCount)
  const skips = new Int32Array(wordCount)
  const others = new Map<string, { readonly edges: readonly Edge[]; readonly places: number[] }>()
  for (const [place, edges] of program.edges.entries()) {
    const far: Edge[] = []
    for (const edge of edges) {
      const near = edge.guard === 0 ? [stays, steps, skips][edge.to - place] : undefined
      if (near) near[place >>> 5] = (near[place >>> 5] ?? 0) | (1 << (place & 31))
      else far.push(edge)
    }
    const key = far.map(({ to, guard }) => `${to}/${guard}`).join()
    const group = others.get(key)
    if (group) group.places.push(place)
    else others.set(key, { edges: far, places: [place] })
  }
  const jumps = [...others.values()].flatMap(({ edges, places }) => jumpsOf(edges, bitsOf(places)))
  return { stays, steps, skips, jumps }
}

/** In nanoseconds, more or less: a step backwards for a search, and a step both ways for a replacement. */
function estimateWork({ startEdges, edges }: Program, { stays, jumps }: Ways): Work {
  let search = 6 * stays.length
  for (const { targets, members } of jumps) search += 5 + (targets.length + members.length) / 2
  let mostEdges = 0
  for (const ways of edges) mostEdges = Math.max(mostEdges, ways.length)
  return { search, replacement: 2 * search + startEdges.length + mostEdges }
}

interface Work {
  readonly search: number
  readonly replacement: number
}

function jumpsOf(edges: readonly Edge[], members: Int32Array): Jump[] {
  return [...new Set(edges.map(({ guard }) => guard))].map((guard) => {
    const ways = edges.filter((edge) => edge.guard === guard).map(({ to }) => to)
    return {
      guard,
      ends: ways.includes(matchEnd),
      targets: bitsOf(ways.filter((to) => to !== matchEnd)),
      members,
    }
  })
}

function bitsOf(places: readonly number[]): Int32Array {
  const words = new Map<number, number>()
  for (const place of places) words.set(place >>> 5, (words.get(place >>> 5) ?? 0) | (1 << (place & 31)))
  return Int32Array.from([...words].flat())
}

function classify(
  sets: readonly CharSet[],
  wordCount: number,
): Pick<Automaton, 'classBounds' | 'classMasks' | 'asciiClasses'> {
  // A repetition written out is one set in many places, and that set may have hundreds of ranges.
  const placesOf = new Map<CharSet, number[]>()
  for (const [place, set] of sets.entries()) {
    const places = placesOf.get(set)
    if (places) places.push(place)
    else placesOf.set(set, [place])
  }
  const bounds = new Set<number>()
  for (const set of placesOf.keys()) for (const [low, high] of rangesOf(set)) bounds.add(low).add(high + 1)
  bounds.delete(0)
  const classBounds = Int32Array.from(bounds).sort()
  const classMasks = new Int32Array((classBounds.length + 1) * wordCount)
  for (const [set, places] of placesOf) {
    const bits = bitsOf(places)
    for (const [low, high] of rangesOf(set)) {
      const last = findClass(classBounds, high)
      for (let index = findClass(classBounds, low); index <= last; index++) {
        for (let i = 0; i < bits.length; i += 2) {
          const word = index * wordCount + (bits[i] ?? 0)
          classMasks[word] = (classMasks[word] ?? 0) | (bits[i + 1] ?? 0)
        }
      }
    }
  }
  return {
    classBounds,
    classMasks,
    asciiClasses: Uint16Array.from({ length: 128 }, (_, codePoint) => findClass(classBounds, codePoint)),
  }
}

function findClass(bounds: Int32Array, codePoint: number): number {
  let low = 0
  let high = bounds.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((bounds[middle] ?? 0) <= codePoint) low = middle + 1
    else high = middle
  }
  return low
}

/** A pass backwards over a text, and where it stands. */
export interface Sweep {
  readonly automaton: Automaton
  readonly text: string
  at: number
  /** The places from which the text at `at` leads to the end of a match; one word longer than needed. */
  alive: Int32Array
  spare: Int32Array
}

export function startSweep(automaton: Automaton, text: string): Sweep {
  return { automaton, text, at: text.length, alive: noPlaces(automaton), spare: noPlaces(automaton) }
}

export function noPlaces({ wordCount }: Automaton): Int32Array {
  return new Int32Array(wordCount + 1)
}

export function stepBack(sweep: Sweep): void {
  const { automaton, text, alive, spare } = sweep
  const truths = truthsAt(automaton, text, sweep.at)
  sweep.at -= isInsidePair(text, sweep.at - 1) ? 2 : 1
  passBack(automaton, { alive, truths, charClass: classAt(automaton, text, sweep.at) }, spare)
  sweep.alive = spare
  sweep.spare = alive
}

/** The places alive before a character, from those alive after it and the assertions that hold between the two. */
export function passBack(
  { wordCount, jumps, classMasks, stays, steps, skips }: Automaton,
  { alive, truths, charClass }: { alive: Int32Array; truths: number; charClass: number },
  before: Int32Array,
): void {
  for (let word = 0; word < wordCount; word++) {
    const here = alive[word] ?? 0
    const after = alive[word + 1] ?? 0
    before[word] =
      (here & (stays[word] ?? 0)) |
      (((here >>> 1) | (after << 31)) & (steps[word] ?? 0)) |
      (((here >>> 2) | (after << 30)) & (skips[word] ?? 0))
  }
  for (const jump of jumps) {
    if (!isOpen(jump, alive, truths)) continue
    const { members } = jump
    for (let i = 0; i < members.length; i += 2) {
      const word = members[i] ?? 0
      before[word] = (before[word] ?? 0) | (members[i + 1] ?? 0)
    }
  }
  const mask = charClass * wordCount
  for (let word = 0; word < wordCount; word++)
    before[word] = (before[word] ?? 0) & (classMasks[mask + word] ?? 0)
}

/** Whether a match starts where the sweep stands. */
export function startsMatch({ automaton, text, at, alive }: Sweep): boolean {
  return isStart(automaton, alive, truthsAt(automaton, text, at))
}

export function isStart({ startJumps }: Automaton, alive: Int32Array, truths: number): boolean {
  for (const jump of startJumps) if (isOpen(jump, alive, truths)) return true
  return false
}

function isOpen({ guard, ends, targets }: Jump, alive: Int32Array, truths: number): boolean {
  if ((guard & ~truths) !== 0) return false
  if (ends) return true
  for (let i = 0; i < targets.length; i += 2)
    if (((alive[targets[i] ?? 0] ?? 0) & (targets[i + 1] ?? 0)) !== 0) return true
  return false
}

/** The class of the character that starts at a position. */
export function classAt(automaton: Automaton, text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code < 0x80) return automaton.asciiClasses[code] ?? 0
  return findClass(automaton.classBounds, text.codePointAt(at) ?? code)
}

/** Whether a position lies between the two halves of one character. */
export function isInsidePair(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false
  const code = text.charCodeAt(at)
  if (code < 0xdc00 || code > 0xdfff) return false
  const before = text.charCodeAt(at - 1)
  return before >= 0xd800 && before <= 0xdbff
}

/** The assertions that hold at a text position, as far as the pattern asks for any. */
export function truthsAt({ usedGuards }: Automaton, text: string, at: number): number {
  return usedGuards === 0 ? 0 : truthsBetween(neighbourBefore(text, at), neighbourAt(text, at))
}

/** What an assertion can tell about the character on one side of it. */
export const neighbour = { none: 0, lineFeed: 1, finalLineFeed: 2, asciiWord: 3, word: 4, other: 5 } as const

/** The kind of the character that ends at a position. */
export function neighbourBefore(text: string, at: number): number {
  // Reading past the ends of a text costs the engine its optimised code.
  if (at <= 0) return neighbour.none
  const code = text.charCodeAt(at - 1)
  if (code < 0x80) return asciiNeighbours[code] ?? neighbour.other
  const codePoint = isInsidePair(text, at - 1) ? (text.codePointAt(at - 2) ?? code) : code
  return isUnicodeWord(codePoint) ? neighbour.word : neighbour.other
}

function neighbourAt(text: string, at: number): number {
  if (at >= text.length) return neighbour.none
  const code = text.charCodeAt(at)
  if (code === 10 && at + 1 === text.length) return neighbour.finalLineFeed
  if (code < 0x80) return asciiNeighbours[code] ?? neighbour.other
  return isUnicodeWord(text.codePointAt(at) ?? code) ? neighbour.word : neighbour.other
}

const asciiNeighbours = Uint8Array.from({ length: 128 }, (_, code) =>
  code === 10
    ? neighbour.lineFeed
    : hasCodePoint(asciiWordChars, code)
      ? neighbour.asciiWord
      : neighbour.other,
)

const neighbourCount = 6

export function truthsBetween(before: number, next: number): number {
  return truths[before * neighbourCount + next] ?? 0
}

const truths = Int32Array.from({ length: neighbourCount ** 2 }, (_, index) => {
  const before = Math.floor(index / neighbourCount)
  const next = index % neighbourCount
  const isAsciiWord = (kind: number): boolean => kind === neighbour.asciiWord
  const isWord = (kind: number): boolean => isAsciiWord(kind) || kind === neighbour.word
  const isLineFeed = (kind: number): boolean =>
    kind === neighbour.lineFeed || kind === neighbour.finalLineFeed
  const holding: Assertion[] = [
    isWord(before) === isWord(next) ? 'no-word-boundary' : 'word-boundary',
    isAsciiWord(before) === isAsciiWord(next) ? 'no-ascii-word-boundary' : 'ascii-word-boundary',
  ]
  if (before === neighbour.none) holding.push('text-start', 'line-start')
  if (isLineFeed(before)) holding.push('line-start')
  if (next === neighbour.none) holding.push('text-end', 'line-end', 'final-end')
  if (isLineFeed(next)) holding.push('line-end')
  if (next === neighbour.finalLineFeed) holding.push('final-end')
  return holding.reduce((bits, assertion) => bits | guardBits[assertion], 0)
})
