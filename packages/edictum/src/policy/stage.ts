// The contracts of one kind that can apply to one tool, in order, with the index that says which ones could fire.
import type { PostContract, PreContract } from '../contracts/bundle.js'
import { fire, type Firing, type JudgedContract } from './compiled-contract.js'
import type { Scene } from './conditions/scene.js'
import { compileSuspects, type Suspects } from './conditions/suspects.js'
import type { CustomSelector } from './conditions/selectors.js'
import { compileGlob, isGlob } from './tool-glob.js'

export interface Fired<Contract> {
  readonly contract: Contract
  /** Position of the contract in the stage's list. */
  readonly position: number
  readonly firing: Firing
}

export interface Stage<Contract> {
  readonly contracts: readonly Contract[]
  /** Every contract that fires in the scene, in order. */
  findFiring(scene: Scene): readonly Fired<Contract>[]
  /** The same with pauses, for a scene with a text of many megabytes. */
  findFiringInSteps(scene: Scene): Generator<undefined, readonly Fired<Contract>[]>
}

const nothing: readonly never[] = Object.freeze([])

type Conditional = JudgedContract<PreContract> | JudgedContract<PostContract>

/**
 * Sorts contracts by the tools they can apply to. Contracts bound to an exact name are indexed once under that name;
 * contracts bound by a glob are indexed once per set of globs that match the same names, so a bundle of wildcards and
 * many tool names does not multiply.
 */
export class StageIndex<Contract extends Conditional> {
  readonly #exact = new Map<string, Contract[]>()
  readonly #globs: { readonly contract: Contract; readonly matches: (name: string) => boolean }[] = []
  readonly #selectors: ReadonlyMap<string, CustomSelector>
  readonly #exactSearches = new Map<string, Search<Contract>>()
  readonly #globSearches = new Map<string, Search<Contract>>()

  constructor(contracts: readonly Contract[], selectors: ReadonlyMap<string, CustomSelector>) {
    this.#selectors = selectors
    const matchers = new Map<string, (name: string) => boolean>()
    for (const contract of contracts) {
      const pattern = contract.contract.tool
      if (!isGlob(pattern)) {
        const bound = this.#exact.get(pattern)
        if (bound === undefined) this.#exact.set(pattern, [contract])
        else bound.push(contract)
        continue
      }
      let matches = matchers.get(pattern)
      if (matches === undefined) {
        matches = compileGlob(pattern)
        matchers.set(pattern, matches)
      }
      this.#globs.push({ contract, matches })
    }
  }

  toolNames(): Iterable<string> {
    return this.#exact.keys()
  }

  stageFor(toolName: string): Stage<Contract> {
    const exact = this.#exact.get(toolName) ?? []
    const byGlob = this.#globs.filter(({ matches }) => matches(toolName)).map(({ contract }) => contract)
    const contracts = byGlob.length === 0 ? exact : [...exact, ...byGlob].sort((a, b) => a.order - b.order)
    const searches = [
      ...(exact.length === 0 ? [] : [this.#search(this.#exactSearches, toolName, exact)]),
      ...(byGlob.length === 0
        ? []
        : [this.#search(this.#globSearches, byGlob.map(({ order }) => order).join(), byGlob)]),
    ]
    const positionOf = (contract: Contract) => findByOrder(contracts, contract.order)
    return {
      contracts,
      findFiring: searchAll(searches, positionOf),
      *findFiringInSteps(scene) {
        const fired: Fired<Contract>[] = []
        for (const search of searches) fired.push(...(yield* search.findFiringInSteps(scene, positionOf)))
        return inOrder(fired)
      },
    }
  }

  #search(
    cache: Map<string, Search<Contract>>,
    key: string,
    contracts: readonly Contract[],
  ): Search<Contract> {
    let search = cache.get(key)
    if (search === undefined) {
      search = compileSearch(contracts, this.#selectors)
      cache.set(key, search)
    }
    return search
  }
}

/** The list is in order, so where a contract stands need not be kept. */
function findByOrder(contracts: readonly Conditional[], order: number): number {
  let low = 0
  let high = contracts.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((contracts[middle]?.order ?? 0) < order) low = middle + 1
    else high = middle
  }
  return low
}

function searchAll<Contract>(
  searches: readonly Search<Contract>[],
  positionOf: (contract: Contract) => number,
): Stage<Contract>['findFiring'] {
  const [first, second] = searches
  if (first === undefined) return () => nothing
  if (second === undefined) return (scene) => first.findFiring(scene, positionOf)
  return (scene) => inOrder(searches.flatMap((search) => search.findFiring(scene, positionOf)))
}

function inOrder<Contract>(fired: readonly Fired<Contract>[]): readonly Fired<Contract>[] {
  return fired.length < 2 ? fired : fired.toSorted((a, b) => a.position - b.position)
}

interface Search<Contract> {
  findFiring(scene: Scene, positionOf: (contract: Contract) => number): readonly Fired<Contract>[]
  findFiringInSteps(
    scene: Scene,
    positionOf: (contract: Contract) => number,
  ): Generator<undefined, readonly Fired<Contract>[]>
}

function compileSearch<Contract extends Conditional>(
  contracts: readonly Contract[],
  selectors: ReadonlyMap<string, CustomSelector>,
): Search<Contract> {
  const suspects: Suspects = compileSuspects(
    contracts.map(({ contract }) => contract.when),
    selectors,
  )
  return {
    findFiring(scene, positionOf) {
      const open = suspects.find(scene)
      if (open.length === 0) return nothing
      const fired: Fired<Contract>[] = []
      for (const index of open) judgeInto(fired, contracts[index], { scene, positionOf })
      return fired
    },
    *findFiringInSteps(scene, positionOf) {
      const fired: Fired<Contract>[] = []
      for (const index of yield* suspects.findInSteps(scene)) {
        judgeInto(fired, contracts[index], { scene, positionOf })
        yield
      }
      return fired
    },
  }
}

function judgeInto<Contract extends Conditional>(
  fired: Fired<Contract>[],
  contract: Contract | undefined,
  { scene, positionOf }: { readonly scene: Scene; readonly positionOf: (contract: Contract) => number },
): void {
  const firing = contract && fire(contract, scene)
  if (contract && firing) fired.push({ contract, position: positionOf(contract), firing })
}
