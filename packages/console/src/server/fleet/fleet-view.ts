// What is deployed where and which agent is to run what, as one node knows it: read once, read again whenever somebody,
// on whatever node, has changed something.
import { compileToolPattern } from 'edictum'
import { assignmentChanged, type AssignmentStore } from '../../store/assignments.js'
import type { Change, Database } from '../../store/database.js'
import { bundleDeployed, type DeployedBundle, type DeploymentStore } from '../../store/deployments.js'
import type { FleetState } from './resolve-bundle.js'

type FleetListener = (tenant: number, state: FleetState) => void

/** A net below the announcements, should one ever be lost. */
const refreshMs = 30_000

export class FleetView {
  readonly #database: Database
  readonly #deployments: DeploymentStore
  readonly #assignments: AssignmentStore
  readonly #tenants = new Set<number>()
  readonly #states = new Map<number, Promise<FleetState>>()
  readonly #telling = new Map<number, 'once' | 'again'>()
  readonly #listeners = new Set<FleetListener>()
  readonly #timer: NodeJS.Timeout
  readonly #unsubscribe: () => void

  constructor(parts: {
    readonly database: Database
    readonly deployments: DeploymentStore
    readonly assignments: AssignmentStore
  }) {
    this.#database = parts.database
    this.#deployments = parts.deployments
    this.#assignments = parts.assignments
    this.#unsubscribe = parts.database.subscribe((change) => {
      if (change.kind === 'resync') this.#refreshAll()
      else if (change.kind === bundleDeployed || change.kind === assignmentChanged)
        this.#refresh((change as Change).tenant)
    })
    this.#timer = setInterval(() => this.#refreshAll(), refreshMs)
    this.#timer.unref()
  }

  /** The state after every change this node has heard of. */
  get(tenant: number): Promise<FleetState> {
    if (!this.#database.hearsChanges()) this.#states.delete(tenant)
    const known = this.#states.get(tenant)
    if (known !== undefined) return known
    this.#tenants.add(tenant)
    const loading = this.#load(tenant)
    this.#states.set(tenant, loading)
    loading.catch(() => {
      if (this.#states.get(tenant) === loading) this.#states.delete(tenant)
    })
    return loading
  }

  /** The state as it is stored now: for people, who expect to see what they have just changed. */
  read(tenant: number): Promise<FleetState> {
    return this.#load(tenant)
  }

  /** Called with every new state. */
  listen(listener: FleetListener): void {
    this.#listeners.add(listener)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#unsubscribe()
    this.#listeners.clear()
  }

  #refreshAll(): void {
    for (const tenant of this.#tenants) this.#refresh(tenant)
  }

  #refresh(tenant: number): void {
    this.#states.delete(tenant)
    if (this.#telling.has(tenant)) this.#telling.set(tenant, 'again')
    else void this.#tell(tenant)
  }

  async #tell(tenant: number): Promise<void> {
    do {
      this.#telling.set(tenant, 'once')
      try {
        const state = await this.get(tenant)
        for (const listener of this.#listeners) listener(tenant, state)
      } catch {
        // The database is away. When it is back there is a resync, and at the latest the timer comes round.
      }
    } while (this.#telling.get(tenant) === 'again')
    this.#telling.delete(tenant)
  }

  async #load(tenant: number): Promise<FleetState> {
    const [deployed, registrations, rules] = await Promise.all([
      this.#deployments.listDeployed(tenant),
      this.#assignments.listRegistrations(tenant),
      this.#assignments.listRules(tenant),
    ])
    const byEnvironment = new Map<string, Map<string, DeployedBundle>>()
    for (const bundle of deployed) {
      const bundles = byEnvironment.get(bundle.env) ?? new Map<string, DeployedBundle>()
      bundles.set(bundle.bundleName, bundle)
      byEnvironment.set(bundle.env, bundles)
    }
    const assigned = registrations.flatMap(({ agentId, bundleName }) =>
      bundleName === null ? [] : [[agentId, bundleName] as const],
    )
    return {
      deployed: byEnvironment,
      assignments: new Map(assigned),
      tags: new Map(registrations.map(({ agentId, tags }) => [agentId, tags])),
      rules: rules.map((rule) => ({ ...rule, matches: compileToolPattern(rule.pattern) })),
    }
  }
}
