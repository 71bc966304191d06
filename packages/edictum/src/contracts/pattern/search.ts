// Whether a pattern occurs in a text: the backward pass of the automaton, with every step it has made once kept in a
// table. Most texts lead through a handful of states again and again, so that a character costs one lookup. Where a
// text leads to ever new states the table stops growing and the pass goes on without it, linear all the same.
import {
  type Automaton,
  classAt,
  isInsidePair,
  isStart,
  neighbour,
  neighbourBefore,
  noPlaces,
  passBack,
  startSweep,
  startsMatch,
  stepBack,
  truthsBetween,
} from './automaton.js'
import type { Matcher } from './matcher.js'

const maxStates = 256
const maxColumns = 64

/** Entries of the table: not yet known, or the next state with one bit for "a match starts before this character". */
const unknown = 0
const found = 1

interface State {
  /** The places from which a match can still reach its end. */
  readonly alive: Int32Array
  /** The kind of the character after them, for assertions that ask. */
  readonly next: number
}

/** Characters that no state of the pattern can tell apart. */
interface Column {
  readonly charClass: number
  readonly before: number
}

const textStart: Column = { charClass: -1, before: neighbour.none }
const textStartColumn = 0

export function createSearch(automaton: Automaton): Matcher['test'] {
  const states = new StateTable(automaton)
  return (text) => states.search(text)
}

class StateTable {
  readonly #automaton: Automaton
  readonly #states: State[]
  readonly #ids = new Map<string, number>()
  readonly #columns: Column[] = [textStart]
  readonly #columnIds = new Map<string, number>()
  readonly #asciiColumns = new Int8Array(128).fill(-1)
  /** One row per state; grown with them. */
  #table = new Int32Array(8 * maxColumns)

  constructor(automaton: Automaton) {
    this.#automaton = automaton
    const nothing: State = { alive: noPlaces(automaton), next: neighbour.none }
    // The first id is 1, so that no known entry looks unknown.
    this.#states = [nothing, nothing]
  }

  search(text: string): boolean {
    const asciiColumns = this.#asciiColumns
    let table = this.#table
    let state = 1
    // The last character may be a line feed that ends the text, which is another kind of neighbour.
    let column = text.length === 0 ? textStartColumn : this.#columnAt(text, text.length)
    let at = text.length
    for (;;) {
      if (column === -1) return this.#sweep(text, at, state)
      let entry = table[state * maxColumns + column] ?? unknown
      if (entry === unknown) {
        entry = this.#explore(state, column)
        if (entry === unknown) return this.#sweep(text, at, state)
        table = this.#table
      }
      if ((entry & found) !== 0) return true
      if (at === 0) return false
      state = entry >>> 1
      const code = text.charCodeAt(at - 1)
      at -= code >= 0xdc00 && isInsidePair(text, at - 1) ? 2 : 1
      if (at === 0) column = textStartColumn
      else {
        const before = text.charCodeAt(at - 1)
        column = before < 0x80 ? (asciiColumns[before] ?? -1) : -1
        if (column === -1) column = this.#columnAt(text, at)
      }
    }
  }

  /** The column of the character that ends at a position; -1 when there are too many. */
  #columnAt(text: string, at: number): number {
    const { usedGuards, wordCount, classMasks } = this.#automaton
    const start = isInsidePair(text, at - 1) ? at - 2 : at - 1
    const charClass = classAt(this.#automaton, text, start)
    const mask = classMasks.subarray(charClass * wordCount, (charClass + 1) * wordCount)
    const before = usedGuards === 0 ? neighbour.none : this.#neighbourBefore(text, at)
    const key = `${before}:${mask.join()}`
    let id = this.#columnIds.get(key)
    if (id === undefined) {
      if (this.#columns.length === maxColumns) return -1
      id = this.#columns.push({ charClass, before }) - 1
      this.#columnIds.set(key, id)
    }
    const code = text.charCodeAt(at - 1)
    if (code < 0x80 && before !== neighbour.finalLineFeed) this.#asciiColumns[code] = id
    return id
  }

  #neighbourBefore(text: string, at: number): number {
    const kind = neighbourBefore(text, at)
    return kind === neighbour.lineFeed && at === text.length ? neighbour.finalLineFeed : kind
  }

  #explore(state: number, column: number): number {
    const { alive, next } = this.#states[state] as State
    const { charClass, before } = this.#columns[column] as Column
    const truths = truthsBetween(before, next)
    let entry = isStart(this.#automaton, alive, truths) ? found : 0
    if (column === textStartColumn) entry |= 2
    else if (entry === 0) {
      const reached = noPlaces(this.#automaton)
      passBack(this.#automaton, { alive, truths, charClass }, reached)
      const id = this.#idOf({ alive: reached, next: before })
      if (id === undefined) return unknown
      entry = id << 1
    }
    this.#table[state * maxColumns + column] = entry
    return entry
  }

  #idOf(state: State): number | undefined {
    const key = `${state.next}:${state.alive.join()}`
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    if (this.#states.length === maxStates) return undefined
    const id = this.#states.push(state) - 1
    this.#ids.set(key, id)
    if (this.#table.length < this.#states.length * maxColumns) {
      const larger = new Int32Array(2 * this.#table.length)
      larger.set(this.#table)
      this.#table = larger
    }
    return id
  }

  #sweep(text: string, at: number, state: number): boolean {
    const sweep = startSweep(this.#automaton, text)
    sweep.at = at
    sweep.alive = (this.#states[state] as State).alive.slice()
    while (!startsMatch(sweep)) {
      if (sweep.at === 0) return false
      stepBack(sweep)
    }
    return true
  }
}
