// Stops an agent that repeats itself: a call that is harmless to repeat and has succeeded, or is under way, is not made
// again in the same turn. What failed may be tried again.
import { hashOfCall } from '../guard/call-hash.js'

export type ReplayStatus = 'success' | 'failure' | 'timeout' | 'denied'

interface ReplayEntry {
  status: ReplayStatus | undefined
  resourceKeys: readonly string[]
}

/** The same tool and the same arguments in any key order, and nothing else. */
export function replayKey(toolName: string, args: Readonly<Record<string, unknown>>): string {
  return hashOfCall({ toolName, args })
}

/** The history of one turn. Only calls of idempotent tools are entered: all others may repeat. */
export class ReplayControl {
  readonly #history = new Map<string, ReplayEntry>()
  readonly #inFlight = new Map<string, number>()

  /** Why the call would be a duplicate; undefined when it is not. */
  findDuplicate(key: string): string | undefined {
    if (this.#history.get(key)?.status === 'success') return 'this call has already succeeded in this turn'
    return this.#inFlight.has(key) ? 'the same call is under way' : undefined
  }

  /** The call is under way until `end` says otherwise. */
  begin(key: string): void {
    this.#inFlight.set(key, (this.#inFlight.get(key) ?? 0) + 1)
  }

  end(key: string): void {
    const count = (this.#inFlight.get(key) ?? 1) - 1
    if (count === 0) this.#inFlight.delete(key)
    else this.#inFlight.set(key, count)
  }

  /** A success stays one, whatever comes after it. */
  record(key: string, status: ReplayStatus, resourceKeys: readonly string[] = []): void {
    const entry = this.#history.get(key)
    if (entry === undefined) this.#history.set(key, { status, resourceKeys })
    else if (entry.status !== 'success') Object.assign(entry, { status, resourceKeys })
  }

  /** Something was written: what had been read from there may be read again. */
  forgetReadsOf(resourceKeys: readonly string[]): void {
    const written = new Set(resourceKeys)
    for (const entry of this.#history.values()) {
      if (entry.status === 'success' && entry.resourceKeys.some((key) => written.has(key)))
        entry.status = undefined
    }
  }

  /** Distinct pairs of tool and arguments seen. */
  get historySize(): number {
    return this.#history.size
  }
}
