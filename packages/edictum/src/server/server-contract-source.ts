// Contracts from the console: fetched, verified, applied, acknowledged; then watched for the next deployment. What cannot be
// verified or loaded changes nothing and is reported. The last good bundle is kept on disk, signed as it came, for starts
// without the server.
import { setTimeout as sleep } from 'node:timers/promises'
import { EdictumConfigError } from '../contracts/config-error.js'
import { messageOf } from '../internal/message-of.js'
import { makeVisible } from '../internal/visible-text.js'
import { Backoff } from './backoff.js'
import { BundleCache } from './bundle-cache.js'
import { BundleVerificationError } from './bundle-verification-error.js'
import { readEventStream } from './event-stream.js'
import { checkIdentifier, isIdentifier } from './identifier.js'
import { problemReporter, type ReportProblem } from './problem.js'
import type {
  BundleAcknowledgement,
  BundleManifest,
  BundleNotice,
  CurrentBundle,
} from './protocol/bundles.js'
import { bundleUpdatedEvent } from './protocol/streams.js'
import type { EdictumServerClient } from './server-client.js'
import { EdictumServerError, isPassing } from './server-error.js'
import { isPublicKey, signersOf, type VerifiedBundle, verifyBundle } from './verify-bundle.js'

export interface ServerContractSourceOptions {
  /** What this agent asks for; what an operator has assigned to it wins. Absent: the server says which. */
  readonly bundleName?: string
  /** What assignments can go by. At most 64. */
  readonly tags?: Readonly<Record<string, string>>
  /**
   * Hexadecimal Ed25519 keys that may sign bundles; several while keys overlap. Absent: the keys of the first bundle are
   * trusted from then on, and so are the successors they name.
   */
  readonly publicKeys?: readonly string[]
  /** Where the last good bundle is kept; created for its owner alone. */
  readonly cacheFolder: string
  /** How long `start` waits for the first bundle. @default 30000 */
  readonly startTimeoutMs?: number
  /** @default a warning of the process */
  readonly onProblem?: ReportProblem
}

export const serverContractSourceDefaults = { startTimeoutMs: 30_000 } as const

/** Puts the contracts into force, all at once, or throws and leaves everything as it was. */
export type ApplyBundle = (bundle: {
  readonly bytes: Uint8Array
  readonly manifest: BundleManifest
}) => Promise<void> | void

/** The server says something at least every 15 seconds. */
const silenceMs = 45_000
const steadyMs = 30_000
const acknowledgeMs = 5_000
/** Notices tell of deployments; this also brings new keys, and what a lost notice would have told. */
const refreshMs = 3_600_000

export class ServerContractSource implements AsyncDisposable {
  readonly #client: EdictumServerClient
  readonly #options: ServerContractSourceOptions
  readonly #cache: BundleCache
  readonly #report: ReportProblem
  readonly #stopped = new AbortController()
  #current: BundleManifest | undefined
  #apply: ApplyBundle | undefined
  /** One bundle after the other. */
  #work: Promise<void> = Promise.resolve()
  #acknowledged: Promise<unknown> = Promise.resolve()
  #watching: Promise<void> | undefined
  #reported: string | undefined
  /** Set while an agent waits for its first assignment. */
  #onFirst: ((error?: unknown) => void) | undefined
  /** Keys that came with the first bundle, and their successors. */
  #learnedKeys: readonly string[] | undefined

  /** @throws EdictumConfigError when an option cannot be used. */
  constructor(client: EdictumServerClient, options: ServerContractSourceOptions) {
    this.#client = client
    this.#options = options
    this.#report = problemReporter(options.onProblem)
    if (options.bundleName !== undefined) checkIdentifier('bundleName', options.bundleName)
    checkTags(options.tags ?? {})
    if (options.publicKeys !== undefined) checkKeys(options.publicKeys)
    this.#cache = new BundleCache(options.cacheFolder)
  }

  /** Of the bundle in force. */
  get current(): BundleManifest | undefined {
    return this.#current
  }

