// From a batch of events to rows on disk: as much as there is room for, in pieces, so that other requests get their turn.
import type { EventReceipt, RejectedEvent } from '../../protocol/events.js'
import type { Arrival, NewEvent } from '../../store/events.js'
import { eventsStored, KnownEvents, storeEvents, storeNewEvents } from '../../store/events.js'
import { tooMuch } from '../routing/problem.js'
import type { Services } from '../services.js'
import type { EventBatch } from './event-batch.js'

/** Waiting to be stored, over all requests; what comes on top is asked to come back. */
const defaultMostWaiting = 200_000
const mostReasons = 1_000

export class Ingest {
  readonly #services: Pick<Services, 'store' | 'metrics'>
  readonly #mostWaiting: number
  #waiting = 0

  constructor(services: Pick<Services, 'store' | 'metrics'>, mostWaiting = defaultMostWaiting) {
    this.#services = services
    this.#mostWaiting = mostWaiting
    services.metrics.gauge(
      'edictum_events_waiting',
      'Events received and not stored yet.',
      () => this.#waiting,
    )
  }

  /**
   * Everything counted in the receipt is durable.
   * @throws Problem 503 when too much is waiting; nothing of the batch is stored then.
   */
  async store(arrival: Arrival, batch: EventBatch): Promise<EventReceipt> {
    const { size } = batch
    if (this.#waiting > 0 && this.#waiting + size > this.#mostWaiting) throw tooMuch('overloaded', 1)
    this.#waiting += size
    const rejected: RejectedEvent[] = []
    let accepted = 0
    try {
      for await (const piece of batch.pieces()) {
        rejected.push(...piece.rejected)
        accepted += await this.#storeSome(arrival, piece.events)
      }
    } finally {
      this.#waiting -= size
    }
    const duplicates = size - rejected.length - accepted
    this.#count({ accepted, duplicates, rejected: rejected.length })
    const receipt = { accepted, duplicates }
    return rejected.length === 0 ? receipt : { ...receipt, rejected: rejected.slice(0, mostReasons) }
  }

  async #storeSome(arrival: Arrival, events: readonly NewEvent[]): Promise<number> {
    if (events.length === 0) return 0
    const { database } = this.#services.store
    const storeWith = (store: typeof storeEvents): Promise<number> =>
      database.transaction(async (transaction) => {
        const stored = await store(transaction, arrival, events)
        if (stored > 0)
          await transaction.announce({ kind: eventsStored, tenant: arrival.tenant, subject: String(stored) })
        return stored
      })
    try {
      return await storeWith(storeNewEvents)
    } catch (error) {
      if (error instanceof KnownEvents) return storeWith(storeEvents)
      throw error
    }
  }

  #count(numbers: Readonly<Record<string, number>>): void {
    for (const [outcome, by] of Object.entries(numbers)) {
      const help = 'Events received.'
      this.#services.metrics.count('edictum_events_total', { help, labels: `outcome="${outcome}"`, by })
    }
  }
}
