import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Console } from './console.js'
import { applyTheme, readTheme } from './shell/theme.js'

applyTheme(readTheme())
const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root')
createRoot(root).render(
  <StrictMode>
    <Console />
  </StrictMode>,
)
