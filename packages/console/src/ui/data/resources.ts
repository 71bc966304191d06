// What the page has read from the server, by address. Shown again at once while it is read anew.
import { request, RequestFailed } from './request.js'

export interface ResourceState<Value> {
  readonly value: Value | undefined
  readonly failure: RequestFailed | undefined
  /** Nothing to show yet. */
  readonly isLoading: boolean
}

type Listener = () => void

const empty: ResourceState<never> = { value: undefined, failure: undefined, isLoading: true }
const mostKept = 50

class Resource {
  state: ResourceState<unknown> = empty
  readonly #path: string
  readonly #listeners = new Set<Listener>()
  #abort: AbortController | undefined
  #isOutdated = false

  constructor(path: string) {
    this.#path = path
  }

  get isInUse(): boolean {
    return this.#listeners.size > 0
  }

  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener)
    if (this.#abort === undefined) void this.#load()
    return () => {
      this.#listeners.delete(listener)
      if (this.isInUse) return
      this.#abort?.abort()
      this.#abort = undefined
    }
  }

  /** One request at a time. One that is under way may have been answered before what happened now, so another follows. */
  readonly refresh = (): void => {
    if (this.#abort !== undefined) this.#isOutdated = true
    else if (this.isInUse) void this.#load()
  }

  async #load(): Promise<void> {
    const abort = new AbortController()
    this.#abort = abort
    this.#isOutdated = false
    try {
      const value = await request<unknown>(this.#path, { signal: abort.signal })
      if (abort.signal.aborted) return
      this.#abort = undefined
      this.#set({ value, failure: undefined, isLoading: false })
    } catch (error) {
      if (abort.signal.aborted) return
      this.#abort = undefined
      const failure = error instanceof RequestFailed ? error : new RequestFailed(0, undefined)
      this.#set({ value: failure.status === 0 ? this.state.value : undefined, failure, isLoading: false })
    }
    if (this.#isOutdated) this.refresh()
  }

  #set(state: ResourceState<unknown>): void {
    // The same answer again must not draw the page again.
    const isSame =
      state.failure === this.state.failure &&
      !this.state.isLoading &&
      JSON.stringify(state.value) === JSON.stringify(this.state.value)
    if (isSame) return
    this.state = state
    for (const listener of this.#listeners) listener()
  }
}

const resources = new Map<string, Resource>()

export function resourceAt(path: string): Resource {
  const known = resources.get(path)
  if (known !== undefined) return known
  for (const [other, resource] of resources) {
    if (resources.size < mostKept) break
    if (!resource.isInUse) resources.delete(other)
  }
  const made = new Resource(path)
  resources.set(path, made)
  return made
}

/** After a change, whatever is shown of it is read again. */
export function refreshAll(): void {
  for (const resource of resources.values()) resource.refresh()
}

export function forgetAll(): void {
  resources.clear()
}
