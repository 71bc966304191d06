import { type ButtonHTMLAttributes, type ReactNode, useEffect, useState } from 'react'

/** Shows after half a second that it is at work. */
export function ActionButton({
  isRunning,
  children,
  ...rest
}: {
  readonly isRunning: boolean
  readonly children: ReactNode
} & ButtonHTMLAttributes<HTMLButtonElement>): ReactNode {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    if (!isRunning) return
    const timer = setTimeout(() => setSlow(true), 500)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [isRunning])
  return (
    <button type="button" {...rest} aria-disabled={isRunning} aria-busy={isRunning}>
      {isSlow && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  )
}
