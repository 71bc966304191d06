// What surrounds every page: the navigation, who is logged in, and the keys.
import { type ReactNode, useCallback, useState } from 'react'
import { request } from '../data/request.js'
import { forgetAll } from '../data/resources.js'
import { useAction } from '../data/use-action.js'
import { useUser } from '../data/use-visitor.js'
import { matchPath } from '../navigation/match-path.js'
import { Link, usePlace } from '../navigation/router.js'
import { ActionButton } from '../parts/button.js'
import { Empty, Failure } from '../parts/states.js'
import { Page } from '../parts/page.js'
import { CrashBarrier } from './crash-barrier.js'
import { Navigation } from './navigation.js'
import { pages } from './pages.js'
import { ShortcutHelp } from './shortcut-help.js'
import { useShortcuts } from './shortcuts.js'
import { ThemeChoice } from './theme-choice.js'

export function Shell({ version }: { version: string }): ReactNode {
  const { path } = usePlace()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [isHelpOpen, setHelpOpen] = useState(false)
  useShortcuts(useCallback(() => setHelpOpen(true), []))
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="bar">
        <Link to="/" className="brand">
          Edictum
        </Link>
        <button
          type="button"
          className="menu quiet"
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          Menu
        </button>
      </header>
      <nav id="navigation" aria-label="Pages" data-open={isMenuOpen}>
        <Navigation onFollow={() => setMenuOpen(false)} />
        <Account version={version} onHelp={() => setHelpOpen(true)} />
      </nav>
      <main id="content" tabIndex={-1}>
        <CrashBarrier key={path}>
          <CurrentPage path={path} />
        </CrashBarrier>
      </main>
      {isHelpOpen && <ShortcutHelp onClose={() => setHelpOpen(false)} />}
    </div>
  )
}

function CurrentPage({ path }: { path: string }): ReactNode {
  for (const page of pages) {
    const params = matchPath(page.path, path)
    if (params !== undefined) return page.render(params)
  }
  return (
    <Page title="Nothing here">
      <Empty title="There is no page at this address.">
        <Link to="/">Go to the overview</Link>, or choose another page.
      </Empty>
    </Page>
  )
}

function Account({ version, onHelp }: { version: string; onHelp: () => void }): ReactNode {
  const { email, role } = useUser()
  const leave = useAction(
    () => request('/api/v1/auth/logout', { method: 'POST' }),
    () => {
      forgetAll()
      window.location.assign('/')
    },
  )
  return (
    <div className="account">
      <p>
        <Link to="/account">{email}</Link> <span className="muted">{role}</span>
      </p>
      <div className="buttons">
        <ThemeChoice />
        <button type="button" className="quiet" onClick={onHelp}>
          Shortcuts
        </button>
        <ActionButton className="quiet" isRunning={leave.isRunning} onClick={leave.run}>
          Log out
        </ActionButton>
      </div>
      {leave.failure !== undefined && <Failure failure={leave.failure} />}
      <p className="muted">Edictum {version}</p>
    </div>
  )
}
