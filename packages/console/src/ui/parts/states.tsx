// What stands where the content would: it is coming, it could not be had, there is none.
import { type ReactNode, useEffect, useState } from 'react'
import type { RequestFailed } from '../data/request.js'
import type { ShownResource } from '../data/use-resource.js'
import { UntrustedText } from './untrusted-text.js'

const patienceMs = 500

/** Says nothing for half a second: most answers are there by then, and a flash is worse than a wait. */
export function Progress({ what }: { what: string }): ReactNode {
  const isShown = usePatience()
  return (
    <p className="progress" role="status">
      {isShown && (
        <>
          <span className="spinner" aria-hidden="true" /> {what}…
        </>
      )}
    </p>
  )
}

function usePatience(): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), patienceMs)
    return () => clearTimeout(timer)
  }, [])
  return isOver
}

const advice: Readonly<Record<number, string>> = {
  0: 'Check that the console is running and that you are connected; this page tries again by itself.',
  400: 'Change what is named above, then try again.',
  401: 'Log in, then try again.',
  403: 'Your role does not allow it. An administrator can change that under Users.',
  404: 'It may have been removed, or the address is wrong.',
  409: 'Somebody else was quicker. What is shown now is up to date.',
  413: 'It is larger than the console takes. Make it shorter, or split it.',
  422: 'Change what is named above, then try again.',
  429: 'Wait a little, then try again.',
  503: 'The server has too much to do. Wait a little, then try again.',
}

export function Failure({
  failure,
  onRetry,
}: {
  failure: RequestFailed
  onRetry?: (() => void) | undefined
}): ReactNode {
  return (
    <div className="failure" role="alert">
      <p>
        <strong>That did not work:</strong> <UntrustedText text={failure.message} most={500} />
      </p>
      <p>{advice[failure.status] ?? (failure.status >= 500 ? 'The log of the server says more.' : '')}</p>
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

export function Empty({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <div className="empty">
      <p>
        <strong>{title}</strong>
      </p>
      <p>{children}</p>
    </div>
  )
}

/** The content of a resource, or what stands in its place. */
export function Loaded<Value>({
  resource,
  what,
  children,
}: {
  resource: ShownResource<Value>
  what: string
  children: (value: Value) => ReactNode
}): ReactNode {
  const { value, failure, isLoading, reload } = resource
  if (isLoading) return <Progress what={`Loading ${what}`} />
  return (
    <>
      {failure !== undefined && <Failure failure={failure} onRetry={reload} />}
      {value !== undefined && children(value)}
    </>
  )
}