  /**
   * Resolves when the first bundle is in force. From then on it is replaced whenever another is deployed.
   * @throws EdictumServerError, BundleVerificationError, or what `apply` throws, when there is none within the time.
   */
  async start(apply: ApplyBundle): Promise<void> {
    if (this.#apply !== undefined) throw new Error('the contract source was started already')
    this.#apply = apply
    const timeoutMs = this.#options.startTimeoutMs ?? serverContractSourceDefaults.startTimeoutMs
    const deadline = new AbortController()
    // Keeps the process alive until there is a bundle.
    const timer = setTimeout(() => deadline.abort(), timeoutMs)
    try {
      await this.#startFirst(deadline.signal)
    } catch (error) {
      await this.close()
      throw error
    } finally {
      clearTimeout(timer)
    }
    this.#watching ??= this.#watch()
  }

  /** Stops watching; what is being applied is finished. */
  async close(): Promise<void> {
    this.#stopped.abort()
    await this.#watching
    await this.#work.catch(() => undefined)
    await this.#acknowledged
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** What it was assigned before is most likely still right; the stream corrects it if not. */
  async #startFirst(deadline: AbortSignal): Promise<void> {
    const { bundleName } = this.#options
    const assigned = await this.#cache.assignedName(bundleName)
    if (assigned !== undefined && assigned !== bundleName) {
      try {
        await this.#startNamed(assigned, deadline)
        return
      } catch (error) {
        if (!(error instanceof EdictumServerError) || error.code !== 'not-found') throw error
      }
    }
    await (bundleName === undefined ? this.#startAssigned(deadline) : this.#startNamed(bundleName, deadline))
  }

  async #startNamed(name: string, deadline: AbortSignal): Promise<void> {
    const backoff = new Backoff({ firstMs: 500, longestMs: 5_000 })
    for (;;) {
      try {
        await this.#update(name)
        return
      } catch (error) {
        // A server that refuses is not away: its word stands.
        if (error instanceof EdictumServerError && !isPassing(error)) throw error
        if (await this.#startFromCache(name, error)) return
        if (!isPassing(error) || deadline.aborted) throw error
        await sleep(backoff.nextMs(), undefined, { signal: deadline }).catch(() => undefined)
        if (deadline.aborted) throw error
      }
    }
  }

  /** The stream says which bundle, at once. */
  async #startAssigned(deadline: AbortSignal): Promise<void> {
    const first = new Promise<void>((resolve, reject) => {
      this.#onFirst = (error) => (error === undefined ? resolve() : reject(error))
    })
    this.#watching = this.#watch()
    const late = new Promise<void>((_, reject) => {
      deadline.addEventListener('abort', () =>
        reject(
          new EdictumServerError('the server assigned no bundle to this agent in time', {
            code: 'timed-out',
          }),
        ),
      )
    })
    try {
      await Promise.race([first, late])
    } finally {
      this.#onFirst = undefined
    }
  }

  /** @returns whether the last good bundle is in force now. */
  async #startFromCache(name: string, reason: unknown): Promise<boolean> {
    const kept = await this.#cache.bundle(name)
    if (kept === undefined) return false
    try {
      const bundle = verifyBundle(kept, await this.#expectation(name))
      await this.#apply?.(bundle)
      this.#setCurrent(bundle.manifest)
    } catch (error) {
      this.#report({ part: 'contracts', message: `the kept bundle ${name} cannot be used`, error })
      return false
    }
    this.#report({
      part: 'contracts',
      message: `the last good bundle ${name} is in force, because there is no newer one to be had`,
      error: reason,
    })
    return true
  }

  /** Fetches what is current, verifies it, puts it into force, keeps it and tells the server. */
  async #update(name: string): Promise<void> {
    const path = `/bundles/${encodeURIComponent(name)}/current`
    const source = await this.#client.send<CurrentBundle>({
      method: 'GET',
      path,
      repetition: { kind: 'harmless' },
      signal: this.#stopped.signal,
    })
    let bundle: VerifiedBundle
    try {
      bundle = verifyBundle(source, await this.#expectation(name, source))
      await this.#refuseOlder(bundle)
      if (bundle.manifest.revision_hash !== this.#current?.revision_hash || name !== this.#current.name)
        await this.#apply?.(bundle)
    } catch (error) {
      this.#acknowledge({ name, revisionHash: revisionOf(source), rejection: error })
      throw error
    }
    this.#setCurrent(bundle.manifest)
    await this.#remember(bundle)
    this.#acknowledge({ name, revisionHash: bundle.manifest.revision_hash })
  }

  #setCurrent(manifest: BundleManifest): void {
    this.#current = manifest
    this.#client.announcePolicy(manifest.revision_hash)
  }

  /** What was in force once is never replaced by something older, whoever has signed it. */
  async #refuseOlder({ manifest }: VerifiedBundle): Promise<void> {
    const kept = await this.#verifiedFromCache(manifest.name)
    const inMemory = this.#current?.name === manifest.name ? this.#current : undefined
    for (const known of [kept, inMemory]) {
      if (known === undefined) continue
      if (manifest.sequence < known.sequence)
        throw new BundleVerificationError(
          'rolled-back',
          `deployment ${manifest.sequence} of ${manifest.name} is older than deployment ${known.sequence}`,
        )
      if (manifest.sequence === known.sequence && manifest.revision_hash !== known.revision_hash)
        throw new BundleVerificationError(
          'rolled-back',
          `deployment ${manifest.sequence} of ${manifest.name} is not what it was before`,
        )
    }
  }

  async #verifiedFromCache(name: string): Promise<BundleManifest | undefined> {
    const kept = await this.#cache.bundle(name)
    if (kept === undefined) return undefined
    try {
      return verifyBundle(kept, await this.#expectation(name)).manifest
    } catch {
      return undefined
    }
  }

  /** @param first a bundle that came from the server: if no key is trusted yet, whoever signed it is. */
  async #expectation(name: string, first?: CurrentBundle): Promise<Parameters<typeof verifyBundle>[1]> {
    this.#learnedKeys ??= this.#options.publicKeys ?? (await this.#cache.learnedKeys())
    const isFirst = this.#learnedKeys.length === 0 && first !== undefined
    const trustedKeys = isFirst ? signersOf(first) : this.#learnedKeys
    return { name, env: this.#client.env, trustedKeys }
  }

  /** A disk that takes nothing must not keep the contracts from being in force. */
  async #remember({ source, manifest }: VerifiedBundle): Promise<void> {
    try {
      if (this.#options.publicKeys === undefined) await this.#learnKeys(source)
      await this.#cache.keepBundle(source)
      await this.#cache.keepAssignedName({ asked: this.#options.bundleName, name: manifest.name })
    } catch (error) {
      this.#report({ part: 'contracts', message: 'the bundle in force cannot be kept on disk', error })
    }
  }

  /** The manifest was signed by a key that is trusted, so the keys it names are. */
  async #learnKeys(source: CurrentBundle): Promise<void> {
    const known = this.#learnedKeys ?? []
    const { keys = [] } = source.manifest
    const learned = keys.length > 0 ? keys : known.length > 0 ? known : signersOf(source)
    if (learned.join() === known.join()) return
    this.#learnedKeys = learned
    await this.#cache.keepLearnedKeys(learned)
  }

  #acknowledge(what: {
    readonly name: string
    readonly revisionHash: string
    readonly rejection?: unknown
  }): void {
    const { name, revisionHash, rejection } = what
    // Of an answer that is no bundle there is nothing to be said.
    if (revisionHash === '') return
    const body: BundleAcknowledgement = {
      bundle_name: name,
      revision_hash: revisionHash,
      ...(rejection === undefined
        ? { outcome: 'applied' }
        : { outcome: 'rejected', reason: makeVisible(messageOf(rejection)).slice(0, 1_000) }),
    }
    const sent = this.#client
      .send({
        method: 'POST',
        path: '/bundles/acknowledge',
        body,
        repetition: { kind: 'never' },
        timeoutMs: acknowledgeMs,
      })
      .then(
        () => undefined,
        (error: unknown) =>
          this.#report({
            part: 'contracts',
            message: 'the server does not know what is in force here',
            error,
          }),
      )
    this.#acknowledged = Promise.all([this.#acknowledged, sent])
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopped
    const backoff = new Backoff({ firstMs: 1_000, longestMs: 60_000 })
    const refresh = setInterval(() => this.#refresh(), refreshMs)
    refresh.unref()
    signal.addEventListener('abort', () => clearInterval(refresh), { once: true })
    while (!signal.aborted) {
      let openedAt: number | undefined
      let pauseMs = 0
      try {
        await this.#readStream(() => {
          openedAt = performance.now()
          this.#reported = undefined
        })
      } catch (error) {
        this.#reportOnce(error)
        pauseMs = error instanceof EdictumServerError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0
        if (!isPassing(error)) this.#onFirst?.(error)
      }
      if (openedAt !== undefined && performance.now() - openedAt >= steadyMs) backoff.reset()
      // Also after a clean end: a server that ends streams at once would be asked without a pause.
      await sleep(Math.max(backoff.nextMs(), Math.min(pauseMs, 300_000)), undefined, {
        signal,
        ref: false,
      }).catch(() => undefined)
    }
  }

  #refresh(): void {
    const name = this.#current?.name
    if (name === undefined) return
    this.#work = this.#work.then(() => this.#update(name)).catch((error: unknown) => this.#reportOnce(error))
  }

  /** @throws what keeps a notice from being followed, so that the next connection begins with the current state. */
  async #readStream(onOpen: () => void): Promise<void> {
    const connection = new AbortController()
    const stop = (): void => connection.abort()
    this.#stopped.signal.addEventListener('abort', stop, { once: true })
    let failure: unknown
    try {
      await readEventStream({
        address: this.#streamAddress(),
        headers: this.#client.headers(),
        signal: connection.signal,
        silenceMs,
        onOpen,
        onEvent: ({ event, data }) => {
          const notice = event === bundleUpdatedEvent ? readNotice(data) : undefined
          if (notice === undefined) return
          this.#work = this.#work
            .then(() => this.#follow(notice))
            .catch((error: unknown) => {
              failure ??= error
              connection.abort()
            })
        },
      })
      await this.#work
    } finally {
      this.#stopped.signal.removeEventListener('abort', stop)
    }
    if (failure !== undefined) throw failure as Error
  }

  async #follow(notice: BundleNotice): Promise<void> {
    const { bundle_name: name, revision_hash: hash, sequence } = notice
    const isKnown = this.#current?.name === name && this.#current.revision_hash === hash
    if (isKnown && this.#current?.sequence === sequence) return
    try {
      await this.#update(name)
      this.#reported = undefined
      this.#onFirst?.()
    } catch (error) {
      if (isPassing(error)) throw error
      this.#onFirst?.(error)
      this.#reportOnce(error)
    }
  }

  #streamAddress(): URL {
    const address = this.#client.addressOf('/stream')
    address.searchParams.set('env', this.#client.env)
    if (this.#options.bundleName !== undefined)
      address.searchParams.set('bundle_name', this.#options.bundleName)
    if (this.#current !== undefined) address.searchParams.set('policy_version', this.#current.revision_hash)
    if (this.#options.tags !== undefined) address.searchParams.set('tags', JSON.stringify(this.#options.tags))
    return address
  }

  /** Once for each kind of failure in a row. */
  #reportOnce(error: unknown): void {
    const kind = messageOf(error)
    if (this.#reported === kind) return
    this.#reported = kind
    this.#report({
      part: 'contracts',
      message: isPassing(error)
        ? 'the server does not tell of new contracts; those in force stay'
        : 'a bundle was refused; the contracts in force stay',
      error,
    })
  }
}

/** Undefined for what is no notice. */
function readNotice(data: string): BundleNotice | undefined {
  try {
    const value = JSON.parse(data) as Partial<BundleNotice> | null
    if (!isIdentifier(value?.bundle_name) || typeof value.revision_hash !== 'string') return undefined
    const { bundle_name, revision_hash, sequence = 0 } = value
    return { bundle_name, revision_hash, sequence }
  } catch {
    return undefined
  }
}

function revisionOf({ manifest }: CurrentBundle): string {
  const hash: unknown = (manifest as Partial<BundleManifest> | undefined)?.revision_hash
  return typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash) ? hash : ''
}

function checkKeys(publicKeys: readonly string[]): void {
  if (publicKeys.length > 0 && publicKeys.every(isPublicKey)) return
  throw EdictumConfigError.of(
    'invalid-option',
    'publicKeys must be a list of Ed25519 keys',
    'each is 64 hexadecimal digits in lower case; the console shows them',
  )
}

function checkTags(tags: Readonly<Record<string, string>>): void {
  const entries = Object.entries(tags)
  const isGood = ([key, value]: readonly [string, unknown]): boolean =>
    key.length >= 1 &&
    key.length <= 128 &&
    typeof value === 'string' &&
    value.length <= 256 &&
    makeVisible(key + value) === key + value
  if (entries.length <= 64 && entries.every(isGood)) return
  throw EdictumConfigError.of(
    'invalid-option',
    'tags must be at most 64 texts of at most 256 characters, with names of at most 128',
  )
}
