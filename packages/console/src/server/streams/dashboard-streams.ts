// What people watch: everything that changes in their tenant, on whatever node.
import { assignmentChanged } from '../../store/assignments.js'
import { bundleUploaded } from '../../store/bundles.js'
import type { Change, Resync } from '../../store/database.js'
import { bundleAcknowledged, bundleDeployed } from '../../store/deployments.js'
import { eventsStored } from '../../store/events.js'
import { keyRevoked } from '../../store/keys.js'
import { signingKeyRotated } from '../../store/signing-keys.js'
import type { Services } from '../services.js'
import { describeApproval } from './agent-streams.js'
import { watchApprovals } from './approval-watch.js'
import type { EventStream } from './event-stream.js'

type Needed = Pick<Services, 'metrics' | 'store' | 'now' | 'stopping'>

const pingMs = 10_000
/** A busy fleet sends events all the time; one notice for all of a moment is enough. */
const eventsMs = 250

/** Names of changes on the stream; their subject is what is sent. */
const eventNames: Readonly<Record<string, string>> = {
  [bundleUploaded]: 'bundle_uploaded',
  [bundleDeployed]: 'bundle_deployed',
  [bundleAcknowledged]: 'bundle_acknowledged',
  [assignmentChanged]: 'assignment_changed',
  [signingKeyRotated]: 'signing_key_rotated',
}

export class DashboardStreams {
  readonly #streams = new Map<number, Set<EventStream>>()
  readonly #stored = new Map<number, number>()

  constructor({ metrics, store, now, stopping }: Needed) {
    const unsubscribe = store.database.subscribe((change) => this.#hear(change))
    metrics.gauge('edictum_dashboard_streams', 'Dashboards on streams.', () => this.#count())
    watchApprovals(
      { store, now, stopping },
      {
        isWatched: (tenant) => this.#streams.has(tenant),
        onChange: (approval) => {
          const { type, ...data } = describeApproval(approval, 'first-generation')
          this.#tell(approval.tenant, type, data)
        },
      },
    )
    const timers = [setInterval(() => this.#ping(), pingMs), setInterval(() => this.#tellStored(), eventsMs)]
    for (const timer of timers) timer.unref()
    stopping.addEventListener('abort', () => {
      unsubscribe()
      for (const timer of timers) clearInterval(timer)
    })
  }

  add(tenant: number, stream: EventStream): void {
    const streams = this.#streams.get(tenant) ?? new Set<EventStream>()
    this.#streams.set(tenant, streams.add(stream))
    stream.whenClosed(() => {
      streams.delete(stream)
      if (streams.size === 0) this.#streams.delete(tenant)
    })
    stream.send('ready', { type: 'ready' })
  }

  #hear(change: Change | Resync): void {
    if (change.kind === 'resync') {
      for (const tenant of this.#streams.keys()) this.#tell(tenant, 'resync', {})
      return
    }
    const { kind, tenant, subject } = change as Change
    if (!this.#streams.has(tenant)) return
    const name = eventNames[kind]
    if (name !== undefined) this.#tell(tenant, name, JSON.parse(subject) as object)
    else if (kind === keyRevoked) this.#tell(tenant, 'api_key_revoked', { key_id: subject })
    else if (kind === eventsStored)
      this.#stored.set(tenant, (this.#stored.get(tenant) ?? 0) + Number(subject))
  }

  #tellStored(): void {
    for (const [tenant, accepted] of this.#stored) this.#tell(tenant, 'event_created', { accepted })
    this.#stored.clear()
  }

  #tell(tenant: number, type: string, data: object): void {
    for (const stream of this.#streams.get(tenant) ?? []) stream.send(type, { type, ...data })
  }

  #ping(): void {
    for (const streams of this.#streams.values()) for (const stream of streams) stream.ping()
  }

  #count(): number {
    let count = 0
    for (const streams of this.#streams.values()) count += streams.size
    return count
  }
}
