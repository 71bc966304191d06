// Finds which of many literals occur in a text, in one pass whose cost does not depend on how many there are
// (Aho-Corasick). Transitions live in one flat hash table, so thousands of literals stay small in memory.
import { overlappingPieces, type TextRange } from '../../internal/overlapping-pieces.js'

/** Reports each literal that occurs, by its number, at most once per search. */
export type Found = (literal: number) => void

const none = -1
const asciiSize = 128
/** The platform finds one text in a long one ten times faster than this index finds all of them. */
const longText = 4_096
const fewLiterals = 8

export class LiteralIndex {
  readonly #table: Transitions
  readonly #fromRoot = new Int32Array(asciiSize)
  readonly #fallback: Int32Array
  /** The literal that ends at a node, and the nearest node up the fallback chain where another one ends. */
  readonly #ends: Int32Array
  readonly #nextEnd: Int32Array
  readonly #literals: readonly string[]
  readonly #seen: Uint32Array
  readonly #skip: Skip
  readonly #longest: number
  #search = 0

  /** Literals must be distinct and not empty. */
  constructor(literals: readonly string[]) {
    const trie = new Trie(literals)
    this.#table = trie.compactTable()
    this.#fallback = new Int32Array(trie.nodes)
    this.#ends = trie.ends.slice(0, trie.nodes)
    this.#nextEnd = new Int32Array(trie.nodes).fill(none)
    this.#literals = literals
    this.#seen = new Uint32Array(literals.length)
    this.#skip = skipOver(literals)
    this.#longest = trie.longest
    this.#link(trie)
    for (let character = 0; character < asciiSize; character++) {
      const target = this.#table.get(0, character)
      this.#fromRoot[character] = target === none ? 0 : target
    }
  }

  /** The same with pauses; a literal may be reported once in every part of the text. */
  *searchInSteps(text: string, found: Found): Generator<undefined, void> {
    if (this.#literals.length <= fewLiterals) {
      for (const [number, literal] of this.#literals.entries()) {
        if (text.includes(literal)) found(number)
        yield
      }
      return
    }
    for (const piece of overlappingPieces(text, this.#longest)) {
      this.#searchIn(text, piece, found)
      yield
    }
  }

  search(text: string, found: Found): void {
    if (text.length >= longText && this.#literals.length <= fewLiterals) {
      this.#literals.forEach((literal, number) => {
        if (text.includes(literal)) found(number)
      })
      return
    }
    this.#searchIn(text, { start: 0, end: text.length }, found)
  }

  #searchIn(text: string, { start, end: over }: TextRange, found: Found): void {
    this.#startSearch()
    let node = 0
    for (let index = start; index < over; index++) {
      if (node === 0) index = nextBeginning(text, { start: index, end: over }, this.#skip)
      const character = text.charCodeAt(index)
      node = this.#step(node, character)
      if (node === 0) continue
      let end = this.#ends[node] === none ? (this.#nextEnd[node] ?? none) : node
      while (end !== none) {
        const literal = this.#ends[end] ?? none
        // Everything further up this chain was reported when this literal was first seen.
        if (this.#seen[literal] === this.#search) break
        this.#seen[literal] = this.#search
        found(literal)
        end = this.#nextEnd[end] ?? none
      }
    }
  }

  #startSearch(): void {
    this.#search++
    if (this.#search > 0xffff_fff0) {
      this.#seen.fill(0)
      this.#search = 1
    }
  }

  #step(from: number, character: number): number {
    let node = from
    while (node !== 0) {
      const target = this.#table.get(node, character)
      if (target !== none) return target
      node = this.#fallback[node] ?? 0
    }
    if (character < asciiSize) return this.#fromRoot[character] ?? 0
    const target = this.#table.get(0, character)
    return target === none ? 0 : target
  }

  /** Breadth first, so that a node's fallback is complete before its children need it. */
  #link(trie: Trie): void {
    for (const node of trie.breadthFirst()) {
      const parent = trie.parents[node] ?? 0
      const character = trie.characters[node] ?? 0
      let fallback = 0
      if (parent !== 0) {
        let candidate = this.#fallback[parent] ?? 0
        for (;;) {
          const target = this.#table.get(candidate, character)
          if (target !== none) {
            fallback = target
            break
          }
          if (candidate === 0) break
          candidate = this.#fallback[candidate] ?? 0
        }
      }
      this.#fallback[node] = fallback
      this.#nextEnd[node] = this.#ends[fallback] === none ? (this.#nextEnd[fallback] ?? none) : fallback
    }
  }
}

/** Characters beyond ASCII fall on others: a pair may be taken for one that it is not. */
function pairOf(first: number, second: number): number {
  return ((first & 0x7f) << 7) | (second & 0x7f)
}

/** How to pass over what holds no literal (Wu and Manber): by pairs of characters, and how far each is from an end. */
interface Skip {
  /** 1 for each pair of characters that a literal may begin with. */
  readonly beginnings: Uint8Array
  /** From where a literal may begin to the pair that ends the shortest one. */
  readonly reach: number
  /** How far from there the next literal may begin, by that pair. */
  readonly shifts: Uint8Array
}

const longestReach = 253

