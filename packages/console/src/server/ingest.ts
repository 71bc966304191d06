// From a batch of events to rows on disk: as much as there is room for, in pieces, so that other requests get their turn.
import type { EventReceipt, RejectedEvent } from '../protocol/events.js'
import type { Arrival, NewEvent } from '../store/events.js'
import { eventsStored, KnownEvents, storeEvents, storeNewEvents } from '../store/events.js'
import { EventFault, type EventSender, readEvent } from './read-event.js'
import { tooMuch } from './routing/problem.js'
import type { Services } from './services.js'

/** Waiting to be stored, over all requests; what comes on top is asked to come back. */
const defaultMostWaiting = 200_000
const eventsPerTransaction = 512
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
  async store(arrival: Arrival, sender: EventSender, events: readonly unknown[]): Promise<EventReceipt> {
    if (this.#waiting > 0 && this.#waiting + events.length > this.#mostWaiting) throw tooMuch('overloaded', 1)
    this.#waiting += events.length
    const rejected: RejectedEvent[] = []
    let accepted = 0
    let taken = 0
    try {
      for (let from = 0; from < events.length; from += eventsPerTransaction) {
        const some = events.slice(from, from + eventsPerTransaction)
        const readable = readAll({ events: some, from, sender, rejected })
        taken += readable.length
        accepted += await this.#storeSome(arrival, readable)
      }
    } finally {
      this.#waiting -= events.length
    }
    this.#count({ accepted, duplicates: taken - accepted, rejected: rejected.length })
    const receipt = { accepted, duplicates: taken - accepted }
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

function readAll(batch: {
  readonly events: readonly unknown[]
  readonly from: number
  readonly sender: EventSender
  readonly rejected: RejectedEvent[]
}): readonly NewEvent[] {
  const readable: NewEvent[] = []
  batch.events.forEach((event, index) => {
    try {
      readable.push(readEvent(event, batch.sender))
    } catch (error) {
      if (!(error instanceof EventFault)) throw error
      batch.rejected.push({ index: batch.from + index, reason: error.message })
    }
  })
  return readable
}
