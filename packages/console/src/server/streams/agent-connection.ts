// One agent on a stream, and what it has been told. Every time something changes the same question is asked again: what
// is its bundle now, and has it heard of that? So it does not matter what was missed meanwhile.
import { bundleUpdatedEvent } from '../../protocol/streams.js'
import type { DeployedBundle } from '../../store/deployments.js'
import { findDeployed, type FleetState, isVersion, resolveBundle } from '../fleet/resolve-bundle.js'
import type { EventStream } from './event-stream.js'

export type StreamKind = 'first-generation' | 'second-generation' | 'own'

export interface AgentConnectionParts {
  readonly stream: EventStream
  readonly kind: StreamKind
  readonly tenant: number
  readonly env: string
  readonly agentId: string
  readonly keyId: string
  readonly keyExpiresAt: number | null
  /** What it asks for. */
  readonly provided: string | null
  /** What it says it runs. */
  readonly policyVersion: string | null
  /**
   * Says nothing about itself: a client that knows its bundle and listens for notices about it. Others act on whatever
   * they are told, so they are only ever told about their own.
   */
  readonly listens: 'to-its-own-bundle' | 'to-every-bundle'
}

export class AgentConnection {
  readonly parts: AgentConnectionParts
  /** The bundle and deployment it was last told to run. */
  #current: string | undefined
  readonly #noticed = new Map<string, number>()

  constructor(parts: AgentConnectionParts) {
    this.parts = parts
  }

  /** Tells it what it does not know yet. */
  update(state: FleetState): void {
    const { env, listens } = this.parts
    this.#updateOwn(state)
    if (listens === 'to-its-own-bundle') return
    for (const bundle of state.deployed.get(env)?.values() ?? []) this.#notice(bundle)
  }

  #updateOwn(state: FleetState): void {
    const { env, agentId, provided, policyVersion } = this.parts
    const { bundleName } = resolveBundle(state, { agentId, env, provided })
    const deployed = findDeployed(state, { env, bundleName })
    if (deployed === undefined) return
    const current = `${deployed.bundleName} ${deployed.sequence}`
    if (this.#current === current) return
    const isFirst = this.#current === undefined
    this.#current = current
    if (isFirst && isVersion(deployed, policyVersion)) return
    this.#tell(deployed)
  }

  #tell(deployed: DeployedBundle): void {
    const { stream, kind } = this.parts
    const { bundleName, bundleVersion, sequence } = deployed
    const hash = this.#hashOf(deployed)
    if (kind === 'own') {
      stream.send(bundleUpdatedEvent, { bundle_name: bundleName, revision_hash: hash, sequence })
      return
    }
    // Without the text: clients that know this event then fetch the bundle it names, whatever they ran before.
    stream.send('contract_update', {
      type: 'contract_update',
      _assignment_changed: true,
      bundle_name: bundleName,
      version: bundleVersion,
      revision_hash: hash,
    })
    this.#notice(deployed)
  }

  #notice(deployed: DeployedBundle): void {
    const { stream, kind } = this.parts
    const { bundleName, bundleVersion, sequence } = deployed
    if (kind === 'own' || this.#noticed.get(bundleName) === sequence) return
    this.#noticed.set(bundleName, sequence)
    stream.send('ruleset_updated', {
      type: 'ruleset_updated',
      name: bundleName,
      version: bundleVersion,
      revision_hash: this.#hashOf(deployed),
    })
  }

  /** Of the text this client would be served. */
  #hashOf({ kind, revisionHash, translationHash }: DeployedBundle): string {
    const wanted = this.parts.kind === 'second-generation' ? 'Ruleset' : 'ContractBundle'
    return kind === wanted ? revisionHash : (translationHash ?? revisionHash)
  }
}
