// Single keys for those who do not like to reach for the mouse. Never while somebody is writing.
import { useEffect } from 'react'
import { navigate } from '../navigation/router.js'
import { pages } from './pages.js'

const togetherMs = 1_500

export function useShortcuts(showHelp: () => void): void {
  useEffect(() => {
    let goPressedAt = Number.NEGATIVE_INFINITY
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return
      if (document.querySelector('dialog[open]') !== null) return
      const page =
        event.timeStamp - goPressedAt < togetherMs ? pages.find(({ key }) => key === event.key) : undefined
      goPressedAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (page !== undefined) navigate(page.path)
      else if (event.key === '?') showHelp()
      else if (event.key === '/') focusSearch(event)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [showHelp])
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
  )
}

function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLInputElement>('input[type="search"]')
  if (search === null) return
  event.preventDefault()
  search.focus()
}
