import type { Change, Resync } from './database.js'

export type ChangeListener = (change: Change | Resync) => void

/** The subscribers of one node. One that throws does not keep the others from hearing. */
export class ChangeListeners {
  readonly #listeners = new Set<ChangeListener>()

  add(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  tell(change: Change | Resync): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch (error) {
        process.emitWarning(`a listener failed on ${change.kind}: ${String(error)}`, 'EdictumWarning')
      }
    }
  }
}
