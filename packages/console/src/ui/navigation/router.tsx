// Addresses of the page. The query holds what is filtered, so that every view can be linked to.
import {
  type AnchorHTMLAttributes,
  type MouseEvent,
  type ReactNode,
  useMemo,
  useSyncExternalStore,
} from 'react'

const moved = 'edictum:moved'

function subscribe(listener: () => void): () => void {
  window.addEventListener('popstate', listener)
  window.addEventListener(moved, listener)
  return () => {
    window.removeEventListener('popstate', listener)
    window.removeEventListener(moved, listener)
  }
}

export function navigate(to: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') window.history.pushState(null, '', to)
  else window.history.replaceState(null, '', to)
  window.dispatchEvent(new Event(moved))
}

export interface Place {
  readonly path: string
  readonly query: URLSearchParams
}

export function usePlace(): Place {
  const address = useSyncExternalStore(subscribe, () => window.location.pathname + window.location.search)
  return useMemo(() => {
    const url = new URL(address, window.location.origin)
    return { path: url.pathname, query: url.searchParams }
  }, [address])
}

/** Values of the query, and a way to change some of them. */
export function useQueryValues(): readonly [URLSearchParams, (changes: Record<string, string>) => void] {
  const { path, query } = usePlace()
  return [
    query,
    (changes) => {
      const next = new URLSearchParams(query)
      for (const [name, value] of Object.entries(changes)) {
        if (value === '') next.delete(name)
        else next.set(name, value)
      }
      const text = next.toString()
      navigate(text === '' ? path : `${path}?${text}`, 'replace')
    },
  ]
}

export function Link({
  to,
  children,
  ...rest
}: { readonly to: string; readonly children: ReactNode } & Omit<
  AnchorHTMLAttributes<HTMLAnchorElement>,
  'href'
>): ReactNode {
  const follow = (event: MouseEvent): void => {
    // A new tab or window is the browser's business.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigate(to)
  }
  return (
    <a {...rest} href={to} onClick={follow}>
      {children}
    </a>
  )
}
