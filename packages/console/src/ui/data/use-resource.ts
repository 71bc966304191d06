import { useCallback, useEffect, useSyncExternalStore } from 'react'
import { subscribe, type Topic } from './live-changes.js'
import { resourceAt, type ResourceState } from './resources.js'

export interface ShownResource<Value> extends ResourceState<Value> {
  readonly reload: () => void
}

/** What is at an address of the server, kept up to date while it is shown. */
export function useResource<Value>(path: string, topics: readonly Topic[] = []): ShownResource<Value> {
  const resource = resourceAt(path)
  const state = useSyncExternalStore(
    resource.subscribe,
    useCallback(() => resource.state as ResourceState<Value>, [resource]),
  )
  const names = topics.join()
  useEffect(() => {
    const unsubscribe = names
      .split(',')
      .filter((name) => name !== '')
      .map((name) => subscribe(name as Topic, resource.refresh))
    return () => {
      for (const end of unsubscribe) end()
    }
  }, [names, resource])
  return { ...state, reload: resource.refresh }
}
