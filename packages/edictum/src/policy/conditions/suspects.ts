// The index of one tool's contracts: reads each selector once and names the contracts that could fire, so that a call
// costs the same with ten contracts and with ten thousand.
import type { Condition } from '../../contracts/bundle.js'
import { pieceLength } from '../../internal/overlapping-pieces.js'
import type { Pattern } from '../../contracts/pattern/pattern.js'
import { isNormalForm, namesSeveralValues } from '../../contracts/selectors.js'
import { type Gate, gatesOf, type Scalar } from './gates.js'
import { LiteralIndex } from './literal-index.js'
import type { Scene } from './scene.js'
import { compileSelector, type CustomSelector, type Read } from './selectors.js'

/** Positions, ascending and without repeats, of the conditions that may hold or fail to be decided in a scene. */
export interface Suspects {
  find(scene: Scene): readonly number[]
  /** The same with pauses, for a scene with a text of many megabytes. */
  findInSteps(scene: Scene): Generator<undefined, readonly number[]>
}

const nobody: readonly number[] = Object.freeze([])

export function compileSuspects(
  conditions: readonly Condition[],
  selectors: ReadonlyMap<string, CustomSelector>,
): Suspects {
  const always: number[] = []
  const groups = new Map<string, SelectorGroup>()
  const usage = countUses(conditions)
  const price = (gate: Gate) => priceOf(gate, usage)
  conditions.forEach((condition, position) => {
    const gates = gatesOf(condition, price)
    if (gates === undefined) {
      always.push(position)
      return
    }
    for (const gate of gates) {
      const { selector } = gate
      let group = groups.get(selector)
      if (group === undefined) {
        group = new SelectorGroup(selector, compileSelector(selector, selectors))
        groups.set(selector, group)
      }
      group.add(gate, position)
    }
  })
  const searches = [...groups.values()].map((group) => group.compile())
  const among = (open: number[] | undefined): readonly number[] => {
    if (open === undefined) return always.length === 0 ? nobody : always
    return ascending(always.length === 0 ? open : open.concat(always))
  }
  return {
    find(scene) {
      let open: number[] | undefined
      for (const { search } of searches) open = search(scene, open)
      return among(open)
    },
    *findInSteps(scene) {
      let open: number[] | undefined
      for (const { searchInSteps } of searches) open = yield* searchInSteps(scene, open)
      return among(open)
    },
  }
}

function ascending(positions: number[]): readonly number[] {
  if (positions.length < 2) return positions
  positions.sort((a, b) => a - b)
  return positions.filter((position, index) => position !== positions[index - 1])
}

/** How often each exact value is compared with a selector, over all conditions. */
type Uses = ReadonlyMap<string, ReadonlyMap<unknown, number>>

function countUses(conditions: readonly Condition[]): Uses {
  const uses = new Map<string, Map<unknown, number>>()
  const visit = (condition: Condition): void => {
    switch (condition.kind) {
      case 'all':
      case 'any':
        condition.conditions.forEach(visit)
        return
      case 'not':
        return
      case 'leaf':
        if (condition.operator === 'equals') {
          const { selector, operand } = condition
          let ofSelector = uses.get(selector)
          if (ofSelector === undefined) uses.set(selector, (ofSelector = new Map()))
          ofSelector.set(operand, (ofSelector.get(operand) ?? 0) + 1)
        }
        return
      default:
        condition satisfies never
    }
  }
  // Only conditions with a choice between gates need prices.
  for (const condition of conditions) if (condition.kind !== 'leaf') visit(condition)
  return uses
}

/** Parsing a command or following a path is dearer than comparing whatever else there is. */
const priceOfNormalForm = 100_000

function priceOf(gate: Gate, uses: Uses): number {
  return priceOfKind(gate, uses) + (isNormalForm(gate.selector) ? priceOfNormalForm : 0)
}

function priceOfKind(gate: Gate, uses: Uses): number {
  switch (gate.kind) {
    case 'equals': {
      const ofSelector = uses.get(gate.selector)
      return gate.values.reduce<number>((sum, value) => sum + (ofSelector?.get(value) ?? 1), 0)
    }
    case 'literals':
      return 2
    case 'pattern':
      return 200
    case 'above':
    case 'below':
      return 500
    case 'present':
    case 'missing':
      return 1_000
    default:
      return gate satisfies never
  }
}

/** Adds the positions that open in a scene to the list, creating it on first need. */
interface Search {
  readonly search: (scene: Scene, open: number[] | undefined) => number[] | undefined
  readonly searchInSteps: (
    scene: Scene,
    open: number[] | undefined,
  ) => Generator<undefined, number[] | undefined>
}

interface Threshold {
  readonly limit: number
  readonly position: number
}

type TextGate = Extract<Gate, { readonly kind: 'literals' | 'pattern' }>

class SelectorGroup {
  readonly #read: Read
  readonly #isSeveral: boolean
  /** Only the output as one text is: there is nothing to pause for in anything else. */
  readonly #mayBeLong: boolean
  readonly #present: number[] = []
  readonly #missing: number[] = []
  readonly #equals = new Map<Scalar, number[]>()
  readonly #literals = new Map<string, number[]>()
  readonly #patterns = new Map<Pattern, number[]>()
  readonly #above: Threshold[] = []
  readonly #below: Threshold[] = []
  readonly #needText: number[] = []
  readonly #needNumber: number[] = []
  readonly #everyone: number[] = []
  /** What opens on a long text. */
  readonly #longGates: { readonly gate: TextGate; readonly position: number }[] = []
  #index: LiteralIndex | undefined

