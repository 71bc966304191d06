import { type ReactNode, useEffect, useRef } from 'react'

/** One page: its name in the tab and as heading, which takes the focus so that reading starts here. */
export function Page({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ReactNode
  children: ReactNode
}): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Edictum`
    // Not on the first page: whoever has just arrived has not left anything.
    if (document.activeElement !== null && document.activeElement !== document.body) heading.current?.focus()
  }, [title])
  return (
    <>
      <header className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}
