// Several bundles → one, left to right: a later layer replaces by id, or runs beside the others as a candidate.
import { sha256Hex } from '../internal/platform.js'
import type { Contract, ContractBundle } from './bundle.js'
import { EdictumConfigError } from './config-error.js'
import { quoted } from './diagnostic.js'

/** A bundle and what to call it in the report, usually its path. */
export type BundleLayer = readonly [bundle: ContractBundle, label: string]

export interface CompositionReport {
  readonly overriddenContracts: readonly {
    readonly contractId: string
    readonly overriddenBy: string
    readonly originalSource: string
  }[]
  readonly shadowContracts: readonly {
    readonly contractId: string
    /** The layer whose contract of that id is enforced; empty when there is none. */
    readonly enforcedSource: string
    readonly observedSource: string
  }[]
}

export interface Composition {
  readonly bundle: ContractBundle
  readonly report: CompositionReport
}

/** Shadow contracts carry this suffix, which no written id can have. */
const candidateSuffix = ':candidate'

/** @throws EdictumConfigError without layers, or when two candidate layers carry the same contract id. */
export function composeBundles(...layers: readonly BundleLayer[]): Composition {
  const [first, ...later] = layers
  if (first === undefined) {
    throw EdictumConfigError.of('invalid-option', 'nothing to compose', 'give at least one bundle')
  }
  const composer = new Composer(first)
  for (const layer of later) {
    if (layer[0].observeAlongside) composer.addCandidates(layer)
    else composer.addLayer(layer)
  }
  return composer.finish()
}

/** The version of a composition: the versions of its layers, in order, hashed together. */
export function composePolicyVersion(versions: readonly string[]): string {
  const [only] = versions
  return versions.length === 1 && only !== undefined ? only : sha256Hex(versions.join(':'))
}

class Composer {
  #bundle: ContractBundle
  readonly #contracts = new Map<string, Contract>()
  readonly #sources = new Map<string, string>()
  readonly #overridden: CompositionReport['overriddenContracts'][number][] = []
  readonly #shadow: CompositionReport['shadowContracts'][number][] = []

  constructor([bundle, label]: BundleLayer) {
    this.#bundle = bundle
    for (const contract of bundle.contracts) this.#put(contract, label)
  }

  addLayer([bundle, label]: BundleLayer): void {
    this.#bundle = {
      ...this.#bundle,
      metadata: { ...this.#bundle.metadata, ...bundle.metadata },
      defaults: bundle.defaults,
      tools: new Map([...this.#bundle.tools, ...bundle.tools]),
      observability:
        Object.keys(bundle.observability).length > 0 ? bundle.observability : this.#bundle.observability,
    }
    for (const contract of bundle.contracts) {
      const originalSource = this.#sources.get(contract.id)
      if (originalSource !== undefined) {
        this.#overridden.push({ contractId: contract.id, overriddenBy: label, originalSource })
      }
      this.#put(contract, label)
    }
  }

  /** Candidates bring contracts and metadata only: what they are compared with must not change under them. */
  addCandidates([bundle, label]: BundleLayer): void {
    this.#bundle = { ...this.#bundle, metadata: { ...this.#bundle.metadata, ...bundle.metadata } }
    for (const contract of bundle.contracts) {
      const id = contract.id + candidateSuffix
      if (this.#contracts.has(id)) {
        throw EdictumConfigError.of(
          'candidate-id-taken',
          `candidate ${quoted(contract.id)} of ${label} is already observed from ${this.#sources.get(id) ?? ''}`,
          'observe one candidate of a contract at a time, or give the second its own id',
        )
      }
      this.#shadow.push({
        contractId: contract.id,
        enforcedSource: this.#sources.get(contract.id) ?? '',
        observedSource: label,
      })
      this.#put({ ...contract, id, mode: 'observe', shadow: true }, label)
    }
  }

  /** A map keeps the place of a replaced key, which is the rule for overrides. */
  #put(contract: Contract, label: string): void {
    this.#contracts.set(contract.id, contract)
    this.#sources.set(contract.id, label)
  }

  finish(): Composition {
    return {
      bundle: Object.freeze({ ...this.#bundle, contracts: Object.freeze([...this.#contracts.values()]) }),
      report: Object.freeze({
        overriddenContracts: Object.freeze(this.#overridden),
        shadowContracts: Object.freeze(this.#shadow),
      }),
    }
  }
}
