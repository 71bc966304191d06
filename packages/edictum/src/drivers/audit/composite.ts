// One sink made of several. A failing sink never keeps an event from the others.
import { EdictumConfigError } from '../../contracts/config-error.js'
import type { AuditEvent } from '../../guard/ports/audit-event.js'
import type { AuditSink, FollowedCall, FollowedEnd } from '../../guard/ports/audit-sink.js'

/** Hands every event to all sinks, in their order and without waiting for one before the next. */
export class CompositeSink implements AuditSink {
  readonly #sinks: readonly AuditSink[]
  /** Only there when one of the sinks follows calls, so that nobody is told in vain. */
  readonly follow?: NonNullable<AuditSink['follow']>

  /** @throws EdictumConfigError for an empty list, TypeError for something that is not a sink. */
  constructor(sinks: readonly AuditSink[]) {
    if (!Array.isArray(sinks) || sinks.length === 0) {
      throw EdictumConfigError.of('invalid-option', 'a composite sink needs a list of at least one sink')
    }
    const given: readonly unknown[] = sinks
    const stranger = given.findIndex((sink) => !isSink(sink))
    if (stranger !== -1) throw new TypeError(`audit sink ${stranger} is not an object with an emit function`)
    this.#sinks = [...sinks]
    const following = this.#sinks.filter((sink) => sink.follow !== undefined)
    if (following.length > 0) this.follow = (call) => followAll(following, call)
  }

  get sinks(): AuditSink[] {
    return [...this.#sinks]
  }

  /** Answers at once when all sinks do. Fails with one AggregateError after all of them have answered. */
  emit(event: AuditEvent): Promise<void> | void {
    let failures: unknown[] | undefined
    let answers: PromiseLike<void>[] | undefined
    for (const sink of this.#sinks) {
      try {
        const answer = sink.emit(event)
        if (isPromise(answer)) (answers ??= []).push(answer)
      } catch (error) {
        ;(failures ??= []).push(error)
      }
    }
    if (answers !== undefined) return this.#waitForAll(answers, failures ?? [])
    if (failures !== undefined) throw this.#failure(failures)
  }

  async close(): Promise<void> {
    const closing = this.#sinks.map(async (sink) => sink.close?.())
    await this.#waitForAll(closing, [])
  }

  async #waitForAll(answers: readonly PromiseLike<void>[], failures: readonly unknown[]): Promise<void> {
    const results = await Promise.allSettled(answers)
    const rejected = results.filter((result) => result.status === 'rejected')
    const all = [...failures, ...rejected.map((result): unknown => result.reason)]
    if (all.length > 0) throw this.#failure(all)
  }

  #failure(failures: readonly unknown[]): AggregateError {
    const reasons = failures.map((failure) => (failure instanceof Error ? failure.message : String(failure)))
    return new AggregateError(
      failures,
      `${failures.length} of ${this.#sinks.length} audit sinks failed: ${reasons.join('; ')}`,
    )
  }
}

/** One that fails keeps the others neither from beginning nor from ending. */
function followAll(sinks: readonly AuditSink[], call: FollowedCall): (end: FollowedEnd) => void {
  const { results: followers, failures } = tryAll(sinks, (sink) => sink.follow?.(call))
  return (end) => {
    failures.push(...tryAll(followers, (ended) => ended?.(end)).failures)
    if (failures.length > 0) throw new AggregateError(failures, 'sinks failed to follow a call')
  }
}

function tryAll<Item, Result>(items: readonly Item[], use: (item: Item) => Result) {
  const results: Result[] = []
  const failures: unknown[] = []
  for (const item of items) {
    try {
      results.push(use(item))
    } catch (error) {
      failures.push(error)
    }
  }
  return { results, failures }
}

function isSink(value: unknown): value is AuditSink {
  return typeof value === 'object' && value !== null && 'emit' in value && typeof value.emit === 'function'
}

function isPromise(answer: PromiseLike<void> | void): answer is PromiseLike<void> {
  return typeof answer === 'object' && answer !== null && typeof answer.then === 'function'
}
