import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.js'

/** A secret that cannot be had again. */
export function ShownOnce({ label, secret }: { label: string; secret: string }): ReactNode {
  return (
    <div className="card secret" role="status">
      <p>
        <strong>{label}</strong> It is not shown again.
      </p>
      <div className="buttons">
        <code>{secret}</code>
        <CopyButton text={secret} />
      </div>
    </div>
  )
}
