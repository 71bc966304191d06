import { type ReactNode, useState } from 'react'
import type { Action } from '../data/use-action.js'
import { ActionButton } from './button.js'
import { Dialog } from './dialog.js'
import { Failure } from './states.js'

/** A button for what cannot be undone: it says what will happen before it happens. */
export function ConfirmButton({
  label,
  title,
  consequence,
  action,
}: {
  label: string
  title: string
  consequence: ReactNode
  action: Action<void>
}): ReactNode {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="danger" onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          <p>{consequence}</p>
          {action.failure !== undefined && <Failure failure={action.failure} />}
          <form method="dialog" className="buttons">
            <ActionButton className="danger" isRunning={action.isRunning} onClick={() => action.run()}>
              {label}
            </ActionButton>
            <button type="submit">Cancel</button>
          </form>
        </Dialog>
      )}
    </>
  )
}