  constructor(selector: string, read: Read) {
    this.#read = read
    this.#isSeveral = namesSeveralValues(selector)
    this.#mayBeLong = selector === 'output.text'
  }

  add(gate: Gate, position: number): void {
    this.#everyone.push(position)
    switch (gate.kind) {
      case 'present':
        this.#present.push(position)
        return
      case 'missing':
        this.#missing.push(position)
        return
      case 'equals':
        for (const value of gate.values) append(this.#equals, value, position)
        return
      case 'literals':
        this.#needText.push(position)
        for (const literal of gate.literals) append(this.#literals, literal, position)
        if (this.#mayBeLong) this.#longGates.push({ gate, position })
        return
      case 'pattern':
        this.#needText.push(position)
        append(this.#patterns, gate.pattern, position)
        if (this.#mayBeLong) this.#longGates.push({ gate, position })
        return
      case 'above':
        this.#needNumber.push(position)
        this.#above.push({ limit: gate.limit, position })
        return
      case 'below':
        this.#needNumber.push(position)
        this.#below.push({ limit: gate.limit, position })
        return
      default:
        gate satisfies never
    }
  }

  compile(): Search {
    const searchValue = this.#compileValue()
    const search: Search['search'] = (scene, open) => {
      let value: unknown
      try {
        value = this.#read(scene)
      } catch {
        // Each contract will meet the same error by itself and fail closed with it.
        return join(open, this.#everyone)
      }
      if (value === undefined || value === null) return join(open, this.#missing)
      const all = join(open, this.#present)
      return this.#isSeveral
        ? (value as readonly unknown[]).reduce<number[] | undefined>(
            (found, one) => searchValue(one, found),
            all,
          )
        : searchValue(value, all)
    }
    const searchInSteps: Search['searchInSteps'] = (scene, open) => this.#searchInSteps(scene, open, search)
    return { search, searchInSteps }
  }

  *#searchInSteps(
    scene: Scene,
    open: number[] | undefined,
    search: Search['search'],
  ): Generator<undefined, number[] | undefined> {
    const text = this.#mayBeLong ? this.#readText(scene) : undefined
    if (text === undefined || text.length <= pieceLength) return search(scene, open)
    let all = join(open, this.#present)
    all = join(all, this.#equals.get(text) ?? nobody)
    all = join(all, this.#needNumber)
    const literals = [...this.#literals.keys()]
    const found = new Set<string>()
    if (literals.length > 0)
      yield* this.#literalIndex().searchInSteps(text, (literal) => found.add(literals[literal] ?? ''))
    const matches = new Map<Pattern, boolean>()
    for (const { gate, position } of this.#longGates) {
      if (gate.kind === 'literals' && !gate.literals.some((literal) => found.has(literal))) continue
      const { pattern } = gate
      // A contract would run its pattern without a pause, so it is only asked when the pattern is known to match.
      if (pattern !== undefined) {
        if (!matches.has(pattern)) matches.set(pattern, yield* pattern.testInSteps(text))
        if (matches.get(pattern) === false) continue
      }
      all = join(all, [position])
      yield
    }
    return all
  }

  #readText(scene: Scene): string | undefined {
    try {
      const value = this.#read(scene)
      return typeof value === 'string' ? value : undefined
    } catch {
      return undefined
    }
  }

  #compileValue(): (value: unknown, open: number[] | undefined) => number[] | undefined {
    const searchText = this.#compileText()
    const searchNumber = this.#compileNumber()
    const equals = this.#equals.size === 0 ? undefined : this.#equals
    return (value, open) => {
      let all = open
      if (equals !== undefined) {
        const same = equals.get(value as Scalar)
        if (same !== undefined) all = join(all, same)
      }
      all = typeof value === 'string' ? searchText(value, all) : join(all, this.#needText)
      return typeof value === 'number' ? searchNumber(value, all) : join(all, this.#needNumber)
    }
  }

  #compileText(): (text: string, open: number[] | undefined) => number[] | undefined {
    const positions = [...this.#literals.values()]
    const index = positions.length === 0 ? undefined : this.#literalIndex()
    const patterns = [...this.#patterns]
    return (text, open) => {
      let all = open
      if (index !== undefined) {
        index.search(text, (literal) => {
          all = join(all, positions[literal] ?? nobody)
        })
      }
      for (const [pattern, waiting] of patterns) {
        if (pattern.test(text)) all = join(all, waiting)
      }
      return all
    }
  }

  #literalIndex(): LiteralIndex {
    this.#index ??= new LiteralIndex([...this.#literals.keys()])
    return this.#index
  }

  #compileNumber(): (value: number, open: number[] | undefined) => number[] | undefined {
    const above = this.#above.toSorted((a, b) => a.limit - b.limit)
    const below = this.#below.toSorted((a, b) => b.limit - a.limit)
    return (value, open) => {
      let all = open
      for (const { limit, position } of above) {
        if (!(limit <= value)) break
        all = join(all, [position])
      }
      for (const { limit, position } of below) {
        if (!(limit >= value)) break
        all = join(all, [position])
      }
      return all
    }
  }
}

function append<Key>(lists: Map<Key, number[]>, key: Key, position: number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [position])
  else list.push(position)
}

function join(open: number[] | undefined, more: readonly number[]): number[] | undefined {
  if (more.length === 0) return open
  if (open === undefined) return [...more]
  for (const position of more) open.push(position)
  return open
}
