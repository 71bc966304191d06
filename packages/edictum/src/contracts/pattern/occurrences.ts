// Finds all occurrences in one pass backwards over the text and one forwards. The backward pass has told, for every
// position, which places of the pattern can still reach the end of a match; the forward pass takes the preferred way
// among those and never has to take one back. A search that restarts after each match cannot be linear, because it
// may look far past every match before it settles on it.
import { type Automaton, isInsidePair, startSweep, stepBack, truthsAt } from './automaton.js'
import { type Edge, matchEnd } from './program.js'

const blockLength = 4_096

/** Replaces every occurrence that is not empty. */
export function replaceOccurrences(automaton: Automaton, text: string, replacement: string): string {
  const { program } = automaton
  const wayOn = readWays(automaton, text)
  let result = ''
  let copied = 0
  let at = 0
  while (at <= text.length) {
    let end = at
    let way = wayOn(program.startEdges, at)
    while (way !== undefined && way !== matchEnd) {
      end += widthAt(text, end)
      way = wayOn(program.edges[way] ?? [], end)
    }
    if (end > at) {
      result += text.slice(copied, at) + replacement
      copied = end
      at = end
    } else at += widthAt(text, at)
  }
  return copied === 0 ? text : result + text.slice(copied)
}

function widthAt(text: string, at: number): number {
  return isInsidePair(text, at + 1) ? 2 : 1
}

/**
 * Answers which of several edges leads to the end of a match, for positions that only ever grow. What the backward
 * pass found is kept in full for one block of the text; of the other blocks only the state at their end is.
 */
function readWays(
  automaton: Automaton,
  text: string,
): (edges: readonly Edge[], at: number) => number | undefined {
  const { wordCount } = automaton
  const blockStart = (block: number): number => {
    const start = Math.min(block * blockLength, text.length + 1)
    return isInsidePair(text, start) ? start + 1 : start
  }
  const blockEnds = noteBlockEnds(automaton, text, blockStart)
  const notes = new Int32Array((blockLength + 2) * wordCount)
  let block = -1
  let first = 0
  let end = 0
  const loadNextBlock = (): void => {
    block++
    first = blockStart(block)
    end = blockStart(block + 1)
    const sweep = startSweep(automaton, text)
    const noted = blockEnds[block + 1]
    if (noted) {
      sweep.at = end
      sweep.alive = noted
    } else notes.fill(0, (sweep.at - first) * wordCount)
    while (sweep.at > first) {
      stepBack(sweep)
      const offset = (sweep.at - first) * wordCount
      for (let word = 0; word < wordCount; word++) notes[offset + word] = sweep.alive[word] ?? 0
    }
  }
  return (edges, at) => {
    while (at >= end) loadNextBlock()
    const truths = truthsAt(automaton, text, at)
    const offset = (at - first) * wordCount
    for (const { to, guard } of edges) {
      if ((guard & ~truths) !== 0) continue
      if (to === matchEnd || ((notes[offset + (to >>> 5)] ?? 0) & (1 << (to & 31))) !== 0) return to
    }
    return undefined
  }
}

function noteBlockEnds(
  automaton: Automaton,
  text: string,
  blockStart: (block: number) => number,
): readonly (Int32Array | undefined)[] {
  const notes: (Int32Array | undefined)[] = []
  const sweep = startSweep(automaton, text)
  for (let block = Math.floor(text.length / blockLength); block > 0; block--) {
    const start = blockStart(block)
    while (sweep.at > start) stepBack(sweep)
    notes[block] = sweep.alive.slice()
  }
  return notes
}
