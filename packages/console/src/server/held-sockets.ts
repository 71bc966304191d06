// Connections that stay open for long: streams and long polls. They are aborted, never ended politely: a client that sees
// a clean end comes back at once, hundreds of times a second.
import type { Socket } from 'node:net'

interface Holding {
  readonly socket: Socket
  /** Id of the API key or the user whose connection it is. */
  readonly owner: string
}

export class HeldSockets {
  readonly #held = new Set<Holding>()

  get size(): number {
    return this.#held.size
  }

  /** @returns a function to call when the connection is no longer held. */
  hold(holding: Holding): () => void {
    this.#held.add(holding)
    const release = (): void => {
      this.#held.delete(holding)
      holding.socket.off('close', release)
    }
    holding.socket.once('close', release)
    return release
  }

  abortThoseOf(owner: string): void {
    for (const holding of this.#held) if (holding.owner === owner) this.#abort(holding)
  }

  abortAll(): void {
    for (const holding of this.#held) this.#abort(holding)
  }

  #abort(holding: Holding): void {
    this.#held.delete(holding)
    holding.socket.resetAndDestroy()
  }
}
