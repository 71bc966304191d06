// What the endpoints share on one node.
import type { Store } from '../store/store.js'
import type { KeyRing } from './auth/key-ring.js'
import type { Sealer } from './auth/sealer.js'
import type { TokenHasher } from './auth/tokens.js'
import type { BundleWorkers } from './bundles/bundle-workers.js'
import type { Signer } from './bundles/signer.js'
import type { AgentSightings } from './fleet/agent-sightings.js'
import type { FleetView } from './fleet/fleet-view.js'
import type { BatchReader } from './ingest/batch-reader.js'
import type { HeldSockets } from './held-sockets.js'
import type { Log } from './log.js'
import type { Metrics } from './metrics.js'
import type { RateLimiter } from './rate-limiter.js'
import type { BodyRoom } from './routing/body-room.js'
import type { ConsoleOptions } from './start/options.js'

export interface Services {
  readonly options: ConsoleOptions
  /** How people and agents reach this server. */
  readonly baseUrl: string
  readonly store: Store
  readonly hasher: TokenHasher
  readonly keyRing: KeyRing
  readonly sockets: HeldSockets
  /** By API key or user. */
  readonly rateLimiter: RateLimiter
  /** Of wrong attempts to log in, by address. */
  readonly loginLimiter: RateLimiter
  /** Of wrong API keys, by address. */
  readonly keyLimiter: RateLimiter
  readonly sealer: Sealer
  readonly signer: Signer
  readonly bundleWorkers: BundleWorkers
  /** What is deployed and assigned, as this node knows it. */
  readonly fleet: FleetView
  readonly sightings: AgentSightings
  readonly bodyRoom: BodyRoom
  readonly batchReader: BatchReader
  readonly metrics: Metrics
  readonly log: Log
  readonly now: () => number
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
}