/** Most of a text is not even the beginning of a literal, and the longer the literals are the less of it is looked at. */
function nextBeginning(text: string, { start, end }: TextRange, { beginnings, reach, shifts }: Skip): number {
  const last = end - 1
  let index = start
  while (index + reach < last) {
    const pair = pairOf(text.charCodeAt(index + reach), text.charCodeAt(index + reach + 1))
    const shift = shifts[pair] ?? 1
    if (shift > 0) index += shift
    else if (beginnings[pairOf(text.charCodeAt(index), text.charCodeAt(index + 1))] !== 0) return index
    else index++
  }
  return last
}

function skipOver(literals: readonly string[]): Skip {
  const beginnings = new Uint8Array(asciiSize * asciiSize)
  let shortest = longestReach + 2
  for (const literal of literals) {
    shortest = Math.min(shortest, literal.length)
    const first = literal.charCodeAt(0)
    if (literal.length > 1) beginnings[pairOf(first, literal.charCodeAt(1))] = 1
    else beginnings.fill(1, pairOf(first, 0), pairOf(first, 0) + asciiSize)
  }
  if (shortest <= 2) return { beginnings, reach: 0, shifts: opposite(beginnings) }
  const reach = shortest - 2
  const shifts = new Uint8Array(asciiSize * asciiSize).fill(reach + 1)
  for (const literal of literals) {
    for (let offset = 0; offset <= reach; offset++) {
      const pair = pairOf(literal.charCodeAt(offset), literal.charCodeAt(offset + 1))
      shifts[pair] = Math.min(shifts[pair] ?? 0, reach - offset)
    }
  }
  return { beginnings, reach, shifts }
}

function opposite(flags: Uint8Array): Uint8Array {
  const others = new Uint8Array(flags.length)
  for (let index = 0; index < flags.length; index++) others[index] = flags[index] === 0 ? 1 : 0
  return others
}

/** For every (node, character) pair: the pair's hash slot holds key and target. */
class Transitions {
  readonly #keys: Float64Array
  readonly #targets: Int32Array
  readonly #mask: number

  /** @param most pairs it may hold */
  constructor(most: number) {
    const size = tableSize(most)
    this.#mask = size - 1
    this.#keys = new Float64Array(size).fill(none)
    this.#targets = new Int32Array(size)
  }

  put(node: number, character: number, target: number): void {
    let slot = slotOf(node, character) & this.#mask
    while (this.#keys[slot] !== none) slot = (slot + 1) & this.#mask
    this.#keys[slot] = node * 65_536 + character
    this.#targets[slot] = target
  }

  get(node: number, character: number): number {
    const key = node * 65_536 + character
    let slot = slotOf(node, character) & this.#mask
    let found = this.#keys[slot] ?? none
    while (found !== none) {
      if (found === key) return this.#targets[slot] ?? none
      slot = (slot + 1) & this.#mask
      found = this.#keys[slot] ?? none
    }
    return none
  }
}

/** Half full at most, so that a pair is found after few looks. */
function tableSize(pairs: number): number {
  let size = 16
  while (size < pairs * 2) size *= 2
  return size
}

function slotOf(node: number, character: number): number {
  return Math.imul(node ^ Math.imul(character, 0x9e37_79b1), 0x85eb_ca6b) >>> 7
}

/** The literals as a tree of their characters. Nodes are numbers; the root is 0. */
class Trie {
  readonly parents: Int32Array
  readonly characters: Uint16Array
  /** The literal that ends at a node. */
  readonly ends: Int32Array
  readonly longest: number
  readonly #depths: Int32Array
  readonly #table: Transitions
  readonly #most: number
  nodes = 1

  constructor(literals: readonly string[]) {
    let most = 1
    let longest = 0
    for (const { length } of literals) {
      most += length
      if (length > longest) longest = length
    }
    this.longest = longest
    this.#most = most
    this.parents = new Int32Array(most)
    this.characters = new Uint16Array(most)
    this.ends = new Int32Array(most).fill(none)
    this.#depths = new Int32Array(most)
    this.#table = new Transitions(most)
    for (const [number, literal] of literals.entries()) this.#add(literal, number)
  }

  #add(literal: string, number: number): void {
    let node = 0
    for (let index = 0; index < literal.length; index++) {
      const character = literal.charCodeAt(index)
      let child = this.#table.get(node, character)
      if (child === none) {
        child = this.nodes++
        this.#table.put(node, character, child)
        this.parents[child] = node
        this.characters[child] = character
        this.#depths[child] = index + 1
      }
      node = child
    }
    this.ends[node] = number
  }

  /** Literals that share their beginnings need less room than was made for them. */
  compactTable(): Transitions {
    if (tableSize(this.nodes) === tableSize(this.#most)) return this.#table
    const table = new Transitions(this.nodes)
    for (let node = 1; node < this.nodes; node++)
      table.put(this.parents[node] ?? 0, this.characters[node] ?? 0, node)
    return table
  }

  /** All nodes but the root, those nearest to it first. */
  breadthFirst(): Int32Array {
    const starts = new Int32Array(this.longest + 2)
    for (let node = 1; node < this.nodes; node++) {
      const after = (this.#depths[node] ?? 0) + 1
      starts[after] = (starts[after] ?? 0) + 1
    }
    for (let depth = 1; depth < starts.length; depth++)
      starts[depth] = (starts[depth] ?? 0) + (starts[depth - 1] ?? 0)
    const ordered = new Int32Array(this.nodes - 1)
    for (let node = 1; node < this.nodes; node++) {
      const depth = this.#depths[node] ?? 0
      const at = starts[depth] ?? 0
      ordered[at] = node
      starts[depth] = at + 1
    }
    return ordered
  }
}
