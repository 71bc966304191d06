// From options to a server that answers, and back to nothing.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import type { Change } from '../../store/database.js'
import { keyRevoked } from '../../store/keys.js'
import { openDatabase } from '../../store/open-database.js'
import { openRedisSessions } from '../../store/redis/open-sessions.js'
import type { Sessions } from '../../store/sessions.js'
import { createStore } from '../../store/store.js'
import { userDisabled } from '../../store/users.js'
import { createApp } from '../app.js'
import { KeyRing } from '../auth/key-ring.js'
import { createSealer } from '../auth/sealer.js'
import { createTokenHasher } from '../auth/tokens.js'
import { BundleWorkers } from '../bundles/bundle-workers.js'
import { Signer } from '../bundles/signer.js'
import { AgentSightings } from '../fleet/agent-sightings.js'
import { FleetView } from '../fleet/fleet-view.js'
import { BatchReader } from '../ingest/batch-reader.js'
import { HeldSockets } from '../held-sockets.js'
import type { Log } from '../log.js'
import { Metrics } from '../metrics.js'
import { RateLimiter } from '../rate-limiter.js'
import { BodyRoom } from '../routing/body-room.js'
import type { Services } from '../services.js'
import { startUpkeep } from '../upkeep.js'
import { openDataFolder } from './data-folder.js'
import { prepareFirstStart, type Welcome } from './first-start.js'
import type { ConsoleOptions } from './options.js'

export interface RunningConsole {
  /** Where it listens. */
  readonly url: string
  readonly welcome: Welcome
  readonly services: Services
  /** Finishes what is under way, cuts what would never finish, and lets go of everything. */
  readonly stop: () => Promise<void>
}

export interface StartParts {
  readonly log: Log
  readonly now?: () => number
}

/** By cost: a request is one, and so is every event in it. */
const rateLimit = { perSecond: 50_000, burst: 250_000 }
/** Ten at once, then one every thirty seconds. */
const loginLimit = { perSecond: 1 / 30, burst: 10 }
/** A key cannot be guessed; this is for programs that go on with one that was revoked. */
const wrongKeyLimit = { perSecond: 1, burst: 100 }
/** Of large bodies at once. */
const bodyBytes = 256 * 1_048_576
const drainMs = 5_000

export async function startConsole(options: ConsoleOptions, parts: StartParts): Promise<RunningConsole> {
  const { log, now = Date.now } = parts
  const folder = openDataFolder(options.dataFolder, options.secret)
  const undo: (() => Promise<void> | void)[] = [folder.release]
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0)) await step()
  }
  try {
    const database = await openDatabase({
      folder: folder.path,
      ...(options.databaseUrl === undefined ? {} : { url: options.databaseUrl }),
    })
    undo.unshift(() => database.close())
    const store = createStore(database, await openSessions(options, { log, undo }))
    const sealer = createSealer(folder.secret)
    const fleet = new FleetView(store)
    const sightings = new AgentSightings({ database, log })
    const bundleWorkers = new BundleWorkers()
    const batchReader = new BatchReader()
    undo.unshift(
      () => sightings.close(),
      () => bundleWorkers.close(),
      () => batchReader.close(),
      () => fleet.close(),
    )
    const sockets = new HeldSockets()
    const stopping = new AbortController()
    // Listens before it answers: the address is part of what it answers with.
    const answering: { app?: ReturnType<typeof createApp> } = {}
    const server = createAdaptorServer({
      fetch: (request, bindings) => answering.app?.fetch(request, bindings as HttpBindings) ?? starting(),
    }) as Server
    // Longer than the minute proxies keep theirs: otherwise a request may be sent into a connection just closed.
    server.keepAliveTimeout = 65_000
    const url = await listen(server, options)
    undo.unshift(() => stopServer(server, { sockets, stopping }))
    const hasher = createTokenHasher(folder.secret)
    const baseUrl = options.baseUrl ?? url
    const services: Services = {
      options,
      baseUrl,
      store,
      hasher,
      keyRing: new KeyRing({ keys: store.keys, database, hasher }),
      sockets,
      rateLimiter: new RateLimiter(rateLimit),
      loginLimiter: new RateLimiter(loginLimit),
      keyLimiter: new RateLimiter(wrongKeyLimit),
      sealer,
      signer: new Signer({ database, sealer }),
      bundleWorkers,
      fleet,
      sightings,
      bodyRoom: new BodyRoom(bodyBytes),
      batchReader,
      metrics: new Metrics(),
      log,
      now,
      stopping: stopping.signal,
    }
    database.subscribe((change) => {
      if (change.kind === keyRevoked || change.kind === userDisabled)
        sockets.abortThoseOf((change as Change).subject)
    })
    services.metrics.gauge('edictum_held_connections', 'Streams and long polls.', () => sockets.size)
    const welcome = await prepareFirstStart({ store, hasher, options, baseUrl, now: now() })
    answering.app = createApp(services)
    undo.unshift(startUpkeep(services))
    return { url, welcome, services, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Undefined for the database. */
async function openSessions(
  { redisUrl }: ConsoleOptions,
  parts: { readonly log: Log; readonly undo: (() => Promise<void> | void)[] },
): Promise<Sessions | undefined> {
  if (redisUrl === undefined) return undefined
  const sessions = await openRedisSessions(redisUrl, (message) => parts.log('warn', message, {}))
  parts.undo.unshift(() => sessions.close())
  return sessions
}

function starting(): Response {
  return new Response('{"detail":"the server is starting","code":"overloaded"}', {
    status: 503,
    headers: { 'Content-Type': 'application/json', 'Retry-After': '1' },
  })
}

function listen(server: Server, { host, port }: ConsoleOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve(`http://${urlHost(host)}:${(server.address() as AddressInfo).port}`)
    })
  })
}

async function stopServer(
  server: Server,
  parts: { readonly sockets: HeldSockets; readonly stopping: AbortController },
): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  parts.sockets.abortAll()
  parts.stopping.abort()
  server.closeIdleConnections()
  const overdue = setTimeout(() => server.closeAllConnections(), drainMs)
  await closed
  clearTimeout(overdue)
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
