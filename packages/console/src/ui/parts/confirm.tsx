import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Action } from '../data/use-action.js'
import { ActionButton } from './button.js'
import { Dialog } from './dialog.js'
import { Failure } from './states.js'

interface Wording {
  /** On the button that does it. */
  readonly label: string
  readonly title: string
  readonly consequence: ReactNode
}

/** A button for what cannot be undone: it says what will happen before it happens. */
export function ConfirmButton({ action, ...wording }: Wording & { action: Action<void> }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="danger" onClick={() => setOpen(true)}>
        {wording.label}
      </button>
      {isOpen && (
        <ConfirmDialog
          {...wording}
          action={action}
          onRun={() => action.run()}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

/** Asks once more. It goes when the thing is done, and stays to say why it was not. */
export function ConfirmDialog({
  label,
  title,
  consequence,
  action: { isRunning, failure },
  onRun,
  onClose,
}: Wording & {
  action: Pick<Action<never>, 'isRunning' | 'failure'>
  onRun: () => void
  onClose: () => void
}): ReactNode {
  const wasRunning = useRef(false)
  useEffect(() => {
    if (wasRunning.current && !isRunning && failure === undefined) onClose()
    wasRunning.current = isRunning
  }, [isRunning, failure, onClose])
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{consequence}</p>
      {failure !== undefined && <Failure failure={failure} />}
      <form method="dialog" className="buttons">
        <ActionButton className="danger" isRunning={isRunning} onClick={onRun}>
          {label}
        </ActionButton>
        <button type="submit">Cancel</button>
      </form>
    </Dialog>
  )
}
