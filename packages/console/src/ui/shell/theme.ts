const stored = 'edictum:theme'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

export function readTheme(): Theme {
  const found = window.localStorage.getItem(stored)
  return themes.find((theme) => theme === found) ?? 'system'
}

export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
  window.localStorage.setItem(stored, theme)
}
