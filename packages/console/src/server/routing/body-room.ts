// Large bodies take memory from the first byte until they are answered. What does not fit any more is asked to come back.
import { tooMuch } from './problem.js'

/** Small ones are always let in: they are the calls that agents wait for. */
const smallBytes = 65_536

export class BodyRoom {
  readonly #mostBytes: number
  #takenBytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  get takenBytes(): number {
    return this.#takenBytes
  }

  open(): BodyClaim {
    let claimed = 0
    return {
      claim: (bytes) => {
        const more = bytes - claimed
        if (more <= 0 || bytes <= smallBytes) return
        if (this.#takenBytes + more > this.#mostBytes) throw tooMuch('overloaded', 1)
        this.#takenBytes += more
        claimed = bytes
      },
      release: () => {
        this.#takenBytes -= claimed
        claimed = 0
      },
    }
  }
}

export interface BodyClaim {
  /** @throws Problem 503 when there is no room for a body of so many bytes. */
  readonly claim: (bytes: number) => void
  readonly release: () => void
}
