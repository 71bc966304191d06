import { type ReactNode, useState } from 'react'
import { applyTheme, readTheme, type Theme, themes } from './theme.js'

const names: Record<Theme, string> = { system: 'As the system', light: 'Light', dark: 'Dark' }

export function ThemeChoice(): ReactNode {
  const [theme, setTheme] = useState(readTheme)
  return (
    <label className="theme">
      <span className="visually-hidden">Colours</span>
      <select
        value={theme}
        onChange={({ target }) => {
          const chosen = themes.find((name) => name === target.value) ?? 'system'
          applyTheme(chosen)
          setTheme(chosen)
        }}
      >
        {themes.map((name) => (
          <option key={name} value={name}>
            {names[name]}
          </option>
        ))}
      </select>
    </label>
  )
}
