import type { ReactNode } from 'react'
import { useQueryValues } from '../navigation/router.js'

/** Back in time and to the newest again. Where a page begins is `before` in the address. */
export function Pager({ next, onward = 'Older' }: { next: string | null; onward?: string }): ReactNode {
  const [query, setQuery] = useQueryValues()
  const begin = (before: string): void => {
    setQuery({ before })
    // The button goes with the page it stood on.
    document.getElementById('content')?.focus({ preventScroll: true })
  }
  return (
    <div className="buttons">
      {(query.get('before') ?? '') !== '' && (
        <button type="button" onClick={() => begin('')}>
          Newest
        </button>
      )}
      {next !== null && (
        <button type="button" onClick={() => begin(next)}>
          {onward}
        </button>
      )}
    </div>
  )
}
