import type { ReactNode } from 'react'
import { Dialog } from '../parts/dialog.js'
import { pages } from './pages.js'

export function ShortcutHelp({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title="Shortcuts" onClose={onClose}>
      <dl className="keys">
        {pages.map(({ key, label }) =>
          key === undefined ? null : (
            <div key={key}>
              <dt>
                <kbd>g</kbd> <kbd>{key}</kbd>
              </dt>
              <dd>{label}</dd>
            </div>
          ),
        )}
        <div>
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>Search on this page</dd>
        </div>
        <div>
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>This list</dd>
        </div>
        <div>
          <dt>
            <kbd>Esc</kbd>
          </dt>
          <dd>Close</dd>
        </div>
      </dl>
      <form method="dialog" className="buttons">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  )
}
