// Who was heard of, written down in batches: a request does not wait for it, and a busy agent is not written every time.
import { recordSightings, type Sighting } from '../../store/agents.js'
import type { Database } from '../../store/database.js'
import type { Log } from '../log.js'

const flushMs = 1_000
/** How exact "last seen" is. */
const repeatMs = 15_000
const mostRemembered = 100_000

export class AgentSightings {
  readonly #database: Database
  readonly #log: Log
  readonly #notedAt = new Map<string, number>()
  readonly #timer: NodeJS.Timeout
  #waiting = new Map<string, Sighting>()
  #flushing: Promise<void> = Promise.resolve()

  constructor(parts: { readonly database: Database; readonly log: Log }) {
    this.#database = parts.database
    this.#log = parts.log
    this.#timer = setInterval(() => void this.flush(), flushMs)
    this.#timer.unref()
  }

  note(sighting: Sighting): void {
    const name = `${sighting.tenant}\n${sighting.env}\n${sighting.agentId}`
    const { policyVersion, bundleName, stream, claimedEnv, at } = sighting
    const isNews = [policyVersion, bundleName, stream, claimedEnv].some((fact) => fact !== undefined)
    const notedAt = this.#notedAt.get(name)
    if (!isNews && notedAt !== undefined && at - notedAt < repeatMs) return
    if (this.#notedAt.size >= mostRemembered) this.#notedAt.clear()
    this.#notedAt.set(name, at)
    this.#waiting.set(name, merge(this.#waiting.get(name), sighting))
  }

  /** Everything noted so far is stored when it resolves. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#write())
    return this.#flushing
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  async #write(): Promise<void> {
    if (this.#waiting.size === 0) return
    const sightings = [...this.#waiting.values()]
    this.#waiting = new Map()
    try {
      await this.#database.transaction((transaction) => recordSightings(transaction, sightings))
    } catch (error) {
      // They come again with the next request of each agent.
      this.#notedAt.clear()
      this.#log('warn', 'sightings of agents were not stored', { error: String(error) })
    }
  }
}

function merge(known: Sighting | undefined, news: Sighting): Sighting {
  if (known === undefined) return news
  return {
    ...known,
    at: Math.max(known.at, news.at),
    policyVersion: news.policyVersion ?? known.policyVersion,
    bundleName: news.bundleName ?? known.bundleName,
    stream: news.stream ?? known.stream,
    claimedEnv: news.claimedEnv === undefined ? known.claimedEnv : news.claimedEnv,
  }
}
