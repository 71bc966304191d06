// Canvases do not follow the style sheet by themselves: they are told when the colours change.
import { useSyncExternalStore } from 'react'

const darkness = window.matchMedia('(prefers-color-scheme: dark)')

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  darkness.addEventListener('change', listener)
  return () => {
    observer.disconnect()
    darkness.removeEventListener('change', listener)
  }
}

/** Changes whenever the colours do. */
export function useColourScheme(): string {
  return useSyncExternalStore(
    subscribe,
    () => `${document.documentElement.dataset['theme']} ${darkness.matches}`,
  )
}

/** A colour of the style sheet as a canvas understands it. */
export function resolveColour(place: Element, property: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${property})`
  place.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
