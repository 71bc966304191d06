import { type ReactNode, useEffect, useId, useRef } from 'react'

/** Asks before something is done. The browser keeps the focus inside and closes it with Escape. */
export function Dialog({
  title,
  children,
  onClose,
}: {
  title: string
  children: ReactNode
  onClose: () => void
}): ReactNode {
  const element = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    element.current?.showModal()
    // The browser gives the focus back to what had it; but that may be gone with the row it stood in.
    return () =>
      void requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.getElementById('content')?.focus()
      })
  }, [])
  return (
    <dialog ref={element} aria-labelledby={heading} onClose={onClose}>
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  )
}
