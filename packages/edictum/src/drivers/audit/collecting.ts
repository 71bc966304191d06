// The last events of a guard, in memory: what `guard.localSink` is, and what tests look at.
import { EdictumConfigError } from '../../contracts/config-error.js'
import type { AuditAction, AuditEvent } from '../../guard/ports/audit-event.js'
import type { AuditSink } from '../../guard/ports/audit-sink.js'
import { MarkEvictedError } from './mark-evicted-error.js'

/** Keeps the newest `maxEvents` events. An emit costs the same whether there is room or not. */
export class CollectingAuditSink implements AuditSink {
  readonly #maxEvents: number
  /** In order until it is full; from then on a circle whose oldest event is at `#oldest`. */
  #circle: AuditEvent[] = []
  #oldest = 0
  #emitted = 0

  constructor(maxEvents = 50_000) {
    if (!Number.isSafeInteger(maxEvents) || maxEvents < 1) {
      throw EdictumConfigError.of('invalid-option', 'maxEvents must be a whole number of at least 1')
    }
    this.#maxEvents = maxEvents
  }

  emit(event: AuditEvent): void {
    if (this.#circle.length < this.#maxEvents) {
      this.#circle.push(event)
    } else {
      this.#circle[this.#oldest] = event
      this.#oldest = (this.#oldest + 1) % this.#maxEvents
    }
    this.#emitted++
  }

  /** Oldest first, in a list of its own. */
  get events(): AuditEvent[] {
    return this.#newest(this.#circle.length)
  }

  /** A point in time, to be given to `sinceMark` later: how many events were emitted so far. */
  mark(): number {
    return this.#emitted
  }

  /** @throws MarkEvictedError when some of those events are gone, RangeError when the mark is none. */
  sinceMark(mark: number): AuditEvent[] {
    if (!Number.isInteger(mark) || mark > this.#emitted) {
      throw new RangeError(`${mark} is not a mark of this sink: ${this.#emitted} events were emitted so far`)
    }
    const oldestMark = this.#emitted - this.#circle.length
    if (mark < oldestMark) throw new MarkEvictedError(mark, oldestMark)
    return this.#newest(this.#emitted - mark)
  }

  filter(action: AuditAction): AuditEvent[] {
    return this.events.filter((event) => event.action === action)
  }

  /** @throws RangeError when there is none. */
  last(): AuditEvent {
    const [event] = this.#newest(1)
    if (event === undefined) throw new RangeError('no event was collected')
    return event
  }

  /** Drops the events. Marks go on counting, so those taken before are evicted. */
  clear(): void {
    this.#circle = []
    this.#oldest = 0
  }

  #newest(count: number): AuditEvent[] {
    const { length } = this.#circle
    const from = this.#oldest + length - Math.min(count, length)
    return from < length
      ? [...this.#circle.slice(from), ...this.#circle.slice(0, this.#oldest)]
      : this.#circle.slice(from - length, this.#oldest)
  }
}
